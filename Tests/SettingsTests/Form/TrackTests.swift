// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// `[[track]]`, and the channel strips of all tracks.
@Suite struct TrackTests {
  @Test func aTrackHasAChannelStrip() throws {
    let toml = """
      [[track]]
      name = "guest"
      source = "microphone:hw:2,0"
      pan = -50
      """
    let track = try #require(load(toml, set: ["track.guest.volume=30"]).settings.tracks.first)
    #expect(track.name == "guest" && track.source == .microphone(pcm: "hw:2,0") && track.enabled)
    #expect(track.strip.volume == 30 && track.strip.pan == -50 && !track.strip.isMuted)
    #expect(track.strip.highPassHz == 0 && track.strip.denoiseDB == 0 && !track.strip.compressor)
    #expect(try load(toml, set: ["track.guest.removed=true"]).settings.tracks.isEmpty)
  }

  /// A scene gives other defaults; what is written counts.
  @Test func aSceneGivesDefaults() throws {
    func strip(_ values: String...) throws -> ChannelStrip {
      try load("", set: values.map { "audio.\($0)" }).settings.audio.strip
    }
    #expect(try strip() == strip("scene=off"))
    let speech = try strip("scene=speech")
    #expect(speech.highPassHz == 80 && speech.denoiseDB == 15 && speech.humFilter)
    #expect(speech.compressor && speech.deEsser && speech.autoLevel && !speech.gate)
    let music = try strip("scene=music")
    #expect(music.highPassHz == 30 && music.denoiseDB == 0 && !music.compressor)
    let own = try strip("scene=speech", "denoise=0", "auto_level=false")
    #expect(own.denoiseDB == 0 && !own.autoLevel && own.compressor)
  }

  /// The names and numbers of the profiles are a contract.
  @Test func aProfileGivesDefaults() throws {
    func audio(_ values: String...) throws -> AudioSettings {
      try load("", set: values.map { "audio.\($0)" }).settings.audio
    }
    #expect(try audio() == audio("profile=stereo_super"))
    let expected = [
      ("low", 1, 8_000, 12), ("basic", 1, 16_000, 24), ("high", 1, 48_000, 48),
      ("stereo_high", 2, 48_000, 64), ("super", 1, 48_000, 96), ("stereo_super", 2, 48_000, 128),
    ]
    #expect(AudioProfile.allCases.map(\.rawValue) == expected.map(\.0))
    for (name, channels, rate, kbps) in expected {
      let audio = try audio("profile=\(name)")
      #expect(audio.channels == channels && audio.bitrateKbps == kbps)
      #expect(audio.profile.sampleRate == rate)
    }
    let own = try audio("profile=low", "bitrate_kbps=20", "channels=2")
    #expect(own.bitrateKbps == 20 && own.channels == 2)
  }

  @Test func aTargetIsALoudnessOrNone() throws {
    func target(_ value: String) throws -> Int? {
      try load("", set: ["audio.target_lufs=\(value)"]).settings.audio.targetLUFS
    }
    #expect(try load("").settings.audio.targetLUFS == nil)
    #expect(try target("0") == nil)
    #expect(try target("-16") == -16)
    for value in ["-31", "-9", "1", "-16.5"] {
      #expect(throws: ConfigurationError.self) { try target(value) }
    }
  }

  @Test(arguments: ["main", "music"])
  func theNamesOfOtherTracksAreTaken(_ name: String) {
    #expect(complaints("[[track]]\nname = \"\(name)\"\nsource = \"tone\"\n").count == 1)
  }

  @Test func thereAreThreeTracksAtMost() throws {
    func toml(_ count: Int) -> String {
      (0..<count).map { "[[track]]\nname = \"t\($0)\"\nsource = \"tone\"\n" }.joined()
    }
    #expect(try load(toml(3)).settings.tracks.count == 3)
    #expect(complaints(toml(4)).count == 1)
  }
}
