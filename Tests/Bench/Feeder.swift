// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Synchronization

/// The camera: it writes frames into a program's standard input, one each 1/30 s.
///
/// Like a camera it waits for nobody: a frame whose time passes while the program still reads an
/// older one is left out.
final class Feeder: Sendable {
  private struct Progress {
    /// When the last byte of each frame was in the pipe, by frame number.
    var lastByteIn: [MediaTime] = []
    var thread: MediaThread?
  }

  private let progress = Mutex(Progress())
  private let stopping = Atomic(false)
  private let scene: Scene
  private let descriptor: Int32

  /// - Parameter descriptor: the pipe's end for writing, which is closed at the end.
  init(scene: Scene, descriptor: Int32) {
    self.scene = scene
    self.descriptor = descriptor
  }

  func start() {
    progress.withLock { progress in
      progress.lastByteIn.reserveCapacity(1 << 16)
      progress.thread = MediaThread(name: "feeder", urgency: .device) { [self] in run() }
    }
  }

  /// Ends after the frame in hand, and closes the pipe.
  /// - Returns: when the last byte of each frame was in the pipe.
  func stop(by deadline: MediaTime) -> [MediaTime] {
    stopping.store(true, ordering: .relaxed)
    _ = progress.withLock { $0.thread }?.join(until: deadline)
    return progress.withLock { $0.lastByteIn }
  }

  /// How many frames have been written.
  var count: Int { progress.withLock { $0.lastByteIn.count } }

  private func run() {
    let interval = 1_000_000_000 / Int64(Scene.framesPerSecond)
    let begun = MediaTime.now()
    var tick: Int64 = 0
    var number = 0
    while !stopping.load(ordering: .relaxed), unsafe write(scene.frame(number)) {
      let now = MediaTime.now()
      progress.withLock { $0.lastByteIn.append(now) }
      number += 1
      tick = max(tick, (now - begun) / interval) + 1
      (begun + tick * interval).sleepUntil()
    }
    close(descriptor)
  }

  private func write(_ frame: UnsafeRawBufferPointer) -> Bool {
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
