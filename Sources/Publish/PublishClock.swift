// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// From the program's timeline to the milliseconds of one publish, which begin with 0.
///
/// RTMP's own time wraps at 32 bits, after 49.7 days (specification 1.0, section 5.1); so does this.
struct PublishClock: Equatable {
  private var zero: MediaTime?
  private var lastPicture: Int64 = -1
  private var lastSound: Int64 = 0
  private var firstSound: MediaTime?

  var isRunning: Bool { zero != nil }

  /// Begins a publish; what is stamped next has to be at `time` or later.
  mutating func start(at time: MediaTime) {
    zero = time
    lastPicture = -1
    lastSound = 0
    firstSound = nil
  }

  mutating func stop() { zero = nil }

  /// Milliseconds of a picture; they rise strictly, whatever the times do.
  /// - Returns: `nil` before the start of the publish.
  mutating func video(_ time: MediaTime) -> UInt32? {
    guard let elapsed = elapsed(time) else { return nil }
    lastPicture = max(elapsed, lastPicture + 1)
    return UInt32(truncatingIfNeeded: lastPicture)
  }

  /// Milliseconds of a sound; they never fall.
  /// - Returns: `nil` for what is older than the start of the publish.
  mutating func audio(_ time: MediaTime) -> UInt32? {
    guard let elapsed = elapsed(time), elapsed >= 0 else { return nil }
    lastSound = max(elapsed, lastSound)
    if firstSound == nil { firstSound = time }
    return UInt32(truncatingIfNeeded: lastSound)
  }

  /// Nanoseconds by which sound begins after the pictures, and is to end after them.
  var soundLag: Int64 {
    guard let zero, let firstSound else { return 0 }
    return firstSound - zero
  }

  /// Whether a piece of sound makes sound and pictures more nearly equally long, when the last picture
  /// lasts until `end`.
  /// - Parameter length: of the piece, in nanoseconds.
  func evensOut(_ time: MediaTime, length: Int64, picturesEnd end: MediaTime) -> Bool {
    guard let zero else { return false }
    return time + length / 2 - (firstSound ?? time) <= end - zero
  }

  /// Whole milliseconds since the start, rounded down.
  private func elapsed(_ time: MediaTime) -> Int64? {
    zero.map { (time - $0).dividedDown(by: 1_000_000) }
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
