// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Posix
import TestSupport
import Testing

@testable import Mux
@testable import Recording

/// A power cut at any moment leaves a file that plays.
struct PowerCutTests {
  /// All that is written to a file of four seconds, in order.
  private func steps() -> [FakeDisk.Step] {
    let bench = RecorderBench(disk: FakeDisk(keepsSteps: true))
    bench.play(Film.frames(0..<120) + Film.sounds(0..<187))
    bench.stop()
    return bench.disk.steps.withLock { $0 }
  }

  /// Applies steps to an empty file.
  private func file(_ steps: some Sequence<FakeDisk.Step>) -> [UInt8] {
    var bytes: [UInt8] = []
    for step in steps {
      switch step.call {
      case .write:
        let missing = step.offset + step.bytes.count - bytes.count
        if missing > 0 { bytes += repeatElement(0, count: missing) }
        bytes.replaceSubrange(step.offset..<step.offset + step.bytes.count, with: step.bytes)
      case .truncate: bytes.removeLast(max(0, bytes.count - step.offset))
      default: break
      }
    }
    return bytes
  }

  /// Cut off in each write: all fragments before it are there.
  @Test func inEachWrite() throws {
    let steps = steps()
    let frames = Film.frames(0..<120).map(\.bytes)
    var (tried, most) = (0, 0)
    for (number, step) in steps.enumerated() where step.call == .write {
      for part in [0, 1, step.bytes.count / 2, step.bytes.count - 1, step.bytes.count] {
        var last = step
        last.bytes = Array(step.bytes.prefix(part))
        let bytes = file(steps[..<number] + [last])
        let fragments = steps[..<number].count { $0.call == .write } - 1
        let movie = try mended(bytes)
        tried += 1
        guard fragments > 0 || part == step.bytes.count && number > 1 else { continue }
        let read = try #require(movie, "step \(number), \(part) bytes").tracks[0].samples.map(
          \.bytes)
        #expect(read == Array(frames[..<read.count]))
        #expect(read.count >= most, "step \(number), \(part) bytes")
        most = max(most, read.count)
      }
    }
    #expect(tried > 20 && most == 120)
  }

  /// Zeros in the place of the last blocks, as a file system leaves them that has grown the file first.
  @Test func zerosAtTheEnd() throws {
    let bytes = file(steps().dropLast(6))
    let whole = try #require(try mended(bytes)).tracks[0].samples.count
    for count in stride(from: 1, to: bytes.count / 2, by: 611) {
      let torn = bytes.dropLast(count) + repeatElement(0, count: count)
      let movie = try mended(Array(torn))
      let read = movie?.tracks[0].samples.map(\.bytes) ?? []
      #expect(read == Film.frames(0..<120).map(\.bytes).prefix(read.count).map(\.self))
      #expect(read.count <= whole)
    }
  }
}

