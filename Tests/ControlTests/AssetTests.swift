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
      let text = try String(contentsOf: folder.appending(path: asset.name), encoding: .utf8)
      let isIndented = asset.name.hasSuffix(".js") || asset.name.hasSuffix(".css")
      let served = isIndented ? text.replacing(/(?m)^ +/, with: "") : text
      #expect(String(decoding: asset.bytes, as: UTF8.self) == served, "\(asset.name)")
    }
    #expect(Set(Asset.all.map(\.tag)).count == names.count)
  }
}
