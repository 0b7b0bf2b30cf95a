// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// Music from files, folders and lists, on a virtual clock.
@Suite struct MusicFileTests {
  @Test func aFileIsPlayedOnceAndCompletes() throws {
    let files = try MadeFiles()
    let path = try files.write("a.wav", TestSound.file(seconds: 2))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: path))
    bench.run(seconds: 1)
    let status = bench.player.status
    #expect(status.state == .playing && status.piece == "a.wav")
    #expect(status.duration == .seconds(2))
    #expect((status.position ?? 0) > .milliseconds(500))
    bench.run(seconds: 3)
    #expect(
      bench.reports == [.started(name: "it", title: nil, isBack: false), .completed(name: "it")])
    #expect(abs(bench.soundSeconds - 2) < 0.1, "\(bench.soundSeconds)")
    #expect(bench.breaks == 0 && bench.player.status.state == .stopped)
    #expect(!bench.player.needsTrack)
  }

  @Test func aFileThatLoopsHasNoGap() throws {
    let files = try MadeFiles()
    let path = try files.write("a.wav", TestSound.file(seconds: 1))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: path), loops: true)
    bench.run(seconds: 6)
    let levels = bench.levels.drop { $0 < 0.4 }
    #expect(levels.count > 200 && levels.allSatisfy { $0 > 0.3 })
    bench.player.set(loops: false)
    bench.run(seconds: 20) { bench.player.status.state == .stopped }
    #expect(bench.reports.last == .completed(name: "it"))
  }

  /// Pause only while playing, resume only while paused.
  @Test func commandsAreRefusedWhereTheyDoNotFit() throws {
    let files = try MadeFiles()
    let path = try files.write("a.wav", TestSound.file(seconds: 30))
    let bench = MusicBench()
    bench.open()
    #expect(throws: MusicCommandError.self) { try bench.player.pause() }
    #expect(throws: MusicCommandError.self) { try bench.player.resume() }
    #expect(!bench.player.stop())
    bench.play(.file(path: path))
    #expect(throws: MusicCommandError.self) { try bench.player.resume() }
    bench.run(seconds: 1)
    let place = try #require(bench.player.status.position)
    try bench.player.pause()
    #expect(throws: MusicCommandError.self) { try bench.player.pause() }
    bench.run(seconds: 5)
    #expect(bench.player.status.state == .paused)
    let paused = try #require(bench.player.status.position)
    #expect(paused - place < .milliseconds(200))
    #expect(bench.levels.suffix(200).allSatisfy { $0 == 0 })
    try bench.player.resume()
    bench.run(seconds: 1)
    #expect(bench.player.status.state == .playing)
    let resumed = try #require(bench.player.status.position)
    #expect(abs(resumed - paused - .seconds(1)) < .milliseconds(100))
    #expect(bench.player.stop())
    bench.run(seconds: 0.5)
    #expect(bench.levels.last == 0 && bench.breaks == 0)
  }

  /// The largest step from sample to sample is that of the tone itself: nothing clicks.
  @Test func startPauseResumeReplaceAndStopDoNotClick() throws {
    let files = try MadeFiles()
    let one = try files.write("a.wav", TestSound.file(seconds: 60))
    let two = try files.write("b.wav", TestSound.file(seconds: 60, amplitude: 0.4))
    let bench = MusicBench()
    bench.open()
    var dice = SplitMix64(seed: 4)
    for round in 0..<often(300) {
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: bench.play(.file(path: round % 2 == 0 ? one : two))
      case 1: try? bench.player.pause()
      case 2: try? bench.player.resume()
      default: bench.player.stop()
      }
      bench.run(seconds: Double.random(in: 0.02...0.4, using: &dice))
    }
    let step = zip(bench.heard, bench.heard.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
    // 0.5 × 2π × 250 / 48,000 = 0.016; two tones in a cross-fade add up to 1.4 of that.
    #expect(step < 0.03, "\(step)")
    #expect(bench.breaks == 0)
  }

  @Test func anotherStartReplacesWithoutAStop() throws {
    let files = try MadeFiles()
    let one = try files.write("a.wav", TestSound.file(seconds: 30, amplitude: 0.5))
    let two = try files.write("b.wav", TestSound.file(seconds: 30, amplitude: 0.25))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: one), name: "one")
    bench.run(seconds: 2)
    bench.play(.file(path: two), name: "two")
    bench.run(seconds: 2)
    #expect(bench.player.status.source == "two")
    let levels = Array(bench.levels.drop { $0 < 0.4 })
    #expect(levels.allSatisfy { $0 > 0.2 }, "\(levels)")
    #expect(levels.last.map { $0 < 0.3 } ?? false)
    // The fade lasts 50 ms.
    #expect(levels.count { $0 > 0.26 && $0 < 0.49 } <= 4)
  }

  /// The player outlives the audio half: a file goes on where it was.
  @Test func aFileWaitsWhileNobodyNeedsSound() throws {
    let files = try MadeFiles()
    let path = try files.write("a.wav", TestSound.file(seconds: 30))
    let bench = MusicBench()
    bench.play(.file(path: path))
    bench.run(seconds: 1)
    #expect(bench.player.status.state == .waiting && bench.reports == [])
    bench.open()
    bench.run(seconds: 2)
    let place = try #require(bench.player.status.position)
    bench.close()
    bench.run(seconds: 60, step: .seconds(1))
    #expect(bench.player.status.state == .waiting)
    bench.open()
    bench.run(seconds: 0.5)
    let later = try #require(bench.player.status.position)
    #expect(later >= place && later - place < .seconds(1))
    #expect(bench.reports == [.started(name: "it", title: nil, isBack: false)])
  }

  @Test func aFolderIsPlayedInOrderAndABrokenFileIsLeftOut() throws {
    let files = try MadeFiles()
    for (name, bytes) in [
      ("10.wav", TestSound.file(seconds: 1)), ("2.wav", TestSound.file(seconds: 1)),
      ("3.mp3", Array("this is no music".utf8)), ("cover.jpg", [0xFF, 0xD8]), (".hidden.wav", [1]),
    ] {
      _ = try files.write(name, bytes)
    }
    try FileManager.default.createSymbolicLink(
      atPath: files.folder + "/1.wav", withDestinationPath: "/etc/hostname")
    let bench = MusicBench()
    bench.open()
    bench.play(.folder(path: files.folder, isShuffled: false))
    var pieces: [String] = []
    bench.run(seconds: 6) {
      if let piece = bench.player.status.piece, piece != pieces.last { pieces.append(piece) }
      return bench.player.status.state == .stopped && bench.reports.count > 1
    }
    #expect(pieces == ["2.wav", "10.wav"])
    #expect(bench.reports.last == .completed(name: "it"))
    let skipped = bench.reports.filter { if case .skipped = $0 { true } else { false } }
    #expect(skipped == [.skipped(.file(.notMedia(path: files.folder + "/3.mp3")))])
  }

  @Test func aFolderOfBrokenFilesEndsTheMusic() throws {
    let files = try MadeFiles()
    for name in ["1.mp3", "2.mp3", "3.mp3"] { _ = try files.write(name, Array("no music".utf8)) }
    let bench = MusicBench()
    bench.open()
    bench.play(.folder(path: files.folder, isShuffled: true), loops: true)
    bench.run(seconds: 10) { bench.player.status.state == .stopped }
    #expect(bench.player.status.state == .stopped && bench.reports.count == 4)
    guard case .failed(.allBroken)? = bench.reports.last else {
      return #expect(Bool(false), "\(bench.reports)")
    }
    let empty = freshDirectory()
    bench.play(.folder(path: empty, isShuffled: false))
    bench.run(seconds: 2)
    #expect(bench.reports.last == .failed(.emptyFolder(path: empty)))
    bench.play(.file(path: empty + "/none.mp3"))
    bench.run(seconds: 2)
    #expect(bench.reports.last == .failed(.file(.missing(path: empty + "/none.mp3"))))
    // A file of the media folder is named as people know it, a folder that was named in full as it was.
    let media = empty + "/media"
    try FileManager.default.createDirectory(atPath: media, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
      atPath: media + "/a.m3u", contents: Data("#EXTM3U\nno.mp3\n".utf8))
    for (source, name, trouble) in [
      (MusicSource.file(path: media + "/none.mp3"), "file:media/none.mp3", "media/none.mp3"),
      (.file(path: media + "/a.m3u"), "file:media/a.m3u", "media/no.mp3"),
      (.file(path: media + "/none.mp3"), "file:\(media)/none.mp3", media + "/none.mp3"),
    ] {
      bench.play(source, name: name)
      bench.run(seconds: 2)
      #expect(bench.reports.last == .failed(.file(.missing(path: trouble))))
    }
  }

  @Test func aListOfFilesIsPlayedAndCannotLeaveItsFolder() throws {
    let files = try MadeFiles()
    _ = try files.write("a.wav", TestSound.file(seconds: 1))
    let list = try files.write(
      "list.m3u",
      Array(
        "#EXTM3U\n#EXTINF:1,The Title\na.wav\n/etc/hostname\n../x.wav\nfile:///etc/passwd\n".utf8))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: list))
    bench.run(seconds: 8) { bench.reports.contains(.completed(name: "it")) }
    #expect(
      bench.reports == [
        .started(name: "it", title: "The Title", isBack: false),
        .skipped(.entryRefused(of: "/etc/hostname")), .skipped(.entryRefused(of: "../x.wav")),
        .skipped(.entryRefused(of: "file:///etc/passwd")), .completed(name: "it"),
      ] || Set(bench.reports.map { "\($0)" }).count == 5)
    let itself = try files.write("self.m3u", Array("self.m3u\n".utf8))
    bench.play(.file(path: itself))
    bench.run(seconds: 4) { bench.player.status.state == .stopped }
    #expect(bench.player.status.state == .stopped)
  }

  /// S9: jingles of a second with loudness tags of ±10 dB, and fades of 3 s: no gap, and no jump of the level.
  @Test(.enabled(if: MadeFiles.hasFFmpeg)) func jinglesWithTagsFadeWithoutAJump() throws {
    let files = try MadeFiles()
    for (index, gain) in [10.0, -10, 10, -10, 0].enumerated() {
      // Each file is as loud after its gain as the others.
      let volume = 0.2 / pow(10, gain / 20)
      _ = try files.encode(
        "\(index).flac",
        [
          "-f", "lavfi", "-i", "aevalsrc=\(volume)*sin(2*PI*\(440 + index * 37)*t):s=48000:d=1",
          "-metadata", "REPLAYGAIN_TRACK_GAIN=\(gain) dB",
        ])
    }
    let bench = MusicBench()
    bench.open()
    bench.play(.folder(path: files.folder, isShuffled: false), loops: true)
    bench.run(seconds: 12)
    let levels = Array(bench.levels.drop { $0 < 0.19 }.dropFirst(5))
    #expect(levels.count > 400)
    // The levels of half seconds: two tones of equal power.
    let powers = stride(from: 0, to: bench.heard.count - 24_000, by: 24_000).map { start in
      sqrt(bench.heard[start..<start + 24_000].reduce(0) { $0 + $1 * $1 } / 24_000)
    }.dropFirst(2)
    let steps = zip(powers, powers.dropFirst()).map { abs(20 * log10($1 / $0)) }
    #expect(steps.allSatisfy { $0 < 1 }, "\(steps)")
    #expect(powers.allSatisfy { $0 > 0.11 && $0 < 0.18 }, "\(powers)")
  }

  /// Damaged media files: each plays or is told; none ends the program, none spins.
  @Test(.enabled(if: MadeFiles.hasFFmpeg)) func damagedFilesAreNoTrouble() throws {
    let files = try MadeFiles()
    var good: [(String, [UInt8])] = []
    for (name, codec) in [
      ("a.mp3", "libmp3lame"), ("a.ogg", "libvorbis"), ("a.flac", "flac"), ("a.m4a", "aac"),
      ("a.opus", "libopus"), ("a.wav", "pcm_s16le"),
    ] {
      let path = try files.encode(name, ["-f", "lavfi", "-i", "sine=d=1", "-c:a", codec])
      good.append((name, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))))
    }
    let folder = try MadeFiles()
    var dice = SplitMix64(seed: 8)
    let count = often(200)
    for index in 0..<count {
      var (name, bytes) = good[index % good.count]
      for _ in 0..<Int.random(in: 1...40, using: &dice) {
        bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(
          in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &dice))
      }
      name = "\(index)-\(name)"
      _ = try folder.write(name, bytes)
    }
    let bench = MusicBench()
    bench.open()
    bench.play(.folder(path: folder.folder, isShuffled: false))
    bench.run(seconds: Double(count) * 12, step: .milliseconds(100)) {
      bench.player.status.state == .stopped
    }
    #expect(bench.player.status.state == .stopped)
    #expect(bench.reports.last == .completed(name: "it"), "\(bench.reports.suffix(3))")
  }
}
