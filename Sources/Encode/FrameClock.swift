// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// When a picture goes out, and with which time: the broadcast's own frame rate, kept whatever the
/// source does. Pure: it is told the time.
///
/// A frame goes out the moment it comes, stamped with the time of its capture. A source that is
/// faster than the set rate is thinned out evenly; when none has come for almost two intervals, the
/// last one is repeated in the place of the missing one, so that the stream's pictures never stop and
/// never lie further apart than two intervals.
public struct FrameClock: Sendable {
  /// Nanoseconds from one picture to the next at the set rate.
  public private(set) var interval: Int64
  /// When the next picture is due, in capture time; `nil` before the first and after a repeat.
  private var due: MediaTime?
  private var last: MediaTime?
  private var lastCapture: MediaTime = .distantPast
  /// When a repeat is to go out, as the present goes and not as captures are stamped.
  private var repeatAt: MediaTime

  /// - Parameter firstDeadline: when to begin even if no frame has come.
  public init(framesPerSecond: Int, firstDeadline: MediaTime) {
    interval = 1_000_000_000 / Int64(framesPerSecond)
    repeatAt = firstDeadline
  }

  /// Goes on at another rate.
  public mutating func change(framesPerSecond: Int) {
    interval = 1_000_000_000 / Int64(framesPerSecond)
    due = nil
  }

  /// Until when to wait for a frame; after it, call `stampRepeat`.
  public var deadline: MediaTime { repeatAt }

  /// Until when the last picture lasts; `nil` before the first.
  public var end: MediaTime? { last.map { $0 + interval } }

  /// The time to send a frame with that has just come; `nil` when it is one too many.
  public mutating func stamp(capturedAt: MediaTime, now: MediaTime) -> MediaTime? {
    guard capturedAt > lastCapture else { return nil }
    if let due, capturedAt < due - interval / 4 { return nil }
    lastCapture = capturedAt
    // After a repeat the frame may carry a time that is already taken.
    let time = max(capturedAt, (last ?? .distantPast) + interval / 8)
    planNext(after: capturedAt)
    last = time
    repeatAt = now + 2 * interval - interval / 8
    return time
  }

  /// The time to repeat the last picture with, once `deadline` has passed without a frame.
  public mutating func stampRepeat(now: MediaTime) -> MediaTime {
    // The first of all has no predecessor; after a long stall of this thread the missed ones are
    // not made up for.
    let earliest = now - .milliseconds(500)
    let time = max(last.map { $0 + interval } ?? now, earliest)
    last = time
    // The next frame is welcome whenever it comes, and however long it took: repeats go by the present,
    // captures by the source's own delay, which need not be known yet.
    due = nil
    repeatAt = max(repeatAt + interval, now)
    return time
  }

  /// The time to show the last picture once more with, between two: just after it, so that the frames to
  /// come keep their own times. `nil` before the first.
  public mutating func stampAgain() -> MediaTime? {
    guard let last else { return nil }
    self.last = last + interval / 8
    return self.last
  }

  /// The time of a picture that is shown at once, whatever was shown before, and is followed by others at its
  /// own rate.
  public mutating func stampCut(framesPerSecond: Int, now: MediaTime) -> MediaTime {
    let time = max(now, (last ?? .distantPast) + interval / 8)
    change(framesPerSecond: framesPerSecond)
    last = time
    repeatAt = now + interval
    return time
  }

  private mutating func planNext(after capture: MediaTime) {
    if let due, capture - due < interval {
      // A source a little faster than the set rate moves the schedule along a little; one that is
      // much faster meets a schedule that holds.
      let early = max(0, due - capture)
      self.due = due + interval - early / 16
    } else {
      due = capture + interval
    }
  }
}
