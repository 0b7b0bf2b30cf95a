// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Computes when the content of a looped file is due: pass k through the file starts at epoch + k × duration.
///
/// Reads no clock and does no I/O: the time is passed in. The video and the audio of a file have a clock each. Both
/// clocks agree, because they have the same epoch and find the same duration.
struct LoopClock: Equatable {
  /// The minimum duration of a pass, in nanoseconds: for a shorter file, rewinding would cost more time than a frame
  /// lasts.
  static let shortest: Int64 = .milliseconds(100)

  /// The duration that the container states is accepted if the measured end of the file differs from it by at most
  /// this, in nanoseconds: not all packets state a duration.
  static let tolerance: Int64 = .milliseconds(500)

  let epoch: MediaTime
  /// The duration of a pass in nanoseconds: as the container states it, or as measured if the content contradicts that.
  /// `nil` while unknown.
  private(set) var duration: Int64?
  private(set) var passStart: MediaTime
  private var isMeasured = false

  /// - Parameters:
  ///   - epoch: when the first pass starts.
  ///   - duration: the duration that the container states, in nanoseconds; `nil` if it states none.
  init(epoch: MediaTime, duration: Int64?) {
    self.epoch = epoch
    self.duration = duration.map { max($0, LoopClock.shortest) }
    passStart = epoch
  }

  /// Goes to the pass that is due at `now`.
  /// - Returns: the position in the file that is due, in nanoseconds.
  mutating func begin(at now: MediaTime) -> Int64 {
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

  /// Notes that the file has content until `end`, in nanoseconds from its start. If that is well after the duration
  /// that the container states, the duration is unknown again: the pass lasts until the file ends.
  mutating func contentReaches(_ end: Int64) {
    if !isMeasured, let stated = duration, end > stated + LoopClock.tolerance { duration = nil }
  }

  /// Notes that the duration that the container states is wrong, because timestamps leap. The duration is unknown then:
  /// the pass lasts until the file ends.
  mutating func forgetStated() { if !isMeasured { duration = nil } }

  /// Goes back to the start of the first pass. Playback then catches up with what is due.
  mutating func restart() { passStart = epoch }

  /// Notes that the file has ended, and goes to the next pass.
  /// - Parameter end: the end of the last video or audio, in nanoseconds from the start of the file.
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
