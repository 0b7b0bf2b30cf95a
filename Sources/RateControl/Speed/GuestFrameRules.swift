// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides how many of the guests' frames are decoded: fewer while the machine is too slow, before the programme loses
/// a frame. Reads no clock and does no I/O: the time is passed in.
public struct GuestFrameRules: Sendable {
  /// The level of the speed governor below which guests get fewer frames, and the one above which they get more.
  private static let level = (least: 0.5, room: 1.5)
  /// How long a change has to show its effect before the next one to fewer frames.
  private static let settlingSpan = Duration.seconds(2)
  /// How long there has to be room before guests get more frames.
  private static let roomSpan = Duration.seconds(20)
  /// With more than this, a guest is a slide show.
  private static let largestDivisor = 8

  /// Guests get at most the programme's frame rate divided by this: 1, 2, 4 or 8.
  public private(set) var divisor = 1
  private var changedAt: Duration?
  /// Since when there is room for more frames; `nil` while there is not.
  private var roomSince: Duration?

  public init() {}

  /// - Parameters:
  ///   - level: the level of the speed governor; `nil` at a fixed speed.
  ///   - isTooMuch: whether the machine is too slow for what it encodes.
  public mutating func follow(level: Double?, isTooMuch: Bool, at now: Duration) {
    // At a fixed speed, only lost frames tell that there is no room.
    let level = level ?? Self.level.room
    if isTooMuch || level < Self.level.least {
      roomSince = nil
      guard divisor < Self.largestDivisor, changedAt.map({ now - $0 >= Self.settlingSpan }) ?? true
      else { return }
      (divisor, changedAt) = (divisor * 2, now)
      return
    }
    guard divisor > 1, level >= Self.level.room else {
      roomSince = nil
      return
    }
    let since = roomSince ?? now
    roomSince = since
    guard now - since >= Self.roomSpan else { return }
    (divisor, changedAt, roomSince) = (divisor / 2, now, nil)
  }
}
