// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Settings
import Testing

@testable import Control
@testable import Studio

/// What a change of settings costs the media path.
@Suite struct DiskThreadTests {
  @Test func itGivesWayToTheMediaPath() async throws {
    let nice = try await DiskThread.run {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }
    #expect(nice >= 10)
  }

  /// An image takes long to decode, and changes are checked while a person types.
  @Test func onlyImagesThatAChangeNamesAreRead() throws {
    let settings = try Configuration.load(
      file: nil, overrides: ["pause.image=/nowhere/a", "slate.camera_image=/nowhere/b"],
      environment: [:]
    ).settings
    #expect(settings.unfitImages().map(\.key) == ["pause.image", "slate.camera_image"])
    var asked: [String] = []
    let unfit = settings.unfitImages { key in
      asked.append(key)
      return key == "pause.image"
    }
    #expect(unfit.map(\.key) == ["pause.image"])
    #expect(asked == ["pause.image", "slate.camera_image"], "unset ones cost nothing")
  }
}
