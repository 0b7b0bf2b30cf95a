// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@testable import Page

@Suite struct AssetTests {
  /// A file that is forgotten in the list would be missing on the page.
  @Test func allFilesOfThePageAreServed() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Page/Assets")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Asset.all.map(\.name) == names.sorted())
    for asset in Asset.all {
      #expect(asset.type != "application/octet-stream", "\(asset.name)")
      let bytes = try Data(contentsOf: folder.appending(path: asset.name))
      #expect(Data(asset.bytes) == bytes)
    }
    #expect(Set(Asset.all.map(\.tag)).count == names.count)
  }
}
