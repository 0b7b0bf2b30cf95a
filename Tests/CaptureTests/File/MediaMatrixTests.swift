// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// Files of all kinds that ffmpeg makes, as sources: none stands still where ffmpeg plays it, fails without a sentence, or
/// crashes. Twenty of two hundred, or as many as ONAIR_MEDIA_FILES says.
@Suite(.enabled(if: MadeFiles.hasFFmpeg)) struct MediaMatrixTests {
  private static var cases: [MediaCase] {
    let count =
      ProcessInfo.processInfo.environment["ONAIR_MEDIA_FILES"].flatMap { Int($0) } ?? 20
    let step = max(1, MediaCase.count / max(1, count))
    return stride(from: 0, to: MediaCase.count, by: step).map { MediaCase(number: $0) }
  }

  @Test(arguments: MediaMatrixTests.cases) func aFilePlaysOrIsTold(_ item: MediaCase) throws {
    let files = try MadeFiles()
    let path = try item.make(files)
    let played = Played(path, seconds: 3.2, channels: 1 + item.number % 2, isWatched: false)
    for reports in [played.videoReports.all, played.audioReports.all] {
      #expect(!reports.isEmpty)
      for report in reports {
        #expect(report.sentence.hasSuffix(".") && report.sentence.count > 20)
      }
    }
    let (video, audio) = try item.isDamaged ? files.content(of: path) : item.content
    // What lacks its beginning may look like anything to ffmpeg.
    if item.isHeadless, played.videoReports.codes == ["not_media"] { return }
    let isShown = played.videoReports.codes == ["running"]
    let isHeard = played.audioReports.codes == ["running"]
    if video > 0 {
      #expect(isShown, "\(played.videoReports.codes)")
      // It moves, as far as there are frames.
      let pictures = Set(played.video.map(\.digest)).count + played.dropped
      #expect(pictures >= min(video, item.isDamaged ? 2 : Int(3 * item.rate * 0.6)), "\(pictures)")
    } else if !item.isDamaged {
      #expect(played.videoReports.codes == ["no_stream"])
    }
    if audio > 0 {
      #expect(isHeard, "\(played.audioReports.codes)")
      #expect(played.audio.contains { $0.samples.contains { abs($0) > 0.01 } })
    } else if !item.isDamaged {
      #expect(played.audioReports.codes == ["no_stream"])
    }
    // What runs never pauses.
    if isShown {
      for (a, b) in zip(played.video, played.video.dropFirst()) {
        #expect(b.capturedAt - a.capturedAt <= .milliseconds(101))
      }
      #expect(!played.video.isEmpty)
    }
    if isHeard, !item.isDamaged {
      for (a, b) in zip(played.audio, played.audio.dropFirst()) {
        let frames = a.samples.count / (1 + item.number % 2)
        #expect(b.startsAt - a.startsAt - PCM.nanos(frames: frames) <= .milliseconds(101))
      }
    }
  }
}

/// One file of the matrix: container and codecs × size × rotation × colour × rate × channels × defect.
struct MediaCase: CustomTestStringConvertible, Sendable {
  static let count = 200

  private struct Kind: Sendable {
    var name: String
    var video: [String]
    var audio: [String]
    /// Pixel formats, of which the first is the usual one.
    var pixels = ["yuv420p"]
    var maxChannels = 2
    var rates = [48_000]
  }

