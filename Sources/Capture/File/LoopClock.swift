// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// When the moments of a looped file are due: pass k begins at epoch + k × duration.
///
/// Pure. Pictures and sound of one file each have their own, and agree since both have the same epoch
/// and find the same duration.
struct LoopClock: Equatable {
  /// A shorter file is looped as if it were so long: going back costs more than a picture.
  static let shortest: Int64 = .milliseconds(100)

  /// As far from where the file ends the container may put it: not every packet says how long it lasts.
  static let slack: Int64 = .milliseconds(500)

  let epoch: MediaTime
  /// What the container says, until the end of a pass shows otherwise.
  private(set) var duration: Int64?
  private(set) var passStart: MediaTime
  private var measured = false

  /// - Parameter duration: nanoseconds; `nil` if the container does not say.
  init(epoch: MediaTime, duration: Int64?) {
    self.epoch = epoch
    self.duration = duration.map { max($0, LoopClock.shortest) }
    passStart = epoch
  }

  /// Goes to the pass that is on at `now`.
  /// - Returns: nanoseconds into the file.
  mutating func begin(at now: MediaTime) -> Int64 {
    guard now > epoch, let duration else {
      passStart = epoch
      return 0
    }
    let into = (now - epoch) % duration
    passStart = now - into
    return into
  }

  /// When what stands at `time` in the file is due.
  func due(_ time: Int64) -> MediaTime { passStart + time }

  /// When the present pass ends; the distant future while that is not known.
  var passEnd: MediaTime { duration.map { passStart + $0 } ?? .distantFuture }

  /// The file goes on up to `end`, or longer. Where that is well behind what the container says, the pass
  /// lasts until the file ends.
  mutating func goesOn(to end: Int64) {
    if !measured, let said = duration, end > said + LoopClock.slack { duration = nil }
  }

  /// The file has ended.
  /// - Parameter end: where its last picture or sound ended, in nanoseconds.
  mutating func passEnded(at end: Int64) {
    if !measured {
      measured = true
      // A file cut short is looped at the cut, one that is longer at its end.
      let isRight = duration.map { abs(end - $0) <= LoopClock.slack } ?? false
      if !isRight { duration = max(end, LoopClock.shortest) }
    }
    guard let duration else { return }
    let elapsed = passStart + duration - epoch
    passStart = epoch + (elapsed + duration - 1) / duration * duration
  }
}
