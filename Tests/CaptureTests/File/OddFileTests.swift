// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Testing

@testable import Capture

/// Files that people have: clips of telephones and cameras, recordings of mixing desks.
@Suite(.enabled(if: MadeFiles.hasFFmpeg)) struct OddFileTests {
  /// The mean of Y in the upper, lower, left and right quarter.
  private func quarters(_ frame: Seen) -> [Int] { frame.edges.map { Int($0) } }

  /// What EXIF's eight orientations do, as FFmpeg's filters and as a display matrix.
  private static let turns: [(stored: String, matrix: [Int32])] = [
    ("null", [1, 0, 0, 1]), ("hflip", [-1, 0, 0, 1]), ("hflip,vflip", [-1, 0, 0, -1]),
    ("vflip", [1, 0, 0, -1]), ("transpose=cclock_flip", [0, 1, 1, 0]),
    ("transpose=cclock", [0, 1, -1, 0]), ("transpose=clock_flip", [0, -1, -1, 0]),
    ("transpose=clock", [0, -1, 1, 0]),
  ]

  /// Light quarters above and on the left when shown upright, and the one where they meet is white.
  private func stored(_ turn: String) -> [String] {
    [
      "-f", "lavfi", "-i",
      "color=black:s=160x120:r=25:d=0.4,geq=lum='16+73*(lt(X\\,80)+2*lt(Y\\,60))':cb=128:cr=128,"
        + turn,
      "-pix_fmt", "yuvj420p",
    ]
  }

  private func expectUpright(_ played: Played, _ number: Int) {
    #expect(played.video.count >= 4)
    for frame in played.video {
      #expect(frame.format.size == PictureSize(width: 160, height: 120))
      // Upper edge right of the middle, lower, left and right edge below the middle.
      // Of limited or of full range.
      let isSame = [[162, 16, 89, 16], [170, 0, 86, 0]].contains { wanted in
        zip(frame.edges, wanted).allSatisfy { abs(Int($0) - $1) < 8 }
      }
      #expect(isSame, "\(number): \(frame.edges)")
    }
  }

  @Test(arguments: 1...8) func telephonesAreUpright(number: Int) throws {
    let files = try MadeFiles()
    let turn = OddFileTests.turns[number - 1]
    let path = try files.encode("a.mp4", stored(turn.stored) + ["-c:v", "mpeg4", "-q:v", "2"])
    // The matrix of the track header (ISO 14496-12, 8.3.2).
    func bytes(_ matrix: [Int32]) -> [UInt8] {
      let rows = [
        matrix[0] << 16, matrix[1] << 16, 0, matrix[2] << 16, matrix[3] << 16, 0, 0, 0, 1 << 30,
      ]
      return rows.flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * Int32($0))) }
      }
    }
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let header = try #require(file.firstRange(of: Array("tkhd".utf8))).upperBound
    let matrix = try #require(file[header...].firstRange(of: bytes([1, 0, 0, 1])))
    file.replaceSubrange(matrix, with: bytes(turn.matrix))
    expectUpright(Played(try files.write("b.mp4", file), seconds: 0.6), number)
  }

  @Test(arguments: 1...8) func imagesAreUpright(number: Int) throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "a.jpg", stored(OddFileTests.turns[number - 1].stored) + ["-frames:v", "1", "-q:v", "2"])
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let exif: [UInt8] =
      Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, UInt8(number), 0]
      + [0, 0, 0, 0, 0, 0]
    file.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
    expectUpright(Played(try files.write("b.jpg", file), seconds: 0.6), number)
  }

  @Test(arguments: [3, 6, 9, 10, 12, 18, 32], [1, 2])
  func anyNumberOfChannelsIsHeard(channels: Int, output: Int) throws {
    let files = try MadeFiles()
    let rate = 48_000
    // A tone in the first two channels of a file whose channels have no positions.
    let path = try files.wav(rate: rate, channels: channels, frames: rate / 2) {
      Int16(10_000 * sin(Double($0) * 2 * .pi * 440 / Double(rate)))
    } gain: {
      $0 < 2 ? 1 : 0
    }
    let played = Played(path, seconds: 0.4, channels: output)
    let loudest = played.audio.flatMap(\.samples).map(abs).max() ?? 0
    if channels > 8 { #expect(abs(loudest - 10_000 / 32_768) < 0.02) }
    #expect(loudest > 0.05)
    #expect(played.audioReports.codes == ["running"])
  }

  @Test(
    arguments: [
      ("arib-std-b67", "bt2020", "bt2020nc", 138),
      ("smpte2084", "bt2020", "bt2020nc", 174),
      ("bt2020-10", "bt2020", "bt2020nc", 126), ("bt709", "smpte432", "bt709", 126),
    ])
  func highDynamicRangeBecomesStandard(
    transfer: String, primaries: String, matrix: String, wanted: Int
  ) throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "clip.mkv",
      [
        "-f", "lavfi", "-i",
        "color=black:s=64x48:r=25:d=0.4,format=yuv420p10le,geq=lum=504:cb=512:cr=512",
        "-c:v", "ffv1", "-color_primaries", primaries, "-color_trc", transfer, "-colorspace",
        matrix,
        "-color_range", "tv",
      ])
    let played = Played(path, seconds: 0.4)
    #expect(played.video.count >= 10)
    for frame in played.video {
      #expect(frame.format.colour == .bt709)
      #expect(abs(Int(frame.y) - wanted) <= 3, "\(frame.y)")
      #expect(abs(Int(frame.cb) - 128) <= 1 && abs(Int(frame.cr) - 128) <= 1)
    }
  }

  /// Red, green and blue of BT.709 in wider gamuts are what they are there.
  @Test(
    arguments: [
      ("bt2020", [387, 371, 769], [63, 102, 240]), ("bt2020", [778, 252, 361], [173, 42, 26]),
      ("bt2020", [528, 644, 577], [130, 166, 154]), ("smpte432", [325, 406, 859], [63, 102, 240]),
      ("smpte432", [771, 237, 284], [173, 42, 26]),
      ("smpte432", [518, 654, 596], [130, 166, 154]),
    ])
  func wideGamutsKeepColours(primaries: String, codes: [Int], wanted: [Int]) throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "clip.mkv",
      [
        "-f", "lavfi", "-i",
        "color=red:s=64x48:r=25:d=0.2,format=yuv420p10le,geq=lum=\(codes[0]):cb=\(codes[1]):cr=\(codes[2])",
        "-c:v", "ffv1", "-color_primaries", primaries, "-color_trc", "bt709", "-colorspace",
        primaries == "bt2020" ? "bt2020nc" : "bt709", "-color_range", "tv",
      ])
    let played = Played(path, seconds: 0.2)
    let frame = try #require(played.video.first)
    for (value, wanted) in zip([frame.y, frame.cb, frame.cr], wanted) {
      #expect(abs(Int(value) - wanted) <= 3, "\(value), not \(wanted)")
    }
  }

  @Test(
    arguments: [
      ("mpeg2video", "yuv420p"), ("mpeg2video", "yuv422p"), ("libx264", "yuv420p"),
      ("libx264", "yuv422p10le"), ("libx264", "yuv444p"), ("prores", "yuv422p10le"),
      ("dvvideo", "yuv411p"), ("dvvideo", "yuv420p"),
    ], ["tff", "bff"])
  func interlacedFilesHaveNoCombs(codec: (name: String, pixels: String), order: String) throws {
    let files = try MadeFiles()
    // Each field has a grey of its own.
    let size =
      codec.name != "dvvideo" ? "64x64" : codec.pixels == "yuv411p" ? "720x480" : "720x576"
    let rate = codec.pixels == "yuv411p" ? "60000/1001" : "50"
    let path = try files.encode(
      "clip.mov",
      [
        "-f", "lavfi", "-i",
        "color=black:s=\(size):r=\(rate):d=0.4,geq=lum='if(mod(N\\,2)\\,200\\,50)':cb=128:cr=128",
        "-vf", "interlace=lowpass=off:scan=\(order),format=\(codec.pixels)", "-c:v", codec.name,
        "-flags",
        "+ildct+ilme", "-top", order == "tff" ? "1" : "0", "-q:v", "1",
      ] + (codec.name == "libx264" ? ["-crf", "1"] : []))
    let played = Played(path, seconds: 0.4)
    #expect(played.video.count >= 10)
    for frame in played.video {
      // Only the earlier one is shown.
      #expect(frame.column.allSatisfy { abs(Int($0) - 50) <= 10 }, "\(frame.column)")
    }
  }

  @Test(
    arguments: [
      ("clear.png", "rgba"), ("clear.mov", "argb"), ("clear.gif", ""), ("clear.webm", "yuva420p"),
      ("clear.webp", "yuva420p"), ("grey.png", "ya8"),
    ])
  func transparentPartsAreBlack(name: String, pixels: String) throws {
    let files = try MadeFiles()
    let codec =
      [
        "clear.mov": ["-c:v", "qtrle"], "clear.webm": ["-c:v", "libvpx-vp9", "-auto-alt-ref", "0"],
        "clear.webp": ["-c:v", "libwebp"],
      ][name] ?? []
    let source =
      "color=red:s=64x48:r=10:d=0.3,format=rgba,geq=r=255:g=0:b=0:a='if(lt(Y\\,24)\\,255\\,0)'"
    let path = try files.encode(
      name,
      name == "clear.gif"
        ? ["-f", "lavfi", "-i", source, "-lavfi", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]
        : ["-f", "lavfi", "-i", source, "-pix_fmt", pixels] + codec
          + (name.hasSuffix(".png") || name.hasSuffix(".webp") ? ["-frames:v", "1"] : []))
    let played = Played(path, seconds: 0.4)
    #expect(played.video.count >= 4)
    for frame in played.video {
      let edges = quarters(frame)
      #expect(edges[0] > 50 && edges[1] <= 18, "\(edges)")
    }
  }

  /// Neither text nor what names other files is opened, whatever it is called.
  @Test func textAndListsOfFilesAreRefused() throws {
    let files = try MadeFiles()
    let text = Array(repeating: "user:secret 0123456789\u{e9}\r\n", count: 200).joined().utf8
    _ = try files.encode(
      "1.png", ["-f", "lavfi", "-i", "color=red:s=16x16:d=0.04", "-frames:v", "1"])
    let listed = "ffconcat version 1.0\nfile 1.png\n"
    let hls = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n1.png\n#EXT-X-ENDLIST\n"
    func expectRefusal(_ content: some Sequence<UInt8>, _ names: String...) throws {
      for name in names {
        let path = try files.write(name, Array(content))
        #expect(Played(path, seconds: 0.5).videoReports.codes == ["not_media"], "\(name)")
      }
    }
    try expectRefusal(
      text, "a.txt", "a.nfo", "a.asc", "a.ans", "a.diz", "a.ice", "a.mp4", "a", "a.srt")
    try expectRefusal(listed.utf8, "l.txt", "l.png", "l.ffconcat")
    try expectRefusal(hls.utf8, "h.m3u8", "h.mp4")
    try expectRefusal(
      "v=0\nm=video 5000 RTP/AVP 96\na=rtpmap:96 H264/90000\n".utf8, "d.sdp")
    // A name that stands for a sequence is that of one file.
    for name in [
      "%d.png", "100%.png", "a*.png", "a?.png", "photo.jpg", "photo.jpeg", "no-extension",
      "Ä ü.png",
    ] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: files.folder + "/1.png"))
      let path = try files.write(name, [UInt8](bytes))
      let played = Played(path, seconds: 0.5)
      #expect(played.videoReports.codes == ["running"], "\(name)")
      #expect(played.video.allSatisfy { $0.y > 60 })
    }
  }
}

