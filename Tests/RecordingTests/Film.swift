// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization

@testable import Mux

/// Packets and headers that look like those of the encoders.
enum Film {
  static let start = MediaTime(nanos: .seconds(1_000_000))
  static let frameNanos: Int64 = 33_333_333
  static let size = PictureSize(width: 320, height: 180)

  /// The header of an encoder: `number` is in its parameter sets.
  static func video(_ number: UInt8 = 1, size: PictureSize = size) -> VideoHeader {
    VideoHeader(
      avcConfiguration: NALUnits.avcConfiguration(ofKeyframe: sets(number)) ?? [], size: size,
      framesPerSecond: 30, bitrateKbps: 1_000)
  }

  static let audio = AudioHeader(
    audioSpecificConfig: [0x11, 0x90], sampleRate: 48_000, channels: 2, bitrateKbps: 96)

  private static func sets(_ number: UInt8) -> [UInt8] {
    [0, 0, 0, 6, 0x67, 0x42, 0xC0, 0x0D, 0xD9, number, 0, 0, 0, 4, 0x68, 0xCB, 0x83, number]
  }

  /// A packet with its bytes.
  struct Sample: Equatable, Sendable {
    var kind: PacketKind
    var time: MediaTime
    var scene: UInt32 = 0
    var bytes: [UInt8]

    func with<Result>(_ body: (Packet) -> Result) -> Result {
      unsafe bytes.withUnsafeBytes { bytes in
        body(unsafe Packet(kind: kind, time: time, scene: scene, bytes: bytes))
      }
    }
  }

  /// Frames with a keyframe every `keyEvery`, each with its number in it.
  static func frames(
    _ range: Range<Int>, keyEvery: Int = 60, sets number: UInt8 = 1, scene: UInt32 = 0,
    payload: Int = 24
  ) -> [Sample] {
    range.map { frame in
      let isKey = (frame - range.lowerBound) % keyEvery == 0
      var unit: [UInt8] = [isKey ? 0x65 : 0x41]
      unit += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: frame >> $0) | 0x80 }
      unit += [UInt8](repeating: 0x55, count: payload + frame % 7)
      let bytes =
        (isKey ? sets(number) : [])
        + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: unit.count >> $0) } + unit
      return Sample(
        kind: isKey ? .keyframe : .frame, time: start + Int64(frame) * frameNanos, scene: scene,
        bytes: bytes)
    }
  }

  /// Audio packets, each with its number in it. Their times are those of the sound, not of its arrival.
  static func sounds(_ range: Range<Int>, scene: UInt32 = 0) -> [Sample] {
    range.map { number in
      Sample(
        kind: .audio, time: start + PCM.nanos(frames: number * 1_024), scene: scene,
        bytes: [0x21] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } + [7])
    }
  }
}

/// A finished movie as its index tells it.
struct ReadMovie {
  struct Track {
    var isVideo = false
    var timescale = 0
    var descriptions = 0
    /// Bytes, time in nanoseconds on the movie's timeline, duration in nanoseconds, the sample description from 1.
    var samples: [(bytes: [UInt8], nanos: Int64, duration: Int64, description: Int)] = []
    /// The places of sync samples, from 1.
    var syncs: [Int] = []
    /// The samples that are shown.
    var shown: [[UInt8]] { samples.filter { $0.nanos >= 0 }.map(\.bytes) }
  }

  var seconds = 0.0
  var tracks: [Track] = []

  /// - Returns: `nil` if the file is not finished or its index does not fit.
  init?(_ bytes: [UInt8]) {
    guard case .finished = MovieScan.verdict(size: bytes.count, reader(bytes)),
      let summary = MovieSummary(size: bytes.count, reader(bytes)),
      let length = summary.seconds
    else { return nil }
    seconds = length
    var media = BoxReader(Array(bytes[40..<48]))
    var end = BoxReader(Array(bytes[(32 + (media.take64() ?? 0))...]))
    guard let moov = end.box(), moov.type == "moov" else { return nil }
    var rest = moov.content
    while let box = rest.box() {
      guard box.type == "trak" else { continue }
      guard let track = ReadMovie.track(box.content, bytes) else { return nil }
      tracks.append(track)
    }
  }

