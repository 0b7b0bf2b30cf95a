// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Computes when the content of a looped file is due: pass k starts at epoch + k × duration.
///
/// Pure. The video and the audio of a file have one each. They agree, because they have the same epoch and find the
/// same duration.
struct LoopClock: Equatable {
  /// Shorter files are looped with this duration: rewinding costs more time than a frame lasts.
  static let shortest: Int64 = .milliseconds(100)

  /// The container's duration is accepted if the measured end is within this: not all packets state a duration.
  static let tolerance: Int64 = .milliseconds(500)

  let epoch: MediaTime
  /// From the container, until the end of a pass contradicts it. `nil` if unknown.
  private(set) var duration: Int64?
  private(set) var passStart: MediaTime
  private var isMeasured = false

  /// - Parameter duration: the container's, in nanoseconds; `nil` if it states none.
  init(epoch: MediaTime, duration: Int64?) {
    self.epoch = epoch
    self.duration = duration.map { max($0, LoopClock.shortest) }
    passStart = epoch
  }

  /// Starts in the pass that is playing at `now`.
  /// - Returns: the offset into the file, in nanoseconds.
  mutating func begin(at now: MediaTime) -> Int64 {
    guard now > epoch, let duration else {
      passStart = epoch
      return 0
    }
    let offset = (now - epoch) % duration
    passStart = now - offset
    return offset
  }

  /// When content with the timestamp `time` is due.
  func due(_ time: Int64) -> MediaTime { passStart + time }

  /// When this pass ends; the distant future while the duration is unknown.
  var passEnd: MediaTime { duration.map { passStart + $0 } ?? .distantFuture }

  /// Notes that the file has content until `end`. If that is well after the container's duration, the duration is
  /// unknown again: the pass lasts until the file ends.
  mutating func contentReaches(_ end: Int64) {
    if !isMeasured, let stated = duration, end > stated + LoopClock.tolerance { duration = nil }
  }

  /// Notes that the container's duration is wrong: timestamps leap. The pass lasts until the file ends.
  mutating func forgetStated() { if !isMeasured { duration = nil } }

  /// Goes back to the first pass, to play from there to what is due.
  mutating func restart() { passStart = epoch }

  /// Notes that the file has ended, and goes to the next pass.
  /// - Parameter end: the end of the last video or audio, in nanoseconds.
  mutating func passEnded(at end: Int64) {
    if !isMeasured {
      isMeasured = true
      // If the container's duration is wrong, a truncated file is looped where it is cut, a longer one at its end.
      let isRight = duration.map { abs(end - $0) <= LoopClock.tolerance } ?? false
      if !isRight { duration = max(end, LoopClock.shortest) }
    }
    guard let duration else { return }
    let elapsed = passStart + duration - epoch
    passStart = epoch + (elapsed + duration - 1) / duration * duration
  }
}
