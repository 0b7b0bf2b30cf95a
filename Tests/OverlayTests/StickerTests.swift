// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import TestSupport
import Testing
import Video

@testable import Overlay

/// Animated PNG files, and images with a config.json. One after another: some take much of the memory that all share.
@Suite(.serialized) struct StickerTests {
  private static func paint(_ path: String, width: Int = 8) throws -> StickerPlanes {
    try StickerPainter(path: path, report: { _ in }).paint(PainterTests.target(width))
  }

  private static func paint(_ bytes: [UInt8], width: Int = 8) throws -> StickerPlanes {
    try paint(PainterTests.write(bytes), width: width)
  }

  /// Luma and alpha in the upper left and lower right corner, at a time in milliseconds.
  private static func seen(_ planes: StickerPlanes, at time: Int64) -> [UInt8] {
    withExtendedLifetime(planes) {
      let picture = unsafe planes.picture(at: .milliseconds(time))
      let last =
        unsafe (picture.planes.size.height - 1) * picture.planes.yStride
        + picture.planes.size.width - 1
      return unsafe [
        picture.planes.y[0], picture.alpha?[0] ?? 255, picture.planes.y[last],
        picture.alpha?[last] ?? 255,
      ]
    }
  }

  private static let white: (UInt8, UInt8, UInt8, UInt8) = (255, 255, 255, 255)
  private static let grey: (UInt8, UInt8, UInt8, UInt8) = (100, 100, 100, 255)

  /// Frames have delays of their own; 0 stands for a hundredth of a second, and what is shorter than 20 ms is raised to that.
  @Test func framesFollowTheirDelays() throws {
    let file = APNGFile(frames: [
      .init(delay: (1, 10), pixel: Self.white), .init(delay: (0, 100), pixel: Self.grey),
      .init(delay: (1, 1_000), pixel: (0, 0, 0, 0)), .init(delay: (3, 0), pixel: Self.white),
    ])
    let images = try APNG(file.bytes)
    #expect(images.timing.starts == [0, 100, 120, 140].map { .milliseconds($0) })
    #expect(images.timing.length == .milliseconds(170))
    let planes = try Self.paint(file.bytes)
    for (time, luma, alpha) in [
      (0, 255, 255), (99, 255, 255), (100, 100, 255), (119, 100, 255), (120, 0, 0), (140, 255, 255),
      (169, 255, 255), (270, 100, 255), (1_700_120, 0, 0),
    ] as [(Int64, UInt8, UInt8)] {
      #expect(Self.seen(planes, at: time) == [luma, alpha, luma, alpha], "\(time)")
    }
  }

  /// What a frame leaves behind, and whether it is laid over that (PNG, third edition, 11.3.6.2).
  @Test(arguments: [true, false]) func framesAreDisposedOfAndBlended(begins: Bool) throws {
    var file = APNGFile(frames: [
      .init(disposal: 0, pixel: Self.grey),
      // A corner that is cleared afterwards.
      .init(x: 4, y: 4, width: 4, height: 4, disposal: 1, pixel: Self.white),
      // Nothing over all: what is there stays.
      .init(isBlended: true, pixel: (0, 0, 0, 0)),
      // Nothing instead of all, and afterwards as before.
      .init(disposal: 2, isBlended: false, pixel: (0, 0, 0, 0)),
      .init(x: 0, y: 0, width: 4, height: 4, isBlended: true, pixel: (255, 255, 255, 128)),
    ])
    file.beginsWithImage = begins
    let planes = try Self.paint(file.bytes)
    #expect(Self.seen(planes, at: 0) == [100, 255, 100, 255])
    #expect(Self.seen(planes, at: 100) == [100, 255, 255, 255])
    #expect(Self.seen(planes, at: 200) == [100, 255, 0, 0])
    #expect(Self.seen(planes, at: 300) == [0, 0, 0, 0])
    // 128 + 100 * 127 / 255
    #expect(Self.seen(planes, at: 400) == [178, 255, 0, 0])
  }

