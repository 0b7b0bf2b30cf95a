// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization

@testable import Capture

/// A camera without a thread: the test lets it work by `work`. It needs 200 ms to open.
final class FakeCamera: ReleasableSource {
  struct State {
    /// Whether it is plugged in, and no other program uses it.
    var isThere = true
    /// Whether its driver does not react to a release.
    var hangs = false
    /// Whether its thread does not end when it is asked to.
    var goesOn = false
    var isStarted = false
    var isStopped = false
    var isReleased = false
    var openedAt: MediaTime?
    var openings = 0
    var lastFrameAt = MediaTime.distantPast
    var told = ""

    var mayBeOpen: Bool { isStarted && !isStopped && !isReleased && isThere }
  }

  static let openingNanos = Int64.milliseconds(200)
  private static let format = FrameFormat(
    pixelFormat: .i420, size: PictureSize(width: 160, height: 90), colour: .bt709)

  let state = Mutex(State())
  private let frames: FrameQueue
  private let pool = FramePool(count: FrameQueue.bufferCount, capacity: format.byteCount)
  private let report: SourceListener

  init(_ frames: FrameQueue, _ report: @escaping SourceListener) {
    self.frames = frames
    self.report = report
  }

  var openings: Int { state.withLock { $0.openings } }

  func work(_ now: MediaTime) {
    let (isDue, news) = state.withLock { state -> (Bool, SourceReport?) in
      if !state.mayBeOpen, !state.hangs { state.openedAt = nil }
      if state.mayBeOpen, state.openedAt == nil {
        state.openedAt = now
        state.openings += 1
      }
      if state.isStarted, !state.isStopped, !state.isReleased, !state.isThere {
        return (false, state.tell("missing", .trouble))
      }
      guard let openedAt = state.openedAt, !state.isReleased,
        now - openedAt >= FakeCamera.openingNanos,
        now - state.lastFrameAt >= .milliseconds(33)
      else { return (false, nil) }
      state.lastFrameAt = now
      return (true, state.tell("running", .running))
    }
    if isDue { deliver(capturedAt: now) }
    if let news { report(news) }
  }

  /// Puts a frame into the queue.
  func deliver(capturedAt time: MediaTime) {
    guard let blank = pool.borrow() else { return }
    unsafe blank.bytes.initializeMemory(as: UInt8.self, repeating: 90)
    frames.put(blank.finish(format: FakeCamera.format, capturedAt: time))
  }

  // MARK: ReleasableSource

  func start() { state.withLock { $0.isStarted = true } }
  func requestStop() { state.withLock { ($0.isStopped, $0.openedAt) = (true, nil) } }
  func stop(by deadline: MediaTime) -> Bool {
    requestStop()
    return state.withLock { !$0.goesOn }
  }

  func release() {
    state.withLock { state in
      (state.isReleased, state.told) = (true, "")
      if !state.hangs { state.openedAt = nil }
    }
  }

  func reopen() { state.withLock { $0.isReleased = false } }
  var isClosed: Bool { state.withLock { $0.openedAt == nil } }
}

extension FakeCamera.State {
  fileprivate mutating func tell(_ code: String, _ state: SourceReport.State) -> SourceReport? {
    guard told != code else { return nil }
    told = code
    return SourceReport(state: state, code: code, sentence: code)
  }
}
