// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether a further rendition of the video is encoded beside that of the broadcast: if a sink wants one, and
/// the broadcast's encoder still has time for more than the cheapest effort. Reads no clock and does no I/O: the time
/// is passed in.
public struct SecondEncodingRules: Sendable {
  /// How busy the encoders are.
  public struct Load: Sendable {
    /// The level of the broadcast's speed governor; `nil` at a fixed speed.
    public var level: Double?
    /// Whether the machine is too slow for what it encodes: frames are dropped, or the picture is reduced.
    public var isTooMuch = false
    /// The frames that the second encoder has dropped since it began.
    public var dropped = 0

    public init() {}
  }

  /// The level above which there is room for a second encoder, and the one below which there is none.
  private static let level = (room: 2.0, least: 1.0)
  /// How long the level has to be too low, since single scenes are costly.
  static let span = Duration.seconds(5)
  /// The frames that the second encoder may drop in a while, and the length of that. What it drops while its encoder is
  /// being opened does not count.
  private static let mostDropped = (count: 15, in: Duration.seconds(10))
  /// The time until another attempt, at first and at most.
  private static let patience = (first: Duration.seconds(60), longest: Duration.seconds(1_800))
  /// After this time an attempt counts as a success, and the next one does not have to wait longer.
  private static let calmSpan = Duration.seconds(600)

  /// Whether the second rendition is encoded.
  public private(set) var isRunning = false
  /// Whether a second rendition is wanted, but there is no room for it.
  public var isRefused: Bool { isWanted && !isRunning }
  private var isWanted = false
  private var beganAt = Duration.zero
  /// The frames that were dropped before the present while, and when that began; `nil` before the first one.
  private var dropsBefore: (count: Int, at: Duration)?
  /// When it may be tried again.
  private var retryAt: Duration?
  private var patience = SecondEncodingRules.patience.first
  /// Since when the level has been too low; `nil` while it is not.
  private var lowSince: Duration?

  public init() {}

  /// - Parameters:
  ///   - isWanted: whether a sink wants the second rendition.
  ///   - isExcused: whether it goes on whatever the load is, because another encoding is to end first.
  ///   - mayBegin: `false` if it cannot begin now, because the load does not show yet what another encoding takes.
  /// - Returns: whether it is to be encoded.
  public mutating func follow(
    isWanted: Bool, _ load: Load, isExcused: Bool = false, mayBegin: Bool = true, at now: Duration
  ) -> Bool {
    guard isWanted else {
      self = SecondEncodingRules()
      return false
    }
    self.isWanted = true
    if isRunning, isExcused {
      (lowSince, dropsBefore) = (nil, nil)
    } else if isRunning {
      if !hasRoom(load, at: now) { giveUp(at: now) }
    } else if mayBegin, now >= retryAt ?? now, !load.isTooMuch,
      load.level ?? .infinity >= Self.level.room
    {
      (isRunning, beganAt, lowSince, dropsBefore) = (true, now, nil, nil)
    }
    return isRunning
  }

  /// Whether the second encoder can go on.
  private mutating func hasRoom(_ load: Load, at now: Duration) -> Bool {
    let isLow = load.level ?? .infinity < Self.level.least
    lowSince = isLow ? lowSince ?? now : nil
    if dropsBefore.map({ now - $0.at >= Self.mostDropped.in }) ?? (now - beganAt >= Self.span) {
      dropsBefore = (load.dropped, now)
    }
    let dropped = dropsBefore.map { load.dropped - $0.count } ?? 0
    return !load.isTooMuch && dropped <= Self.mostDropped.count
      && lowSince.map { now - $0 < Self.span } ?? true
  }

  private mutating func giveUp(at now: Duration) {
    if now - beganAt >= Self.calmSpan { patience = Self.patience.first }
    isRunning = false
    retryAt = now + patience
    patience = min(patience * 2, Self.patience.longest)
  }
}