  /// Made by ffmpeg from a test picture of many colours, decoded by it and by OnAir.
  @Test func ffmpegSeesTheSame() throws {
    let folder = stateDirectory()
    func ffmpeg(_ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
      process.arguments = ["-v", "error", "-y", "-nostdin"] + arguments
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    try ffmpeg(
      "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1.2,format=rgba,rotate=t:c=none",
      "-plays", "0", "-f", "apng", "\(folder)/a.png")
    try ffmpeg("-i", "\(folder)/a.png", "-f", "rawvideo", "-pix_fmt", "bgra", "\(folder)/a.raw")
    let wanted = Array(try Data(contentsOf: URL(filePath: "\(folder)/a.raw")))
    let images = try APNG(Array(try Data(contentsOf: URL(filePath: "\(folder)/a.png"))))
    #expect(images.imageCount == 12 && wanted.count == 12 * 64 * 48 * 4)
    var worst = 0
    try unsafe images.decode(nil, longest: 64) { index, size, pixels in
      for pixel in 0..<64 * 48 {
        let start = index * 64 * 48 * 4 + pixel * 4
        let alpha = Int(wanted[start + 3])
        for channel in 0..<3 {
          let straight = (Int(wanted[start + channel]) * alpha + 127) / 255
          worst = unsafe max(worst, abs(straight - Int(pixels[pixel * 4 + channel])))
        }
        worst = unsafe max(worst, abs(alpha - Int(pixels[pixel * 4 + 3])))
      }
    }
    #expect(worst <= 1)
  }

  @Test(arguments: ["", "heart/", "a/b/"]) func aZipIsPlayed(folder: String) throws {
    let planes = try Self.paint(ZipFile.sticker([10, 120, 250], folder: folder).bytes)
    let levels = [0, 99, 100, 250, 299, 300].map { Self.seen(planes, at: $0)[0] }
    #expect(levels == [10, 10, 120, 250, 250, 10])
  }

  /// Names may be written out; the frames need not be in order, and may share an image.
  @Test func namesMayBeWrittenOut() throws {
    let config = #"""
      {"du": 0.4, "frameArry": [{"time": 0.3, "pic": "n1"}, {"time": 0, "pic": "n1.png"},
        {"time": 0.1, "pic": "n2.png"}]}
      """#
    let zip = ZipFile.sticker([10, 120, 250], config: config).bytes
    let planes = try Self.paint(zip)
    #expect([0, 150, 350].map { Self.seen(planes, at: $0)[0] } == [120, 250, 120])
    #expect(try StickerPainter.open(PainterTests.write(zip)).imageCount == 2)
  }

  @Test func aFolderIsPlayedAndItsKeyFrameIsOnStills() throws {
    let folder = "\(stateDirectory())/heart"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for entry in ZipFile.sticker([10, 120, 250]).entries {
      try Data(entry.bytes).write(to: URL(filePath: "\(folder)/\(entry.name)"))
    }
    #expect(Self.seen(try Self.paint(folder), at: 200)[0] == 250)
    let painter = StickerPainter(path: folder, report: { _ in })
    let still = try painter.paintStill(PainterTests.target(8))
    #expect(withExtendedLifetime(still) { unsafe still.picture.planes.y[0] } == 120)
    // A link in it may lead anywhere.
    try FileManager.default.removeItem(atPath: "\(folder)/n1.png")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/n1.png", withDestinationPath: "/etc/hostname")
    #expect(throws: StickerError.self) { _ = try Self.paint(folder) }
  }

  static func zip(_ change: (inout [ZipFile.Entry]) -> Void) -> [UInt8] {
    var zip = ZipFile.sticker([1, 2])
    change(&zip.entries)
    return zip.bytes
  }

  static let bad: [(String, [UInt8], StickerError)] = [
    ("up", zip { $0.append(.init(name: "../x", bytes: [])) }, .entry("../x", .leadsOut)),
    ("root", zip { $0.append(.init(name: "/etc/x", bytes: [])) }, .entry("/etc/x", .leadsOut)),
    ("backslash", zip { $0.append(.init(name: "..\\x", bytes: [])) }, .entry("..\\x", .leadsOut)),
    (
      "link", zip { $0.append(.init(name: "x", bytes: [47], mode: 0o120777)) }, .entry("x", .link)
    ),
    ("device", zip { $0.append(.init(name: "x", bytes: [], mode: 0o020666)) }, .entry("x", .link)),
    ("twice", zip { $0.append($0[1]) }, .entry("n0.png", .duplicate)),
    ("short", zip { $0[1].bytes.removeLast(60) }, .image("n0.png", .broken)),
    ("gone", zip { $0.removeLast() }, .image("n1.png", .missing)),
    ("no image", zip { $0[1].bytes = [1, 2, 3] }, .image("n0.png", .notAnImage)),
    ("no config", zip { $0.removeFirst() }, .noConfig),
    ("no json", zip { $0[0].bytes = Array("{".utf8) }, .config("frameArry")),
    ("du", zip { $0[0].bytes = Array(#"{"du":-1}"#.utf8) }, .config("du")),
    ("du is a word", zip { $0[0].bytes = Array(#"{"du":"x"}"#.utf8) }, .config("du")),
    ("frames", zip { $0[0].bytes = Array(#"{"du":1}"#.utf8) }, .config("frameArry")),
    (
      "pic", zip { $0[0].bytes = Array(#"{"du":1,"frameArry":[{"time":0,"pic":"../a"}]}"#.utf8) },
      .config("pic")
    ),
    (
      "time", zip { $0[0].bytes = Array(#"{"du":1,"frameArry":[{"time":-1,"pic":0}]}"#.utf8) },
      .config("time")
    ),
    (
      "key frame",
      zip {
        $0[0].bytes = Array(
          #"{"du":1,"n":"n","kerneframe":7,"frameArry":[{"time":0,"pic":0}]}"#.utf8)
      }, .config("kerneframe")
    ),
    (
      "frames",
      zip {
        let frame = #"{"time":0,"pic":0}"#
        let frames = Array(repeating: frame, count: 1_001).joined(separator: ",")
        $0[0].bytes = Array(#"{"du":1,"frameArry":[\#(frames)]}"#.utf8)
      }, .tooManyFrames(1_001)
    ),
    ("text", Array("no sticker".utf8), .notASticker), ("nothing", [], .notASticker),
    ("zip", Array("PK".utf8), .broken),
    ("png", Array(APNGFile(frames: [.init(pixel: grey)]).bytes.prefix(60)), .broken),
    (
      "outside", APNGFile(frames: [.init(x: 4, pixel: grey)]).bytes, .broken
    ),
    (
      "entries",
      zip { entries in
        entries += (0...1_100).map { .init(name: "x\($0)", bytes: []) }
      }, .tooManyEntries
    ),
    (
      // The directory says that it is larger than it may be: nothing is unpacked.
      "bomb", zip { $0.append(.init(name: "x", bytes: [1], statedSize: 1 << 30)) }, .tooManyBytes
    ),
  ]

  /// What is damaged or dangerous is refused with its reason, before anything is drawn.
  @Test(arguments: bad.indices) func whatIsBadIsRefused(index: Int) throws {
    let (name, bytes, wanted) = Self.bad[index]
    let told = Mutex<[OverlayTrouble?]>([])
    let path = try PainterTests.write(bytes)
    #expect(throws: wanted, "\(name)") {
      _ = try StickerPainter(path: path, report: { new in told.withLock { $0.append(new) } })
        .paint(PainterTests.target(8))
    }
    #expect(told.withLock { $0 } == [.sticker(wanted)])
    #expect(!wanted.sentence.isEmpty && wanted.sentence.contains(":"))
  }

  /// More memory than a sticker may take is refused before it is taken, for the size in which it is shown.
  @Test func aLargeStickerIsRefused() throws {
    let zip = try PainterTests.write(ZipFile.sticker((0..<100).map { UInt8($0) }).bytes)
    _ = try Self.paint(zip, width: 20)
    // 100 images of 600 by 600 pixels, at 2.75 bytes each and a little more.
    #expect(throws: StickerError.self) { _ = try Self.paint(zip, width: 600) }
    #expect(
      throws: StickerError.tooManyPixels(2_000, 2_000),
      performing: {
        let bytes = PNGFile(width: 2_000, height: 2_000, colour: .grey).bytes(PNGFile.grey(1))
        _ = try Self.paint(bytes)
      })
    // All together: the third one finds no room, until another goes.
    var kept = [LayerMemory(50 << 20), LayerMemory(50 << 20)]
    #expect(!kept.contains { $0 == nil } && LayerMemory(50 << 20) == nil)
    kept.removeFirst()
    #expect(LayerMemory(50 << 20) != nil && LayerMemory(LayerMemory.maxBytes + 1) == nil)
  }

  /// How often a file is opened.
  private final class Openings {
    private let descriptor = inotify_init1(O_NONBLOCK)
    init(of path: String) { _ = unsafe inotify_add_watch(descriptor, path, 0x20 /* IN_OPEN */) }
    deinit { close(descriptor) }

    /// Those since the last call.
    func count() -> Int {
      var events = [UInt8](repeating: 0, count: 65_536)
      // Without a name, each has 16 bytes (inotify(7)).
      return unsafe max(0, read(descriptor, &events, events.count)) / 16
    }
  }

  /// A sticker and a moving text that find no room wait for it. The file is not read again until there is some.
  @Test func whatHasNoRoomWaitsForIt() throws {
    let path = try PainterTests.write(ZipFile.sticker((0..<100).map { UInt8($0) }).bytes)
    let told = Mutex<[String]>([])
    let time = VirtualClock()
    let keeper = OverlayKeeper(clock: time.clock) { name, trouble, isOver in
      told.withLock { $0.append("\(name).\(trouble.field) \(isOver ? "over" : trouble.sentence)") }
    }
    defer { keeper.stop() }
    var others = [LayerMemory(58 << 20), LayerMemory(58 << 20)]
    try #require(!others.contains { $0 == nil })
    var style = TextStyle(
      font: "DejaVu Sans", size: 0.3, colour: OverlayColour(red: 255, green: 255, blue: 255))
    style.scroll = TextScroll(speed: 0.1, framesPerSecond: 30)
    // 100 images of 200 by 200 pixels, and a line of about 20,000 by 250, at 2.75 bytes each.
    let sources = keeper.sources([
      "a": .sticker(path: path), "b": .text(String(repeating: "M", count: 110), style),
    ])
    func look() -> [Bool] {
      time.advance(by: .milliseconds(500))
      return ["a", "b"].map { name in
        unsafe sources[name]?.picture(
          PainterTests.target(200), at: MediaTime(nanos: 0), since: .distantPast) != nil
      }
    }
    #expect(
      eventually {
        _ = look()
        return told.withLock { $0.count } >= 2
      })
    told.withLock { #expect($0.allSatisfy { $0.contains("leave no room") }, "\($0)") }
    let openings = Openings(of: path)
    for _ in 0..<20 {
      #expect(look() == [false, false])
      (MediaTime.now() + .milliseconds(20)).sleepUntil()
    }
    // It may be read once more, if the keeper first looks at it after the painting.
    #expect(openings.count() <= 1)
    others = []
    #expect(eventually { look() == [true, true] })
    let over = ["a.file over", "b.text over"]
    #expect(eventually { told.withLock { $0.suffix(2).sorted() == over } })
  }

  /// Also an image beside config.json that is replaced, or written anew in its place.
  @Test func aFolderIsWatched() throws {
    let folder = "\(stateDirectory())/heart"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for entry in ZipFile.sticker([10, 120]).entries {
      try Data(entry.bytes).write(to: URL(filePath: "\(folder)/\(entry.name)"))
    }
    let time = VirtualClock()
    let keeper = OverlayKeeper(clock: time.clock)
    defer { keeper.stop() }
    let source = try #require(keeper.sources(["a": .sticker(path: folder)])["a"])
    func isSeen(_ luma: UInt8) -> Bool {
      eventually {
        time.advance(by: .milliseconds(100))
        let picture = unsafe source.picture(
          PainterTests.target(8), at: MediaTime(nanos: 0), since: .distantPast)
        return unsafe picture?.planes.y[0] == luma
      }
    }
    #expect(isSeen(10))
    for (level, options): (UInt8, Data.WritingOptions) in [(60, .atomic), (200, [])] {
      let image = PNGFile(width: 8, height: 8).bytes(PNGFile.grey(level))
      try Data(image).write(to: URL(filePath: "\(folder)/n0.png"), options: options)
      #expect(isSeen(level))
    }
  }
}
