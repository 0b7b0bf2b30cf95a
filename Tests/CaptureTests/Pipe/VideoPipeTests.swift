// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import TestSupport
import Testing

@testable import Capture

/// A named pipe in a folder of its own, and its writing end.
final class TestPipe {
  let path = stateDirectory() + "/pipe"
  private var writer: Int32 = -1

  init() { unsafe mkfifo(path, 0o600) }

  deinit { leave() }

  /// Opens the writing end; waits for a reader.
  func come() { writer = unsafe open(path, O_WRONLY | O_CLOEXEC) }

  /// Opens the writing end without ever waiting: a write ends where the pipe is full.
  /// - Returns: whether there is a reader.
  @discardableResult func comeNonblocking() -> Bool {
    writer = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    return writer >= 0
  }

  func leave() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  /// - Returns: the bytes that have been written.
  @discardableResult func write(_ bytes: [UInt8]) -> Int {
    unsafe Glibc.write(writer, bytes, bytes.count)
  }

  /// Puts another pipe in the place of this one.
  func replace() {
    unsafe unlink(path)
    unsafe mkfifo(path, 0o600)
  }
}

@Suite struct VideoPipeTests {
  static let size = PictureSize(width: 32, height: 16)
  static let frameBytes = 32 * 16 * 3 / 2

  /// A frame: the value of all its bytes, and whether it has a capture time.
  struct Seen: Equatable {
    var level: UInt8
    var hasTime: Bool
  }

  static func take(_ frames: FrameQueue) -> Seen? {
    guard let frame = frames.take(until: .now() + .seconds(30)) else { return nil }
    let levels = unsafe Set(frame.bytes)
    guard levels.count == 1 else { return nil }
    return Seen(level: levels.first ?? 0, hasTime: frame.capturedAt > .distantPast)
  }

  /// A copy of a frame.
  private struct Taken {
    var format: FrameFormat
    var capturedAt: MediaTime
    var bytes: [UInt8]
  }

  private func take(_ frames: FrameQueue) -> Taken? {
    guard let frame = frames.take(until: .now() + .seconds(30)) else { return nil }
    return Taken(
      format: frame.format, capturedAt: frame.capturedAt, bytes: unsafe Array(frame.bytes))
  }

  static func format(_ pixels: PipePixels = .i420, isFramed: Bool = false) -> VideoPipeFormat {
    VideoPipeFormat(pixels: pixels, size: size, isFramed: isFramed, framesPerSecond: 60)
  }

  static func input(_ descriptor: Int32, _ frames: FrameQueue) -> VideoPipe {
    VideoPipe(.standardInput(descriptor), format(), frames: frames) { _ in }
  }

  private func header(
    _ width: UInt16, _ height: UInt16, _ degrees: UInt16 = 0, bytes: Int, nanos: Int64 = 0
  ) -> [UInt8] {
    func little(_ number: some FixedWidthInteger) -> [UInt8] {
      unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
    }
    let sides = little(width) + little(height) + little(degrees) + little(UInt16(0))
    return Array("OAF1".utf8) + sides + little(UInt32(bytes)) + little(UInt64(nanos))
  }

  // MARK: Standard input