  private static let x264 = ["libx264", "-preset", "ultrafast"]
  private static let x265 = ["libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"]
  private static let vp8 = [
    "libvpx", "-auto-alt-ref", "0", "-deadline", "realtime", "-cpu-used", "8",
  ]
  private static let vp9 = ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]

  private static let kinds: [Kind] = [
    Kind(
      name: "mp4", video: x264, audio: ["aac"], pixels: ["yuv420p", "yuv422p10le", "yuvj420p"],
      maxChannels: 6, rates: [48_000, 44_100, 22_050]),
    Kind(
      name: "mp4", video: x265 + ["-tag:v", "hvc1"], audio: ["aac"],
      pixels: ["yuv420p10le", "yuv420p"], maxChannels: 8),
    Kind(name: "mp4", video: ["mpeg4"], audio: ["libmp3lame"], rates: [44_100]),
    Kind(
      name: "mov", video: ["prores"], audio: ["pcm_s16be"], pixels: ["yuv422p10le"],
      maxChannels: 10, rates: [48_000, 96_000]),
    Kind(
      name: "mov", video: ["mjpeg"], audio: ["pcm_s24le"], pixels: ["yuvj420p", "yuvj444p"],
      maxChannels: 18),
    Kind(name: "mov", video: ["qtrle"], audio: ["alac"], pixels: ["rgb24", "argb"]),
    Kind(
      name: "mkv", video: x264, audio: ["flac"], pixels: ["yuv444p", "yuv420p"], maxChannels: 8,
      rates: [48_000, 96_000]),
    Kind(
      name: "mkv", video: ["ffv1"], audio: ["pcm_f32le"],
      pixels: ["yuv420p", "gbrp", "yuva420p", "gray10le", "yuv420p16le"], maxChannels: 18,
      rates: [48_000, 8_000]),
    Kind(name: "mkv", video: ["mpeg2video"], audio: ["ac3"], maxChannels: 6),
    Kind(name: "mkv", video: ["libtheora"], audio: ["libvorbis"], rates: [44_100]),
    Kind(
      name: "webm", video: vp8, audio: ["libvorbis"], pixels: ["yuv420p", "yuva420p"],
      maxChannels: 6),
    Kind(name: "webm", video: vp9, audio: ["libopus"], pixels: ["yuv420p", "yuva420p", "yuv444p"]),
    Kind(name: "ts", video: x264, audio: ["aac"], maxChannels: 6),
    Kind(name: "ts", video: ["mpeg2video"], audio: ["mp2"], pixels: ["yuv420p", "yuv422p"]),
    Kind(
      name: "ts", video: x265, audio: ["ac3"], pixels: ["yuv420p", "yuv420p10le"], maxChannels: 6),
    Kind(name: "mpg", video: ["mpeg1video"], audio: ["mp2"], rates: [44_100]),
    Kind(name: "vob", video: ["mpeg2video"], audio: ["ac3"], maxChannels: 6),
    Kind(name: "flv", video: ["flv"], audio: ["libmp3lame"], rates: [44_100, 22_050]),
    Kind(name: "flv", video: x264, audio: ["aac"]),
    Kind(name: "avi", video: ["mpeg4", "-bf", "2"], audio: ["libmp3lame"]),
    Kind(
      name: "avi", video: ["mjpeg"], audio: ["pcm_u8"], pixels: ["yuvj422p"],
      rates: [8_000, 22_050]),
    Kind(
      name: "avi", video: ["rawvideo"], audio: ["adpcm_ima_wav"],
      pixels: ["yuv420p", "uyvy422"]),
    Kind(name: "ogv", video: ["libtheora"], audio: ["libopus"]),
    Kind(name: "wmv", video: ["wmv2"], audio: ["wmav2"], rates: [44_100]),
    Kind(
      name: "nut", video: ["huffyuv"], audio: ["pcm_s16le"], pixels: ["yuv422p", "rgb24"],
      maxChannels: 10),
    Kind(name: "mxf", video: ["mpeg2video"], audio: ["pcm_s16le"]),
    Kind(name: "gif", video: ["gif"], audio: [], pixels: ["pal8", "rgb8"]),
    Kind(
      name: "apng", video: ["apng", "-f", "apng", "-plays", "0"], audio: [],
      pixels: ["rgb24", "rgba", "gray"]),
    Kind(name: "y4m", video: ["wrapped_avframe"], audio: [], pixels: ["yuv420p", "yuv444p"]),
    Kind(
      name: "png", video: ["png"], audio: [],
      pixels: ["rgb24", "rgba", "gray", "rgb48be", "pal8", "ya8"]),
    Kind(name: "jpg", video: ["mjpeg"], audio: [], pixels: ["yuvj420p", "yuvj444p", "gray"]),
    Kind(name: "webp", video: ["libwebp"], audio: [], pixels: ["yuv420p", "yuva420p"]),
    Kind(name: "bmp", video: ["bmp"], audio: [], pixels: ["bgr24", "gray", "rgb555le"]),
    Kind(name: "tiff", video: ["tiff"], audio: [], pixels: ["rgb24", "rgba", "gray16le"]),
    Kind(name: "ppm", video: ["ppm"], audio: [], pixels: ["rgb24", "rgb48be"]),
    Kind(
      name: "wav", video: [], audio: ["pcm_s16le"], maxChannels: 32, rates: [48_000, 8_000, 96_000]),
    Kind(name: "mp3", video: [], audio: ["libmp3lame"], rates: [44_100, 22_050, 8_000]),
    Kind(name: "flac", video: [], audio: ["flac"], maxChannels: 8, rates: [96_000, 44_100]),
    Kind(name: "ogg", video: [], audio: ["libvorbis"], maxChannels: 6, rates: [44_100]),
    Kind(name: "opus", video: [], audio: ["libopus"]),
    Kind(name: "m4a", video: [], audio: ["aac"], maxChannels: 8),
    Kind(name: "aac", video: [], audio: ["aac"], rates: [44_100]),
    Kind(name: "ac3", video: [], audio: ["ac3"], maxChannels: 6),
    Kind(name: "aiff", video: [], audio: ["pcm_s16be"], maxChannels: 10),
    Kind(name: "caf", video: [], audio: ["pcm_s16le"], maxChannels: 18),
    Kind(name: "w64", video: [], audio: ["pcm_f32le"], maxChannels: 12),
    Kind(name: "wma", video: [], audio: ["wmav2"], rates: [44_100]),
  ]

  private static let sizes = ["160x120", "176x144", "128x72", "72x128", "320x32", "98x74", "16x16"]
  private static let frameRates = ["25", "30000/1001", "50", "24000/1001", "10", "60", "5"]
  private static let channels = [2, 1, 6, 8, 10, 18, 4, 32, 12]
  private static let colours: [[String]] = [
    [], ["bt709", "bt709", "bt709"], ["smpte170m", "smpte170m", "smpte170m"],
    ["bt2020", "arib-std-b67", "bt2020nc"], ["bt2020", "smpte2084", "bt2020nc"],
    ["smpte432", "bt709", "bt709"], ["bt470bg", "gamma28", "bt470bg"],
  ]
  private static let turns: [[Int32]] = [
    [1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0], [-1, 0, 0, 1], [0, 1, 1, 0],
  ]
  enum Defect: String, CaseIterable, Sendable {
    case none, cut, zeroed, flipped, joined, headless, junkBehind, tail
  }

  let number: Int

  /// A value of a list, by the number of the case and one for the list (SplitMix64).
  private func pick<T>(_ list: [T], _ salt: UInt64) -> T {
    var mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ salt &* 0xD1B5_4A32_D192_ED03
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return list[Int((mixed ^ (mixed >> 31)) % UInt64(list.count))]
  }

  private var kind: Kind { MediaCase.kinds[number % MediaCase.kinds.count] }
  private var isImage: Bool { ["png", "jpg", "webp", "bmp", "tiff", "ppm"].contains(kind.name) }
  private var size: String {
    // H.263 and its like, and MXF, have sizes of their own.
    kind.name == "flv" || kind.name == "mxf" ? "176x144" : pick(MediaCase.sizes, 1)
  }
  private var frameRate: String {
    ["mpg", "vob", "mxf"].contains(kind.name) || kind.video.first == "mpeg2video"
      ? "25" : pick(MediaCase.frameRates, 2)
  }
  private var pixels: String { pick(kind.pixels, 3) }
  private var colour: [String] { pick(MediaCase.colours, 4) }
  private var heard: Int {
    pick(MediaCase.channels.filter { $0 <= kind.maxChannels }, 5)
  }
  private var sampleRate: Int { pick(kind.rates, 6) }
  private var turn: [Int32] { pick(MediaCase.turns, 7) }
  /// The first round of kinds is whole.
  private var defect: Defect {
    number < MediaCase.kinds.count ? .none : pick(Defect.allCases, 8)
  }

  var isDamaged: Bool { defect != .none }
  var isHeadless: Bool { defect == .headless || defect == .tail }
  /// Frames a second.
  var rate: Double {
    let parts = frameRate.split(separator: "/").compactMap { Double($0) }
    return parts.count > 1 ? parts[0] / parts[1] : parts[0]
  }
  /// The pictures and the chunks of sound that are in the undamaged file, or about so many.
  var content: (video: Int, audio: Int) {
    (kind.video.isEmpty ? 0 : isImage ? 1 : Int(2 * rate * 0.6), kind.audio.isEmpty ? 0 : 1)
  }

  var testDescription: String {
    "\(number): \(kind.name) \((kind.video + kind.audio).first ?? "") \(size) \(pixels) \(frameRate) "
      + "\(colour.first ?? "-") \(heard) × \(sampleRate) \(turn) \(defect)"
  }

  func make(_ files: borrowing MadeFiles) throws -> String {
    var arguments: [String] = []
    if !kind.video.isEmpty {
      // Flat noise in a moving picture, so that no two frames are alike.
      arguments += [
        "-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(frameRate):d=2,hue=b='mod(n,9)-4'",
      ]
    }
    if !kind.audio.isEmpty {
      let gains = Array(repeating: "0.3*sin(2*PI*440*t)", count: heard).joined(separator: "|")
      arguments += ["-f", "lavfi", "-i", "aevalsrc=\(gains):s=\(sampleRate):d=2"]
    }
    if !kind.video.isEmpty {
      arguments += ["-c:v"] + kind.video + ["-pix_fmt", pixels, "-g", "12"]
      if isImage { arguments += ["-frames:v", "1"] }
      if colour.count == 3, !pixels.contains("rgb"), !pixels.contains("gray") {
        arguments += [
          "-color_primaries", colour[0], "-color_trc", colour[1], "-colorspace", colour[2],
        ]
      }
    }
    if !kind.audio.isEmpty { arguments += ["-c:a"] + kind.audio + ["-strict", "-2"] }
    let path = try files.encode("made-\(number).\(kind.name)", arguments)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    if ["mp4", "mov"].contains(kind.name) { files.turn(&bytes, turn) }
    let count = bytes.count
    switch defect {
    case .none: break
    case .cut: bytes.removeLast(count / 3)
    case .zeroed:
      for place in (count / 2)..<(count / 2 + count / 20) { bytes[place] = 0 }
    case .flipped:
      for place in stride(from: count / 3, to: count, by: 997) { bytes[place] ^= 0x41 }
    case .joined: bytes += bytes
    case .headless: bytes.removeFirst(min(count / 4, 100))
    case .junkBehind: bytes += (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31) }
    case .tail: bytes.removeFirst(count / 2)
    }
    return try files.write("case-\(number).\(kind.name)", bytes)
  }
}