  private static func track(_ trak: BoxReader, _ bytes: [UInt8]) -> Track? {
    var track = Track()
    guard var mdhd = trak.box(at: "mdia", "mdhd"), var hdlr = trak.box(at: "mdia", "hdlr"),
      let stbl = trak.box(at: "mdia", "minf", "stbl"), var stsd = stbl.box(at: "stsd"),
      var stts = stbl.box(at: "stts"), var stsz = stbl.box(at: "stsz"),
      var stsc = stbl.box(at: "stsc"),
      var places = stbl.box(at: "stco") ?? stbl.box(at: "co64")
    else { return nil }
    _ = (mdhd.skip(20), hdlr.skip(8), stsd.skip(4), stts.skip(4), stsz.skip(8), stsc.skip(4))
    track.timescale = mdhd.take32() ?? 0
    track.isVideo = hdlr.take(4) == Array("vide".utf8)
    track.descriptions = stsd.take32() ?? 0
    var shift: Int64 = 0
    if var elst = trak.box(at: "edts", "elst") {
      _ = elst.skip(4)
      for _ in 0..<(elst.take32() ?? 0) {
        guard let duration = elst.take64(), let high = elst.take32(), let low = elst.take32(),
          elst.skip(4) != nil
        else { return nil }
        if high == 0xFFFF_FFFF {
          shift += Int64(duration) * 1_000_000_000 / 90_000
        } else {
          shift -= Int64(high << 32 | low) * 1_000_000_000 / Int64(track.timescale)
        }
      }
    }
    let isLong = stbl.box(at: "stco") == nil
    _ = places.skip(4)
    let chunks = (0..<(places.take32() ?? 0)).map { _ in
      (isLong ? places.take64() : places.take32()) ?? 0
    }
    var runs: [(first: Int, samples: Int, description: Int)] = []
    for _ in 0..<(stsc.take32() ?? 0) {
      runs.append((stsc.take32() ?? 0, stsc.take32() ?? 0, stsc.take32() ?? 0))
    }
    var durations: [Int] = []
    for _ in 0..<(stts.take32() ?? 0) {
      let (count, duration) = (stts.take32() ?? 0, stts.take32() ?? 0)
      durations += repeatElement(duration, count: count)
    }
    guard stsz.take32() == durations.count else { return nil }
    var (sample, time, run) = (0, Int64(0), 0)
    for (number, place) in chunks.enumerated() {
      while run + 1 < runs.count, runs[run + 1].first <= number + 1 { run += 1 }
      var at = place
      for _ in 0..<runs[run].samples {
        guard let size = stsz.take32(), at + size <= bytes.count, sample < durations.count
        else { return nil }
        let scale = Int64(track.timescale)
        track.samples.append(
          (
            Array(bytes[at..<at + size]), time * 1_000_000_000 / scale + shift,
            Int64(durations[sample]) * 1_000_000_000 / scale, runs[run].description
          ))
        time += Int64(durations[sample])
        (at, sample) = (at + size, sample + 1)
      }
    }
    guard sample == durations.count else { return nil }
    if var stss = stbl.box(at: "stss") {
      _ = stss.skip(4)
      for _ in 0..<(stss.take32() ?? 0) { track.syncs.append(stss.take32() ?? 0) }
    }
    return track
  }
}

/// Reads from bytes as from a file.
func reader(_ bytes: [UInt8]) -> (Int, Int) -> [UInt8] {
  { offset, count in
    offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
  }
}

/// Finishes a file as `RecordingFolder.mend` does.
func mended(_ bytes: [UInt8]) throws -> ReadMovie? {
  switch MovieScan.verdict(size: bytes.count, reader(bytes)) {
  case .nothing, .tooLarge: return nil
  case .finished: return ReadMovie(bytes)
  case .unfinished(let movie):
    let size = movie.size
    var whole = Array(bytes[..<size]) + movie.ending()
    whole.replaceSubrange(32..<48, with: movie.mediaHeader())
    return ReadMovie(whole)
  }
}