  @Test func unusedFramesAreDiscardedUnread() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let frames = FrameQueue()
    let source = VideoPipeTests.input(ends[0], frames)
    source.start()
    func write(_ level: UInt8, count: Int = VideoPipeTests.frameBytes) {
      let bytes = [UInt8](repeating: level, count: count)
      #expect(unsafe Glibc.write(ends[1], bytes, count) == count)
    }
    // The source starts the next frame as soon as one is complete; `setActive` applies to the one after that.
    write(1)
    #expect(VideoPipeTests.take(frames) == Seen(level: 1, hasTime: true))
    frames.setActive(false)
    write(2)
    // May have been started before.
    _ = try #require(VideoPipeTests.take(frames) as Seen?)
    for level in UInt8(3)...5 {
      write(level)
      let seen = try #require(VideoPipeTests.take(frames))
      #expect(!seen.hasTime)
      #expect(seen.level != level)
    }
    frames.setActive(true)
    // In two writes. It may have been started before, too.
    write(6, count: 100)
    write(6, count: VideoPipeTests.frameBytes - 100)
    _ = try #require(VideoPipeTests.take(frames) as Seen?)
    write(7)
    #expect(VideoPipeTests.take(frames) == Seen(level: 7, hasTime: true))
    close(ends[1])
    #expect(source.stop(by: .now() + .seconds(30)))
    close(ends[0])
  }

  /// splice(2) needs a pipe.
  @Test func unusedFramesOfAFileAreRead() throws {
    let file = unsafe fileno(tmpfile())
    for level in UInt8(1)...3 {
      let bytes = [UInt8](repeating: level, count: VideoPipeTests.frameBytes)
      #expect(unsafe write(file, bytes, bytes.count) == bytes.count)
    }
    lseek(file, 0, SEEK_SET)
    let frames = FrameQueue()
    frames.setActive(false)
    let reports = Reports()
    let source = VideoPipe(
      .standardInput(file), VideoPipeTests.format(), frames: frames, report: reports.listener)
    source.start()
    #expect(eventually { reports.codes == ["running", "ended"] })
    #expect(frames.delivered == 3)
    while let frame = frames.takeNow() { #expect(frame.capturedAt == .distantPast) }
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  @Test func theEndOfStandardInputIsTheEnd() throws {
    for (bytes, code) in [(100, "empty"), (VideoPipeTests.frameBytes + 10, "ended")] {
      var ends: [Int32] = [0, 0]
      #expect(unsafe pipe(&ends) == 0)
      let reports = Reports()
      let source = VideoPipe(
        .standardInput(ends[0]), VideoPipeTests.format(), frames: FrameQueue(),
        report: reports.listener)
      source.start()
      _ = unsafe write(ends[1], [UInt8](repeating: 1, count: bytes), bytes)
      close(ends[1])
      #expect(eventually { reports.all.last?.state == .ended })
      #expect(reports.all.last?.code == code)
      #expect(source.stop(by: .now() + .seconds(30)))
      close(ends[0])
    }
  }

  // MARK: Named pipes

  @Test func aWriterThatLeavesIsLostAndTheNextIsFound() throws {
    let (pipe, frames, reports) = (TestPipe(), FrameQueue(), Reports())
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(), frames: frames, report: reports.listener)
    source.start()
    for round in UInt8(1)...3 {
      pipe.come()
      for level in [round, round + 10] {
        pipe.write(Array(repeating: level, count: VideoPipeTests.frameBytes))
        #expect(VideoPipeTests.take(frames) == Seen(level: level, hasTime: true))
      }
      // It ends within a frame: the next writer's frames are whole all the same.
      pipe.write(Array(repeating: 99, count: 100))
      pipe.leave()
      #expect(eventually { reports.all.last?.code == "no_writer" })
      let sentence = reports.all.last?.sentence ?? ""
      #expect(sentence.contains("lacked 668 bytes: is it really I420 of 32x16?"))
      #expect(reports.all.last?.state == .trouble)
    }
    #expect(reports.codes == Array(repeating: ["running", "no_writer"], count: 3).flatMap(\.self))
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  /// A writer that dies within a frame, and then another one whose frames are larger, and wanted.
  @Test func afterACutFrameTheNextWritersFramesAreWhole() throws {
    let (pipe, frames, reports) = (TestPipe(), FrameQueue(), Reports())
    frames.setActive(false)
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(isFramed: true), frames: frames,
      report: reports.listener)
    source.start()
    for side in [UInt16(16), 64, 128] {
      pipe.come()
      pipe.write(header(4, 2, bytes: 12) + [1, 1, 1])
      pipe.leave()
      #expect(eventually { reports.all.last?.sentence.contains("lacked 9 bytes") == true })
      frames.setActive(true)
      pipe.come()
      let raw = [UInt8](repeating: UInt8(side), count: Int(side) * Int(side) * 3 / 2)
      // The first one may count as written before frames were wanted.
      var isSeen = false
      for _ in 0..<3 where !isSeen {
        pipe.write(header(side, side, bytes: raw.count) + raw)
        let frame = try #require(take(frames))
        isSeen = frame.bytes == raw && frame.capturedAt > .distantPast
      }
      #expect(isSeen)
      #expect(eventually { reports.all.last?.state == .running })
      frames.setActive(false)
      pipe.leave()
    }
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  @Test func eachTroubleIsToldAndEnds() throws {
    let (pipe, frames, reports, time) = (TestPipe(), FrameQueue(), Reports(), VirtualClock())
    unsafe unlink(pipe.path)
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(), frames: frames, clock: time.clock,
      report: reports.listener)
    source.start()
    func wait(for codes: [String]) {
      #expect(
        eventually {
          time.advance(by: .milliseconds(20))
          return reports.codes == codes
        }, "\(reports.codes)")
    }
    wait(for: ["missing"])
    close(unsafe creat(pipe.path, 0o600))
    wait(for: ["missing", "not_a_pipe"])
    pipe.replace()
    wait(for: ["missing", "not_a_pipe", "no_writer"])
    // Another pipe has taken its name.
    pipe.replace()
    #expect(
      eventually {
        time.advance(by: .milliseconds(20))
        return pipe.comeNonblocking()
      })
    pipe.write(Array(repeating: 5, count: VideoPipeTests.frameBytes))
    wait(for: ["missing", "not_a_pipe", "no_writer", "running"])
    #expect(VideoPipeTests.take(frames)?.level == 5)
    // The writer is there, but hangs. It goes on in the middle of a frame.
    pipe.write(Array(repeating: 6, count: 200))
    wait(for: ["missing", "not_a_pipe", "no_writer", "running", "silent"])
    pipe.write(Array(repeating: 6, count: VideoPipeTests.frameBytes - 200))
    wait(for: ["missing", "not_a_pipe", "no_writer", "running", "silent", "running"])
    #expect(VideoPipeTests.take(frames)?.level == 6)
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  /// A program that converts a file writes as fast as it can.
  @Test func aFastWriterIsHeldBack() throws {
    let (pipe, frames, time) = (TestPipe(), FrameQueue(), VirtualClock())
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(), frames: frames, clock: time.clock
    ) { _ in }
    source.start()
    pipe.come()
    // The pipe's buffer has room for them.
    let sent = 80
    for _ in 0..<sent { pipe.write(Array(repeating: 5, count: VideoPipeTests.frameBytes)) }
    // The source counts the time from its first look at the clock.
    #expect(eventually { frames.delivered == 1 })
    for millisecond in 1...1_000 {
      time.advance(by: .milliseconds(1))
      // At 60 frames a second, and 2 % more.
      let most = Double(millisecond) * 0.0612
      #expect(eventually { frames.delivered >= Int(most) })
      #expect(frames.delivered <= Int(most) + 1)
    }
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  /// What was written before frames are used, as during a pause, is not shown after it; nor is it waited for.
  @Test(arguments: [true, false]) func whatWasWrittenInAPauseIsNotShown(inTheMiddle: Bool) throws {
    let pipe = TestPipe()
    let frames = FrameQueue()
    frames.setActive(true)
    // So slow that what waits would be shown for seconds.
    let format = VideoPipeFormat(
      pixels: .i420, size: VideoPipeTests.size, isFramed: false, framesPerSecond: 2)
    let source = VideoPipe(.path(pipe.path), format, frames: frames) { _ in }
    source.start()
    defer { source.stop(by: .now() + .seconds(30)) }
    pipe.come()
    func write(_ level: UInt8, count: Int = VideoPipeTests.frameBytes) {
      pipe.write(Array(repeating: level, count: count))
    }
    write(1)
    #expect(VideoPipeTests.take(frames)?.level == 1)
    frames.setActive(false)
    // The first is being waited for, or discarded; the others wait in the pipe.
    for _ in 0..<5 { write(9) }
    let half = VideoPipeTests.frameBytes / 2
    if inTheMiddle { write(9, count: half) }
    frames.setActive(true)
    if inTheMiddle { write(9, count: VideoPipeTests.frameBytes - half) }
    // The first ones may count as written before, too: the source looks between two frames.
    var shown: UInt8?
    #expect(
      eventually {
        write(2)
        while shown == nil, let frame = frames.takeNow() {
          if frame.capturedAt > .distantPast { shown = unsafe frame.bytes[0] }
        }
        return shown != nil
      })
    #expect(shown == 2)
  }

  /// A named pipe holds few frames: what waits in it stays behind.
  @Test func aNamedPipeHoldsFewFrames() throws {
    let pipe = TestPipe()
    let size = PictureSize(width: 320, height: 180)
    let format = VideoPipeFormat(pixels: .i420, size: size, isFramed: false, framesPerSecond: 1)
    let frames = FrameQueue()
    let source = VideoPipe(.path(pipe.path), format, frames: frames) { _ in }
    source.start()
    defer { source.stop(by: .now() + .seconds(30)) }
    #expect(eventually { pipe.comeNonblocking() })
    let written = pipe.write(Array(repeating: 0, count: 4 << 20))
    // The kernel rounds up to a power of two.
    #expect(written <= 5 * 320 * 180 * 3 / 2)
  }

  @Test(arguments: PipePixels.allCases)
  func eachFormatShowsTheSameColour(pixels: PipePixels) throws {
    let (pipe, frames) = (TestPipe(), FrameQueue())
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(pixels), frames: frames
    ) { _ in }
    source.start()
    pipe.come()
    // Pure red of BT.601 in limited range is 81, 90, 240.
    let area = 32 * 16
    let (y, cb, cr): (UInt8, UInt8, UInt8) = (81, 90, 240)
    func times(_ count: Int, _ bytes: UInt8...) -> [UInt8] {
      Array(repeating: bytes, count: count).flatMap(\.self)
    }
    let raw =
      switch pixels {
      case .i420: times(area, y) + times(area / 4, cb) + times(area / 4, cr)
      case .nv12: times(area, y) + times(area / 4, cb, cr)
      case .nv21: times(area, y) + times(area / 4, cr, cb)
      case .yuyv: times(area / 2, y, cb, y, cr)
      case .uyvy: times(area / 2, cb, y, cr, y)
      case .rgb24: times(area, 255, 0, 0)
      case .bgra: times(area, 0, 0, 255, 7)
      }
    #expect(raw.count == pixels.byteCount(VideoPipeTests.size))
    pipe.write(raw)
    let frame = try #require(take(frames))
    switch pixels {
    case .i420, .nv12, .nv21, .yuyv, .uyvy:
      #expect(frame.format.pixelFormat.rawValue == (pixels == .i420 ? "yu12" : pixels.rawValue))
      #expect(frame.format.colour == .bt709)
      #expect(frame.bytes == raw)
    case .rgb24, .bgra:
      #expect(frame.format.pixelFormat == .i420 && frame.format.colour == .webcam)
      for (start, value) in [(0, y), (area, cb), (area + area / 4, cr)] {
        #expect(abs(Int(frame.bytes[start]) - Int(value)) <= 1)
      }
    }
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  // MARK: Frames with headers

  @Test func aHeaderSaysSizeRotationAndTime() throws {
    let (pipe, frames, time) = (TestPipe(), FrameQueue(), VirtualClock())
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(.rgb24, isFramed: true), frames: frames,
      clock: time.clock
    ) { _ in }
    source.start()
    pipe.come()
    // White in the top left corner of 4x2 pixels that are black otherwise.
    let white = [UInt8](repeating: 255, count: 3)
    let row = [UInt8](repeating: 0, count: 9)
    var raw = white + white + row.prefix(6)
    raw += raw
    for (number, degrees) in [UInt16(0), 90, 180, 270].enumerated() {
      let captured = time.now - .milliseconds(40) + Int64(number)
      pipe.write(header(4, 2, degrees, bytes: raw.count, nanos: captured.nanos))
      pipe.write(raw)
      let frame = try #require(take(frames))
      #expect(frame.capturedAt == captured)
      let size = frame.format.size
      let (long, short) = (max(size.width, size.height), min(size.width, size.height))
      #expect(long == 4 && short == 2 && (size.width == 4) == (degrees % 180 == 0))
      let lit = (0..<8).filter { frame.bytes[$0] > 200 }
      #expect(lit == [[0, 1, 4, 5], [0, 1, 2, 3], [2, 3, 6, 7], [4, 5, 6, 7]][number])
      time.advance(by: .milliseconds(30))
    }
    // Another size, larger than any before; times that cannot be are not used, and none goes back.
    let odd = [0, 1, time.now.nanos + .seconds(3), time.now.nanos - .milliseconds(900)]
    for (number, nanos) in odd.enumerated() {
      let big = [UInt8](repeating: 255, count: 64 * 64 * 3)
      pipe.write(header(64, 64, bytes: big.count, nanos: nanos))
      pipe.write(big)
      let frame = try #require(take(frames))
      #expect(frame.format.size == PictureSize(width: 64, height: 64))
      #expect(frame.capturedAt == time.now + Int64(number))
    }
    #expect(source.stop(by: .now() + .seconds(30)))
  }

  @Test func afterAWrongHeaderTheNextOneIsFound() throws {
    let (pipe, frames, reports) = (TestPipe(), FrameQueue(), Reports())
    let source = VideoPipe(
      .path(pipe.path), VideoPipeTests.format(isFramed: true), frames: frames,
      report: reports.listener)
    source.start()
    pipe.come()
    let raw = [UInt8](repeating: 9, count: VideoPipeTests.frameBytes)
    let good = header(32, 16, bytes: raw.count)
    func expectFrame(_ codes: [String]) {
      pipe.write(good + raw)
      #expect(VideoPipeTests.take(frames)?.level == 9)
      #expect(eventually { reports.codes.suffix(codes.count) == codes }, "\(reports.codes)")
    }
    expectFrame(["running"])
    for wrong in [
      Array("garbage, OAF, OOAF1 and so on, and more".utf8), header(33, 16, bytes: 1),
      header(32, 16, 45, bytes: raw.count), header(32, 16, bytes: raw.count - 1),
      header(4000, 16, bytes: 96_000), Array("OA".utf8),
    ] {
      pipe.write(wrong)
      expectFrame(["bad_header", "running"])
    }
    // Half a header, and then another writer.
    pipe.write(Array(good.prefix(10)))
    pipe.leave()
    #expect(eventually { reports.all.last?.code == "no_writer" })
    pipe.come()
    expectFrame(["no_writer", "running"])
    #expect(source.stop(by: .now() + .seconds(30)))
  }
}
