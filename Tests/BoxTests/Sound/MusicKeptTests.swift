// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Settings
import TestSupport
import Testing

@testable import Box
@testable import Events
@testable import Studio

/// Music while `music.source` changes.
@Suite struct MusicKeptTests {
  /// A minute of silence at 8 kHz.
  private static let sound: [UInt8] = {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let size = 60 * 8_000 * 2
    return Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8) + number(16, 4)
      + number(1, 2) + number(1, 2) + number(8_000, 4) + number(16_000, 4) + number(2, 2)
      + number(16, 2) + Array("data".utf8) + number(size, 4) + Array(repeating: 0, count: size)
  }()

  /// Who keeps the piece that plays for the next broadcasts does not hear it from the beginning; who chooses another
  /// one hears that. Both are named as people write them.
  @Test func aPieceThatIsKeptGoesOn() throws {
    let box = try LiveStation(port: 1, "publish.autostart=never")
    defer { box.end() }
    let folder = "\(box.directory)/media"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["song.wav", "other.wav"] {
      try Data(MusicKeptTests.sound).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    func keep(_ source: String, volume: Int) throws {
      _ = try box.desk.change(
        SettingsPatch(["music.source": .text(source), "music.volume": .integer(volume)]),
        by: "by test")
      #expect(box.run { box.station.music.volume == volume })
    }
    let user = box.station.studio.enter([.audio])
    let started = box.station.startMusic(
      "file:media/song.wav", loops: nil, volume: nil, isRemote: true, by: "by test")
    #expect(started.changed)
    #expect(box.run { box.station.music.positionSeconds ?? 0 >= 1 })
    try keep("file:media/song.wav", volume: 30)
    #expect(box.station.music.positionSeconds ?? 0 >= 1)
    #expect(box.station.music.source == "file:media/song.wav")

    try keep("file:media/other.wav", volume: 31)
    #expect(box.station.music.source == "file:media/other.wav")
    #expect(box.run { box.count(.musicStarted) > 1 })
    try keep("shuffle:media", volume: 32)
    #expect(box.station.music.source == "shuffle:media")
    #expect(box.run { box.count(.musicStarted) > 2 })
    let sentences = box.events.filter { $0.code == .musicStarted }.map(\.sentence)
    let names = ["file:media/song.wav", "file:media/other.wav", "shuffle:media"]
    #expect(sentences == names.map { "The music plays: \($0)." })
    try keep("", volume: 33)
    #expect(box.station.music.state == "stopped")
    user.leave()
  }
}
