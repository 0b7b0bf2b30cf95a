// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media

/// Decides which frames are encoded, when, and with which timestamps, so that the broadcast keeps its frame rate
/// whatever the source does. Reads no clock: the time is passed in.
///
/// A frame is encoded when it arrives, with its capture time. If the source is faster than the configured rate, frames
/// are dropped evenly. If no frame arrives for almost two intervals, the last one is repeated, so that frames never
/// stop and are never more than two intervals apart.
public struct FrameClock: Sendable {
  /// Nanoseconds from one encoded frame to the next.
  public private(set) var interval: Int64
  /// The capture time at which the next frame is due; `nil` before the first frame and after `stampCut`.
  private var due: MediaTime?
  /// Whether the last encoded frame was a repeat.
  private var isRepeating = false
  /// The timestamp of the last encoded frame; `nil` before the first.
  private var last: MediaTime?
  /// The capture time of the last frame that was encoded when it arrived, not as a repeat.
  private var lastCapture: MediaTime = .distantPast
  /// When to repeat the last frame if no new one has arrived. Compared with the present time, not with a capture time.
  private var repeatAt: MediaTime

  /// - Parameter firstDeadline: the first `deadline`, at which the video starts even if no frame has arrived.
  public init(framesPerSecond: Int, firstDeadline: MediaTime) {
    interval = FrameClock.interval(framesPerSecond: framesPerSecond)
    repeatAt = firstDeadline
  }

  /// Changes the frame rate.
  /// - Parameter step: 1 to encode every frame of that rate, 2 to encode every second one, and so on.
  public mutating func change(framesPerSecond: Int, step: Int = 1) {
    let new = FrameClock.interval(framesPerSecond: framesPerSecond) * Int64(step)
    guard new != interval else { return }
    interval = new
    due = due == nil ? nil : lastCapture + new
  }

  /// Nanoseconds from one frame to the next at this frame rate.
  private static func interval(framesPerSecond: Int) -> Int64 {
    1_000_000_000 / Int64(framesPerSecond)
  }

  /// Until when to wait for a frame. If none has arrived by then, call `stampRepeat`.
  public var deadline: MediaTime { repeatAt }

  /// When the last encoded frame ends: one interval after its timestamp. `nil` before the first frame.
  public var end: MediaTime? { last.map { $0 + interval } }

  /// The timestamp for a frame that has just arrived; `nil` to drop it, because the source is too fast.
  public mutating func stamp(capturedAt: MediaTime, now: MediaTime) -> MediaTime? {
    guard capturedAt > lastCapture else { return nil }
    // After a repeat, the next frame is encoded even if it was captured too early.
    if let due, !isRepeating, capturedAt < due - interval / 4 { return nil }
    isRepeating = false
    lastCapture = capturedAt
    // After a repeat, the last timestamp may be later than the capture time.
    let time = max(capturedAt, (last ?? .distantPast) + interval / 8)
    planNext(after: capturedAt)
    last = time
    repeatAt = now + 2 * interval - interval / 8
    return time
  }

  /// The timestamp for a repeat of the last frame, when `deadline` has passed without a new one.
  public mutating func stampRepeat(now: MediaTime) -> MediaTime {
    // After a long stall of this thread, the missed frames are skipped.
    let earliest = now - .milliseconds(500)
    let time = max(last.map { $0 + interval } ?? now, earliest)
    last = time
    // Leave `due` unchanged: it is a capture time, but a repeat is stamped with the present time. The delay from the
    // capture of a frame to its arrival, which is the difference, may not be known yet.
    isRepeating = true
    repeatAt = max(repeatAt + interval, now)
    return time
  }

  /// The timestamp for encoding the last frame once more at once, without waiting for the next one. It is just after
  /// the last timestamp, so that the following frames keep their capture times. `nil` before the first frame.
  public mutating func stampAgain() -> MediaTime? {
    guard let last else { return nil }
    self.last = last + interval / 8
    return self.last
  }

  /// The timestamp for the first frame after a cut, for example to a still. The frame is encoded at once, and the
  /// frames after it have the given frame rate.
  public mutating func stampCut(framesPerSecond: Int, now: MediaTime) -> MediaTime {
    let time = max(now, (last ?? .distantPast) + interval / 8)
    change(framesPerSecond: framesPerSecond)
    due = nil
    last = time
    repeatAt = now + interval
    return time
  }

  /// Sets when the next frame is due (`due`), after a frame with this capture time.
  private mutating func planNext(after capture: MediaTime) {
    // Frames that were delayed by a stall, or by the opening of the source, are stamped late and close together. Such
    // frames are not surplus, so `due` is set early enough to keep them.
    let latest = capture + interval - max(interval, FrameQueue.spanNanos)
    guard let due else {
      self.due = latest
      return
    }
    // A source that is slightly faster than the configured rate shifts the schedule slightly; a source that is much
    // faster does not.
    let early = max(0, due - capture)
    self.due = max(latest, due + interval - early / 16)
  }
}