/// Greys without colour.
@Suite struct GreyFileTests {
  /// 64 of 255, in one byte and in two.
  @Test(arguments: [255, 4_095, 65_535]) func depthDoesNotChangeAGrey(most: Int) throws {
    let files = try MadeFiles()
    let value = (64 * most + 127) / 255
    let sample = most > 255 ? [UInt8(value >> 8), UInt8(value & 255)] : [UInt8(value)]
    let path = try files.write(
      "a.pgm", Array("P5\n16 16\n\(most)\n".utf8) + (0..<256).flatMap { _ in sample })
    let frame = try #require(Played(path, seconds: 0.2).video.first)
    #expect(frame.format.colour.fullRange)
    #expect(abs(Int(frame.y) - 64) <= 1 && frame.cb == 128 && frame.cr == 128)
  }

  @Test(
    .enabled(if: MadeFiles.hasFFmpeg), arguments: ["gray", "gray10le", "gray16le"],
    [("tv", false), ("pc", true)])
  func aStatedRangeCounts(pixels: String, range: (name: String, isFull: Bool)) throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "a.mkv",
      [
        "-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=0.2", "-pix_fmt", pixels, "-c:v", "ffv1",
        "-color_range", range.name,
      ])
    let frame = try #require(Played(path, seconds: 0.2).video.first)
    #expect(frame.format.colour.fullRange == range.isFull)
  }
}

