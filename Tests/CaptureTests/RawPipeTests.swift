// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import Testing

@testable import Capture

@Suite struct RawPipeTests {
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

  static func source(_ descriptor: Int32, _ frames: FrameQueue) -> RawPipe {
    RawPipe(descriptor: descriptor, size: size, colour: .bt709, frames: frames) { _ in }
  }

  @Test func unusedFramesAreDiscardedUnread() throws {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let frames = FrameQueue()
    let source = RawPipeTests.source(ends[0], frames)
    source.start()
    func write(_ level: UInt8, count: Int = RawPipeTests.frameBytes) {
      let bytes = [UInt8](repeating: level, count: count)
      #expect(unsafe Glibc.write(ends[1], bytes, count) == count)
    }
    // The source starts the next frame as soon as one is complete; `setActive` applies to the one after that.
    write(1)
    #expect(RawPipeTests.take(frames) == Seen(level: 1, hasTime: true))
    frames.setActive(false)
    write(2)
    // May have been started before.
    _ = try #require(RawPipeTests.take(frames) as Seen?)
    for level in UInt8(3)...5 {
      write(level)
      let seen = try #require(RawPipeTests.take(frames))
      #expect(!seen.hasTime)
      #expect(seen.level != level)
    }
    frames.setActive(true)
    // In two writes. It may have been started before, too.
    write(6, count: 100)
    write(6, count: RawPipeTests.frameBytes - 100)
    _ = try #require(RawPipeTests.take(frames) as Seen?)
    write(7)
    #expect(RawPipeTests.take(frames) == Seen(level: 7, hasTime: true))
    close(ends[1])
    #expect(source.stop(by: .now() + .seconds(30)))
    close(ends[0])
  }

  /// splice(2) needs a pipe.
  @Test func unusedFramesOfAFileAreRead() throws {
    let file = unsafe fileno(tmpfile())
    for level in UInt8(1)...3 {
      let bytes = [UInt8](repeating: level, count: RawPipeTests.frameBytes)
      #expect(unsafe write(file, bytes, bytes.count) == bytes.count)
    }
    lseek(file, 0, SEEK_SET)
    let frames = FrameQueue()
    frames.setActive(false)
    let source = RawPipeTests.source(file, frames)
    source.start()
    // The file is read at once, and the newest frame wins.
    var seen = Seen(level: 0, hasTime: false)
    while seen.level != 3 { seen = try #require(RawPipeTests.take(frames)) }
    #expect(!seen.hasTime)
    #expect(source.stop(by: .now() + .seconds(30)))
  }
}
