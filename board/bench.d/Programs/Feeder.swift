// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// What a `Feeder` has written.
struct Feed: Sendable {
  /// When each frame was captured, by frame number.
  var captured: [MediaTime] = []
  /// The time at which the last byte of each frame had been written, by frame number.
  var lastByteIn: [MediaTime] = []
  /// When frames were captured that were never written, because the program was still reading older ones.
  var missed: [MediaTime] = []
}

/// Simulates a camera: writes a frame to a program's standard input every 1/30 s.
///
/// Like a camera, it skips frames while the program is still reading an older one.
final class Feeder: Sendable {
  private struct Progress {
    var feed = Feed()
    var thread: MediaThread?
  }

  private let progress = Mutex(Progress())
  private let stopping = Atomic(false)
  private let scene: any FrameSource
  private let descriptor: Int32
  private let buffers: Int

  /// - Parameters:
  ///   - descriptor: the write end of the pipe. It is closed at the end.
  ///   - buffers: how many frames the simulated driver keeps for a program that does not read.
  init(scene: any FrameSource, descriptor: Int32, buffers: Int = 0) {
    self.scene = scene
    self.descriptor = descriptor
    self.buffers = buffers
  }

  func start() {
    progress.withLock { progress in
      progress.feed.captured.reserveCapacity(1 << 16)
      progress.feed.lastByteIn.reserveCapacity(1 << 16)
      progress.feed.missed.reserveCapacity(1 << 12)
      progress.thread = MediaThread(name: "feeder", urgency: .device) { [self] in run() }
    }
  }

  /// Stops after the current frame, and closes the pipe.
  /// - Returns: what was written.
  func stop(by deadline: MediaTime) -> Feed {
    stopping.store(true, ordering: .relaxed)
    _ = progress.withLock { $0.thread }?.join(until: deadline)
    return progress.withLock { $0.feed }
  }

  /// Number of frames written.
  var count: Int { progress.withLock { $0.feed.lastByteIn.count } }

  private func run() {
    let interval = 1_000_000_000 / Int64(Scene.framesPerSecond)
    let begun = MediaTime.now()
    var tick: Int64 = 0
    var number = 0
    while !stopping.load(ordering: .relaxed),
      unsafe Feeder.write(scene.frame(number), to: descriptor)
    {
      let now = MediaTime.now()
      let next = max(tick, (now - begun) / interval - Int64(buffers)) + 1
      progress.withLock { progress in
        progress.feed.captured.append(begun + tick * interval)
        progress.feed.lastByteIn.append(now)
        for missed in tick + 1..<next { progress.feed.missed.append(begun + missed * interval) }
      }
      number += 1
      tick = next
      (begun + tick * interval).sleepUntil()
    }
    close(descriptor)
  }

  /// Writes all bytes, and waits as long as the pipe is full.
  /// - Returns: `false` if nobody reads them any more.
  @unsafe static func write(_ frame: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var done = 0
    while done < frame.count {
      let count = unsafe Glibc.write(
        descriptor, frame.baseAddress.map { unsafe $0 + done }, frame.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}
