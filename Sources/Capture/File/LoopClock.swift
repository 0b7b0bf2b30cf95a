// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Computes when the content of a looped file is due: pass k through the file starts at `epoch` + k × `duration`, where
/// `epoch` is the start of the first pass.
///
/// Reads no clock and does no I/O: the time is passed in. The video and the audio of a file have a clock each. Both
/// clocks agree, because they have the same epoch and find the same duration.
struct LoopClock: Equatable {
  /// The minimum duration of a pass through the file, in nanoseconds. For a shorter file, rewinding would take longer
  /// than a frame lasts.
  static let minDurationNanos: Int64 = .milliseconds(100)

  /// The accepted difference, in nanoseconds, between the duration that the container states and the measured end of
  /// the file. They may differ, because not all packets state a duration.
  static let toleranceNanos: Int64 = .milliseconds(500)

  /// When the first pass through the file starts.
  let epoch: MediaTime
  /// The duration of a pass in nanoseconds: the one that the container states, or the measured one if the stated one is
  /// wrong. `nil` while unknown.
  private(set) var duration: Int64?
  /// When the present pass through the file started.
  private(set) var passStart: MediaTime
  /// Whether the file has been read to its end. From then on, `duration` agrees with the measured length; before, it is
  /// the duration that the container states.
  private var isMeasured = false

  /// - Parameters:
  ///   - epoch: when the first pass starts.
  ///   - duration: the duration that the container states, in nanoseconds; `nil` if it states none.
  init(epoch: MediaTime, duration: Int64?) {
    self.epoch = epoch
    self.duration = duration.map { max($0, LoopClock.minDurationNanos) }
    passStart = epoch
  }

  /// Makes the pass that is due at `now` the present one; the first pass if the duration is unknown.
  /// - Returns: the position in the file that is due at `now`, in nanoseconds.
  mutating func goToPass(at now: MediaTime) -> Int64 {
    guard now > epoch, let duration else {
      passStart = epoch
      return 0
    }
    let offset = (now - epoch) % duration
    passStart = now - offset
    return offset
  }

  /// When content with the timestamp `time`, in nanoseconds, is due in the present pass.
  func due(_ time: Int64) -> MediaTime { passStart + time }

  /// When the present pass ends; the distant future while the duration is unknown.
  var passEnd: MediaTime { duration.map { passStart + $0 } ?? .distantFuture }

  /// Notes that the file has content until `end`, in nanoseconds from its start. If `end` is well after the duration
  /// that the container states, the duration becomes unknown: the pass then lasts until the file ends.
  mutating func contentReaches(_ end: Int64) {
    if !isMeasured, let stated = duration, end > stated + LoopClock.toleranceNanos {
      duration = nil
    }
  }

  /// Discards the duration that the container states, because the file's timestamps leap. The duration is then unknown:
  /// the pass lasts until the file ends.
  mutating func forgetStatedDuration() { if !isMeasured { duration = nil } }

  /// Makes the first pass the present one. Used when the duration turns out to be unknown, so that the later passes
  /// cannot be computed: playback is then late, and has to catch up.
  mutating func goToFirstPass() { passStart = epoch }

  /// Notes that the file has ended, and goes to the next pass.
  /// - Parameter end: the end of the last video or audio, in nanoseconds from the start of the file.
  mutating func passEnded(at end: Int64) {
    if !isMeasured {
      isMeasured = true
      // If the stated duration is wrong, the measured one is used, so that a truncated file loops where it is cut off.
      let isRight = duration.map { abs(end - $0) <= LoopClock.toleranceNanos } ?? false
      if !isRight { duration = max(end, LoopClock.minDurationNanos) }
    }
    guard let duration else { return }
    let elapsed = passStart + duration - epoch
    passStart = epoch + (elapsed + duration - 1) / duration * duration
  }
}
