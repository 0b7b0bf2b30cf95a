// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Mux

/// The bytes of each box that `MovieWriter` writes (ISO/IEC 14496-12 and -15).
struct MovieTests {
  private static let start = MediaTime(nanos: .seconds(1_000))
  private static let sets: [UInt8] = [1, 0x42, 0xC0, 0x0D, 0xFF, 0xE0, 0]
  private static let video = VideoHeader(
    avcConfiguration: sets, size: PictureSize(width: 320, height: 180), framesPerSecond: 25,
    bitrateKbps: 2_000)
  private static let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 96)

  private static func add(
    _ bytes: [UInt8], _ kind: PacketKind, at nanos: Int64, delay: Int64 = 0,
    sets: [UInt8] = sets, to movie: inout MovieWriter
  ) -> Bool {
    unsafe bytes.withUnsafeBytes { buffer in
      movie.add(
        unsafe Packet(
          kind: kind, time: start + nanos, presentationDelay: delay, bytes: buffer),
        to: kind == .audio ? 1 : 0, avcConfiguration: sets)
    }
  }

  /// A movie with two fragments: two frames and two audio packets, then a frame with other parameter sets.
  private static func movie() -> (MovieWriter, [[UInt8]]) {
    var movie = MovieWriter(
      [.video(video), .audio(audio, name: "Desk")], origin: start, seconds: 1)
    _ = add([1, 2, 3], .keyframe, at: 0, to: &movie)
    _ = add([4, 5], .frame, at: 40_000_000, to: &movie)
    _ = add([6], .audio, at: -10_000_000, to: &movie)
    _ = add([7, 8], .audio, at: 11_333_333, to: &movie)
    var fragments = [movie.fragment()]
    _ = add([9], .keyframe, at: 120_000_000, sets: sets + [1], to: &movie)
    fragments.append(movie.fragment())
    return (movie, fragments)
  }

  /// The content of a box on a path.
  private func content(_ path: String..., in bytes: [UInt8]) throws -> [UInt8] {
    var found = bytes
    for type in path {
      let range = try #require(MP4Box.contents(of: type, in: found), "\(type)")
      found = Array(found[range])
    }
    return found
  }

  private func numbers(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count / 4 * 4, by: 4).map { at in
      bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  @Test func theBeginning() throws {
    let (movie, _) = Self.movie()
    let head = movie.head
    #expect(
      Array(head[..<48])
        == [0, 0, 0, 32] + "ftypisomOnAiisomiso6avc1mp41".utf8 + [0, 0, 0, 16] + "free".utf8
        + [UInt8](repeating: 0, count: 8))
    #expect(MovieWriter.mediaHeaderOffset == 32)
    let moov = try content("moov", in: head)
    // Time scale and duration: fragments follow.
    #expect(numbers(try content("mvhd", in: moov))[5...7] == [90_000, 0, 0])
    #expect(numbers(try content("mvex", "trex", in: moov)) == [0, 1, 1, 3_600, 0, 0])
    let trak = try content("trak", in: moov)
    #expect(
      numbers(try content("tkhd", in: trak))
        == [0x100_0003, 0, 2_082_844_801, 0, 2_082_844_801, 1, 0, 0, 0, 0, 0, 0, 0]
        + [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000, 320 << 16, 180 << 16])
    let stbl = try content("mdia", "minf", "stbl", in: trak)
    let avc1 = try content("avc1", in: Array(try content("stsd", in: stbl)[8...]))
    #expect(avc1[24..<28].elementsEqual([1, 64, 0, 180]))
    #expect(avc1[78...].elementsEqual([0, 0, 0, 15] + "avcC".utf8 + Self.sets))
    for type in ["stts", "stsc", "stco"] {
      #expect(try content(type, in: stbl) == [UInt8](repeating: 0, count: 8))
    }
    // The second track hides the packet from before the beginning.
    let second = try content("trak", in: Array(moov[try end(of: "trak", in: moov)...]))
    #expect(
      numbers(try content("edts", "elst", in: second)) == [0x100_0000, 1, 0, 0, 0, 1_024, 0x1_0000])
    #expect(
      try content("mdia", "hdlr", in: second).suffix(5).elementsEqual([UInt8]("Desk".utf8) + [0]))
    let mp4a = try content(
      "mp4a", in: Array(try content("mdia", "minf", "stbl", "stsd", in: second)[8...]))
    #expect(mp4a[16..<28].elementsEqual([0, 2, 0, 16, 0, 0, 0, 0, 0xBB, 0x80, 0, 0]))
    #expect(
      try content("esds", in: Array(mp4a[28...]))
        == [0, 0, 0, 0, 3, 25, 0, 0, 0, 4, 17, 0x40, 0x15, 0, 0, 0, 0, 1, 0x77, 0, 0, 1, 0x77, 0]
        + [5, 2, 0x11, 0x90, 6, 1, 2])
  }

  /// The end of the first box of a type.
  private func end(of type: String, in bytes: [UInt8]) throws -> Int {
    try #require(MP4Box.contents(of: type, in: bytes)).upperBound
  }

  @Test func aFragment() throws {
    let (_, fragments) = Self.movie()
    let moof = try content("moof", in: fragments[0])
    #expect(numbers(try content("mfhd", in: moof)) == [0, 1])
    let video = try content("traf", in: moof)
    #expect(numbers(try content("tfhd", in: video)) == [0x2_0000, 1])
    #expect(numbers(try content("tfdt", in: video)) == [0x100_0000, 0, 0])
    let place = UInt32(fragments[0].count - 8)
    #expect(
      numbers(try content("trun", in: video))
        == [0x701, 2, place, 3_600, 3, 0x200_0000, 3_600, 2, 0x101_0000])
    let audio = try content("traf", in: Array(moof[try end(of: "traf", in: moof)...]))
    // 10 ms before the beginning: 1,024 - 480 samples.
    #expect(numbers(try content("tfdt", in: audio)) == [0x100_0000, 0, 544])
    #expect(numbers(try content("trun", in: audio)) == [0x301, 2, place + 5, 1_024, 1, 1_024, 2])
    #expect(try content("mdat", in: fragments[0]) == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func theEnd() throws {
    let (movie, fragments) = Self.movie()
    #expect(movie.size == movie.head.count + fragments[0].count + fragments[1].count)
    #expect(
      movie.mediaHeader()
        == [0, 0, 0, 1] + "mdat".utf8 + [0, 0, 0, 0, 0, 0]
        + [UInt8((movie.size - 32) >> 8), UInt8(truncatingIfNeeded: movie.size - 32)])
    let ending = movie.ending()
    #expect(ending.count <= movie.endingSize)
    let moov = try content("moov", in: ending)
    // The last frame lasts as long as the one before it: 80 ms.
    #expect(numbers(try content("mvhd", in: moov))[5...7] == [90_000, 0, 18_000])
    let trak = try content("trak", in: moov)
    let stbl = try content("mdia", "minf", "stbl", in: trak)
    #expect(numbers(try content("stts", in: stbl)) == [0, 2, 1, 3_600, 2, 7_200])
    #expect(numbers(try content("stsz", in: stbl)) == [0, 0, 3, 3, 2, 1])
    #expect(numbers(try content("stss", in: stbl)) == [0, 2, 1, 3])
    // Another sample description from the second chunk on.
    #expect(numbers(try content("stsc", in: stbl)) == [0, 2, 1, 2, 1, 2, 1, 2])
    #expect(numbers(try content("stsd", in: stbl))[1] == 2)
    let first = UInt32(movie.head.count + fragments[0].count - 8)
    #expect(numbers(try content("stco", in: stbl)) == [0, 2, first, UInt32(movie.size - 1)])
    // The first packet is hidden, and the second begins where it belongs.
    let second = try content("trak", in: Array(moov[try end(of: "trak", in: moov)...]))
    #expect(
      numbers(try content("edts", "elst", in: second))
        == [0x100_0000, 2, 0, 1_020, .max, .max, 0x1_0000, 0, 1_920, 0, 1_024, 0x1_0000])
    let table = try content("mdia", "minf", "stbl", in: second)
    #expect(
      try content("sgpd", in: table)
        == [1, 0, 0, 0] + "roll".utf8 + [0, 0, 0, 2, 0, 0, 0, 1, 0xFF, 0xFF])
    #expect(
      try content("sbgp", in: table) == [0, 0, 0, 0] + "roll".utf8 + [
        0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1,
      ])
  }

  /// Frames that are shown later than they are decoded.
  @Test func delays() throws {
    var movie = MovieWriter([.video(Self.video)], origin: Self.start)
    for (number, delay) in [40, 120, 0, 0].enumerated() {
      let isAdded = Self.add(
        [1], number == 0 ? .keyframe : .frame, at: Int64(number) * 40_000_000,
        delay: .milliseconds(Int64(delay)), to: &movie)
      #expect(isAdded)
    }
    // Not later than the one before.
    #expect(!Self.add([1], .frame, at: 120_000_000, to: &movie))
    let trun = try content("moof", "traf", "trun", in: movie.fragment())
    #expect(numbers(trun)[0] == 0xF01 && numbers(trun)[6] == 3_600 && numbers(trun)[10] == 10_800)
    let stbl = try content("moov", "trak", "mdia", "minf", "stbl", in: movie.ending())
    #expect(numbers(try content("ctts", in: stbl)) == [0, 3, 1, 3_600, 1, 10_800, 2, 0])
  }

  /// About 5 bytes a frame and 3 an audio packet.
  @Test func theIndexIsSmall() {
    var (video, audio) = (TrackIndex(), TrackIndex())
    for fragment in 0..<100 {
      video.add(
        (0..<30).map { frame in
          let number = fragment * 30 + frame
          return MovieSample(
            size: frame == 0 ? 60_000 : 5_000 + number % 900,
            time: Int64(number * 3_000 + number * 7 % 60), isSync: frame == 0)
        }, at: fragment * 200_000, description: 0)
      audio.add(
        (0..<47).map { packet in
          MovieSample(
            size: 256, time: Int64((fragment * 47 + packet) * 1_024), isSync: true)
        }, at: fragment * 200_000 + 150_000, description: 0)
    }
    #expect(video.sampleBytes <= 5 * video.count && audio.sampleBytes <= 3 * audio.count + 8)
    let whole = video
    video.add([MovieSample(size: 1, time: .max / 4, isSync: true)], at: .max / 2, description: 1)
    video.removeChunks(from: .max / 2)
    #expect(video.count == whole.count && video.lastTime == whole.lastTime)
    #expect(video.lastDelta == whole.lastDelta && video.chunks == whole.chunks)
  }
}