/// Files with which somebody wants to do harm: nothing crashes, and little is read.
struct HostileMovieTests {
  private func movie() -> [UInt8] {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<90) + Film.sounds(0..<140))
    bench.settle()
    let name = bench.disk.names[0]
    let unfinished = bench.disk.bytes(name)
    bench.stop()
    return unfinished
  }

  /// Examines a file in each way.
  private func examine(_ bytes: [UInt8]) throws {
    let most = Limit(bytes.count)
    let read = { (offset: Int, count: Int) in
      most.note(count)
      return reader(bytes)(offset, count)
    }
    if case .unfinished(let movie) = MovieScan.verdict(size: bytes.count, read) {
      #expect(movie.size <= bytes.count)
      #expect(movie.ending().count < bytes.count + 10_000)
    }
    _ = MovieSummary(size: bytes.count, read)
    _ = MovieKeyframe(after: 10, size: bytes.count, read)
    #expect(most.greatest <= max(70_000, bytes.count))
  }

  private final class Limit: @unchecked Sendable {
    private(set) var greatest = 0
    init(_: Int) {}
    func note(_ count: Int) { greatest = max(greatest, count) }
  }

  @Test func truncated() throws {
    let bytes = movie()
    for count in stride(from: 0, to: bytes.count, by: 37) { try examine(Array(bytes[..<count])) }
  }

  @Test func wrongNumbers() throws {
    let bytes = movie()
    var random = SplitMix64(seed: 38)
    for _ in 0..<often(5_000) {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let end = Bool.random(using: &random) ? 2_000 : bytes.count
        let at = Int.random(in: 0..<end, using: &random)
        let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
        damaged[at] = values.randomElement(using: &random) ?? 0
      }
      try examine(damaged)
    }
  }

  /// A file of sound alone.
  private func sound(configBytes: Int = 2) -> [UInt8] {
    let header = AudioHeader(
      audioSpecificConfig: [UInt8](repeating: 0x11, count: configBytes), sampleRate: 48_000,
      channels: 2, bitrateKbps: 96)
    var movie = MovieWriter([.audio(header, name: "")], origin: Film.start)
    for packet in Film.sounds(0..<2) {
      _ = packet.with { movie.add($0, to: 0, avcConfiguration: []) }
    }
    let head = movie.head
    return head + movie.fragment()
  }

  /// Overwrites bytes in the content of the first box of a type.
  private func patch(
    _ bytes: inout [UInt8], _ type: String, at offset: Int, _ new: [UInt8]
  ) throws {
    let box = bytes.indices.first { bytes[$0...].starts(with: type.utf8) }
    let place = try #require(box) + 4 + offset
    bytes.replaceSubrange(place..<place + new.count, with: new)
  }

  private func isMended(_ bytes: [UInt8]) -> Bool {
    guard case .unfinished(let movie) = MovieScan.verdict(size: bytes.count, reader(bytes))
    else { return false }
    return !movie.ending().isEmpty
  }

  /// A configuration of 235 bytes: with its descriptors more than one byte can tell.
  @Test func aLongAudioConfiguration() throws {
    #expect(isMended(sound()) && !isMended(sound(configBytes: 65)))
    var bytes = sound(configBytes: 232)
    try patch(&bytes, "esds", at: 25, [235])
    #expect(!isMended(bytes))
  }

  /// With one unit a second, the time of the sample needs more than 64 bits in units of the movie.
  @Test func oddTimescales() throws {
    var bytes = sound()
    try patch(&bytes, "mdhd", at: 20, [0, 0, 0, 1])
    try patch(&bytes, "elst", at: 16, [UInt8](repeating: 0, count: 8))
    try patch(&bytes, "tfdt", at: 4, [0, 2, 0, 0, 0, 0, 0, 0])
    #expect(!isMended(bytes))
    var video = movie()
    #expect(isMended(video))
    try patch(&video, "mdhd", at: 20, [0, 0, 0, 1])
    #expect(!isMended(video))
  }

  /// A film in which each keyframe has parameter sets of its own, and is a fragment.
  private func film(fragments: UInt8) -> [UInt8] {
    var movie = MovieWriter([.video(Film.video())], origin: Film.start)
    var bytes = movie.head
    for number in 1...fragments {
      let sets = Film.video(number).avcConfiguration
      for frame in Film.frames(Int(number)..<Int(number) + 1, sets: number) {
        _ = frame.with { movie.add($0, to: 0, avcConfiguration: sets) }
      }
      bytes += movie.fragment()
    }
    return bytes
  }

  /// Too much to be mended is left as it is.
  @Test func manyParameterSets() throws {
    #expect(try mended(film(fragments: 64))?.tracks[0].samples.count == 64)
    let folder = RecordingFolder(stateDirectory(), stateDirectory: stateDirectory())
    let path = "\(folder.directory)/many.mp4"
    let bytes = film(fragments: 65)
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try folder.mend().isEmpty)
    #expect(try folder.list().count == 1)
    #expect(try File.read(path, limit: 1 << 20).bytes == bytes)
  }

  @Test func manyFragments() throws {
    let bytes = film(fragments: 5)
    let read = reader(bytes)
    for (most, isTooLarge) in [(4, true), (5, false)] {
      let found = MovieWalk(size: bytes.count, read)
      var walk = try #require(found)
      walk.mostFragments = most
      while walk.step(read) != nil {}
      #expect(walk.isTooLarge == isTooLarge && walk.fragments.count == most)
    }
  }

  @Test func zerosAndNoise() throws {
    try examine([])
    try examine([UInt8](repeating: 0, count: 10_000))
    try examine(MovieBoxes.fileType)
    try examine(MovieBoxes.fileType + MovieBoxes.mediaHeader(end: .max / 2))
    try examine(MovieBoxes.fileType + MovieBoxes.free + [0xFF, 0xFF, 0xFF, 0xFF] + "moov".utf8)
  }
}