extension MadeFiles {
  /// Writes a display matrix into the first track of an MP4 file (ISO 14496-12, 8.3.2) that has none.
  func turn(_ bytes: inout [UInt8], _ turn: [Int32]) {
    func matrix(_ turn: [Int32]) -> [UInt8] {
      let numbers: [Int32] = [
        turn[0] << 16, turn[1] << 16, 0, turn[2] << 16, turn[3] << 16, 0, 0, 0, 1 << 30,
      ]
      return numbers.flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
    }
    guard let header = bytes.firstRange(of: Array("tkhd".utf8))?.upperBound,
      let place = bytes[header...].firstRange(of: matrix([1, 0, 0, 1]))
    else { return }
    bytes.replaceSubrange(place, with: matrix(turn))
  }

  /// How many different pictures and chunks of sound ffmpeg decodes.
  func content(of path: String) throws -> (video: Int, audio: Int) {
    func count(_ arguments: [String]) throws -> Int {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(fileURLWithPath: MadeFiles.ffmpeg)
      process.arguments =
        ["-v", "quiet", "-nostdin", "-i", path] + arguments + ["-f", "framemd5", "-"]
      process.standardOutput = pipe
      try process.run()
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let hashes = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      return Set(hashes.compactMap { $0.split(separator: ",").last }).count
    }
    return (
      try count(["-an", "-vf", "format=gray,scale=16:16", "-fps_mode", "passthrough"]),
      try count(["-vn", "-ac", "1", "-c:a", "pcm_s16le"])
    )
  }
}