/// A file that is replaced while it plays.
@Suite struct ReplacedFileTests {
  @Test func theNewFileIsOpenedAndAMissingOneTold() throws {
    let files = try MadeFiles()
    let size = PictureSize(width: 64, height: 48)
    let path = try files.y4m("clip.y4m", size: size, frames: 10)
    let other = try files.y4m("other.y4m", size: PictureSize(width: 32, height: 48), frames: 10)
    let time = SourceClock()
    let frames = FrameQueue()
    let reports = Reports()
    let source = FileVideo(
      path: path, starts: FileStarts(time.now), frames: frames, clock: time.clock,
      report: reports.listener)
    source.start()
    func play(_ seconds: Int64) -> [Seen] {
      time.frames(of: frames, until: time.now + .seconds(seconds))
    }
    _ = play(2)
    try FileManager.default.removeItem(atPath: path)
    // What is open plays on.
    #expect(play(4).allSatisfy { $0.format.size == size })
    #expect(reports.codes == ["running", "gone"])
    // What is not media does not take its place.
    _ = try files.write("clip.y4m", Array("nothing".utf8))
    #expect(play(4).count > 50)
    #expect(reports.codes == ["running", "gone", "not_media"])
    #expect(reports.all.map(\.state) == [.running, .outdated, .outdated])
    #expect(reports.all.last?.sentence.hasSuffix("The earlier file plays on.") == true)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    let seen = play(5)
    source.stop(by: .now() + .seconds(30))
    #expect(seen.last?.format.size.width == 32)
    #expect(reports.codes.last == "running")
    #expect(reports.all.last?.sentence.contains("32x48") == true)
  }

