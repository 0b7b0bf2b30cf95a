// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The two kinds of packets of a guest.
enum GuestKind: Int, CaseIterable, Sendable {
  case video
  case audio
}

/// Makes continuous times of a live sender's timestamps, which may jump, wrap or stand still.
///
/// A jump is told from a gap by the arrival: after a gap, the timestamps have moved on as far as the clock has. What
/// jumps gets a shift with which the packet is neither early nor late. The other track, which jumps a moment later by
/// as much, gets the same shift, so that video and audio stay together.
///
/// Reads no clock and does no I/O.
struct GuestTimestamps {
  /// The largest step from a packet to the next of its track, and the largest lateness or earliness after a larger
  /// step, that is not a jump, in nanoseconds.
  static let maxStepNanos: Int64 = .seconds(1)
  /// The largest step back that is not a jump, in nanoseconds.
  static let maxBackNanos: Int64 = .milliseconds(100)
  /// The time in nanoseconds after which timestamps that do not grow count as standing still.
  static let standstillNanos: Int64 = .milliseconds(500)
  /// The most shifts that are remembered. Several are needed while both tracks change to a new one.
  private static let maxShifts = 4

  /// The result of `place`.
  struct Place: Equatable {
    /// What has to be added to the packet's timestamps, in nanoseconds.
    var shift: Int64
    /// Whether the timestamp has grown, so that the arrival says how late the packet is.
    var isMoving: Bool
  }

  private struct Track {
    /// The timestamp of the last packet, as the sender has stated it.
    var stated: Int64
    /// What is added to the timestamps.
    var shift: Int64
    /// When the last packet with a larger timestamp than all before it arrived.
    var advancedAt: MediaTime
    var isStanding = false
  }

  private var tracks: [Track?] = [nil, nil]
  /// The shifts of all tracks; the latest is the last.
  private var shifts: [Int64] = []

  /// Finds the shift that makes a packet's timestamps continuous.
  /// - Parameters:
  ///   - stated: the packet's decoding timestamp in nanoseconds.
  ///   - expected: the continuous time of a packet that arrives now and is not late; `nil` if the arrival says nothing
  ///     because the stream is read as fast as it is played.
  mutating func place(
    _ kind: GuestKind, stated: Int64, arrived: MediaTime, expected: Int64?
  ) -> Place {
    guard var track = tracks[kind.rawValue] else {
      let shift = knownShift(stated, near: expected ?? end) ?? (expected ?? end) - stated
      remember(shift)
      tracks[kind.rawValue] = Track(stated: stated, shift: shift, advancedAt: arrived)
      return Place(shift: shift, isMoving: true)
    }
    let step = stated - track.stated
    let isBack = step < -GuestTimestamps.maxBackNanos
    let isJump = isBack || step > GuestTimestamps.maxStepNanos
    if step > 0 { track.advancedAt = arrived }
    if step <= 0, !isBack, let expected,
      arrived - track.advancedAt > GuestTimestamps.standstillNanos
    {
      track.isStanding = true
      track.shift = expected - stated
    } else if track.isStanding || isJump {
      track.isStanding = false
      track.advancedAt = arrived
      let target = expected ?? track.stated + track.shift
      // After a step back, the present shift cannot be right.
      let present = isBack ? nil : track.shift
      if isBack { shifts.removeAll { $0 == track.shift } }
      track.shift = knownShift(stated, near: target, present: present) ?? target - stated
      remember(track.shift)
    }
    track.stated = stated
    tracks[kind.rawValue] = track
    return Place(shift: track.shift, isMoving: step > 0 || isJump)
  }

  /// The latest continuous time so far; 0 before the first packet.
  private var end: Int64 { tracks.compactMap { $0.map { $0.stated + $0.shift } }.max() ?? 0 }

  /// The known shift that brings a packet nearest to `target`; `nil` if none does to within `maxStepNanos`. The track's
  /// present shift is preferred to all others.
  private func knownShift(_ stated: Int64, near target: Int64, present: Int64? = nil) -> Int64? {
    func distance(_ shift: Int64) -> Int64 { abs(stated + shift - target) }
    if let present, distance(present) <= GuestTimestamps.maxStepNanos { return present }
    return shifts.filter { distance($0) <= GuestTimestamps.maxStepNanos }
      .min { distance($0) < distance($1) }
  }

  private mutating func remember(_ shift: Int64) {
    shifts.removeAll { $0 == shift }
    shifts.append(shift)
    if shifts.count > GuestTimestamps.maxShifts { shifts.removeFirst() }
  }
}
