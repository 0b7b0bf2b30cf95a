// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Audio
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

  /// All that the settings allow has a place in the mixer: the main track, the music, further tracks and guests.
  @Test func everyTrackOfTheSettingsHasAPlace() throws {
    #expect(throws: (any Error).self) {
      try Configuration.load(file: nil, overrides: ["guests.most=9"])
    }
    #expect(2 + TrackSettings.list.maxEntries + 8 < Mixer.maxTracks)
  }

  /// What is cut off from a guest is not seen when he takes the camera's place either.
  @Test func aGuestInTheCamerasPlaceIsCropped() throws {
    let guest = ["guest.ann.url=rtmp://192.0.2.1/live/ann", "guest.ann.crop=10 0 0 20"]
    for (source, crop) in [
      ("guest:ann", Crop(left: 0.1, top: 0, right: 0, bottom: 0.2)), ("pattern", .none),
    ] {
      let settings = try Configuration.load(
        file: nil, overrides: guest + ["video.source=\(source)"]
      ).settings
      #expect(VideoPipeline.Adjustment(settings).look.crop == crop)
    }
  }

  /// The camera captures a size that is the broadcast's after rotation.
  @Test(arguments: [(0, "1280x720"), (90, "720x1280"), (180, "1280x720"), (270, "720x1280")])
  func aCameraIsAskedForTheSizeBeforeRotation(rotate: Int, size: String) throws {
    let overrides = ["video.size=1280x720", "video.rotate=\(rotate)"]
    let video = try Configuration.load(file: nil, overrides: overrides).settings.video
    #expect(video.sizeBeforeRotation.description == size)
  }
}