  /// FFmpeg opens it, but cannot convert its pixels.
  @Test(.enabled(if: MadeFiles.hasFFmpeg)) func oneThatCannotBeShownIsTold() throws {
    let files = try MadeFiles()
    let path = try files.y4m("clip.y4m", size: PictureSize(width: 64, height: 48), frames: 10)
    let raw = try files.write("raw", [UInt8](repeating: 0, count: 10 * 64 * 48 * 3 / 2))
    let other = try files.encode(
      "other.nut",
      ["-f", "rawvideo", "-pix_fmt", "uyyvyy411", "-s", "64x48", "-i", raw, "-c", "copy"])
    let time = SourceClock()
    let frames = FrameQueue()
    let reports = Reports()
    let source = FileVideo(
      path: path, starts: FileStarts(time.now), frames: frames, clock: time.clock,
      report: reports.listener)
    source.start()
    _ = time.frames(of: frames, until: time.now + .seconds(2))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    _ = time.frames(of: frames, until: time.now + .seconds(6))
    source.stop(by: .now() + .seconds(30))
    #expect(reports.codes == ["running", "unfit_picture"])
  }

  @Test func aStillIsReplaced() throws {
    let files = try MadeFiles()
    let size = PictureSize(width: 64, height: 48)
    let path = try files.ppm(size: size, rgb: [0, 0, 0])
    let time = SourceClock()
    let frames = FrameQueue()
    let source = FileVideo(
      path: path, starts: FileStarts(time.now), frames: frames, clock: time.clock, report: { _ in })
    source.start()
    #expect(time.frames(of: frames, until: time.now + .seconds(2)).allSatisfy { $0.y < 20 })
    try FileManager.default.removeItem(atPath: path)
    _ = try files.ppm(size: size, rgb: [255, 255, 255])
    let seen = time.frames(of: frames, until: time.now + .seconds(4))
    source.stop(by: .now() + .seconds(30))
    #expect(seen.first?.y ?? 255 < 20 && seen.last?.y ?? 0 > 200)
    // The picture stood still, but never for longer than usual.
    #expect(
      zip(seen, seen.dropFirst()).allSatisfy { $1.capturedAt - $0.capturedAt <= .milliseconds(101) }
    )
  }
}
