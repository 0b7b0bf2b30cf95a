// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import Testing

@testable import Studio

/// Every choice of a setting is mapped to the value of the same name.
struct SettingsMappingTests {
  static func plan(_ overrides: String...) throws -> VideoPlan {
    VideoPlan(try Configuration.load(file: nil, overrides: overrides).settings)
  }

  static func look(_ override: String) throws -> VideoLook { try plan(override).adjustment.look }

  static func choices(_ key: String) -> [String] {
    Settings.declarations.first { $0.key == key }?.choices ?? []
  }

  @Test func everyChoiceIsMapped() throws {
    #expect(SettingsMappingTests.choices("video.fit").count == 3)
    for fit in SettingsMappingTests.choices("video.fit") {
      #expect(try SettingsMappingTests.look("video.fit=\(fit)").fit.rawValue == fit)
    }
    for rotate in [0, 90, 180, 270] {
      #expect(try SettingsMappingTests.look("video.rotate=\(rotate)").rotation.rawValue == rotate)
    }
    #expect(SettingsMappingTests.choices("video.speed").count == 7)
    for speed in SettingsMappingTests.choices("video.speed") {
      let expected = speed == "auto" ? nil : speed
      #expect(
        try SettingsMappingTests.plan("video.speed=\(speed)").format.speed?.rawValue == expected)
    }
    #expect(try SettingsMappingTests.plan("video.gop_seconds=1.5").gopNanos == 1_500_000_000)
    #expect(try SettingsMappingTests.look("video.mirror=true").mirror)
  }

  /// The camera captures a size that is the broadcast's after rotation.
  @Test(arguments: [(0, "1280x720"), (90, "720x1280"), (180, "1280x720"), (270, "720x1280")])
  func aCameraIsAskedForTheSizeBeforeRotation(rotate: Int, size: String) throws {
    let overrides = ["video.size=1280x720", "video.rotate=\(rotate)"]
    let video = try Configuration.load(file: nil, overrides: overrides).settings.video
    #expect(video.sizeBeforeRotation.description == size)
  }
}
