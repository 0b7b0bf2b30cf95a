// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when the box makes its own Wi-Fi and when it ends it. Pure: the caller passes the time.
///
/// It begins when there has been no network for 60 s since the start, so that a box in a new place can be set up by a
/// phone. A network that was there and is lost does not start it: the radio is then needed to find that network again.
struct HotspotRules {
  static let patience = Int64.seconds(60)
  /// The box's own Wi-Fi ends when nobody has used it for so long: to look for a Wi-Fi that is known (after a power cut
  /// the box is up before its router), or for good if it was made by hand.
  static let unused = Int64.seconds(300)
  /// How long it looks for a known Wi-Fi then.
  static let lookTime = Int64.seconds(40)
  /// Between two attempts to make it.
  static let retryPause = Int64.seconds(30)
  /// How long it is tried to make the one that was switched on by hand.
  static let handPatience = Int64.seconds(120)

  struct Input: Equatable {
    var hasWay = false
    var isUp = false
    /// There is a radio, and it is switched on.
    var canMake = true
    /// The settings want it.
    var isAutomatic = true
    /// A change is being tried, which needs the radio.
    var isBusy = false
    /// Somebody has looked at the network's state lately.
    var isWatched = false
    var knowsWiFi = false
  }

  enum Action: Equatable {
    case none, start
    /// Ends it for good: another network is there, or nobody uses it.
    case stop
    /// Ends it to look for a known Wi-Fi.
    case pause
  }

  private var hadWay = false
  private var absentSince: MediaTime?
  private var upSince: MediaTime?
  private var watchedAt: MediaTime?
  /// When it was switched on by hand; `nil` if it was not.
  private var byHandAt: MediaTime?
  private var waitsUntil = MediaTime.distantPast

  /// The box's own Wi-Fi was switched on or off by hand.
  mutating func noteHand(_ isOn: Bool, now: MediaTime) {
    byHandAt = isOn ? now : nil
    waitsUntil = now
    if !isOn { hadWay = true }
  }

  /// Somebody gives a Wi-Fi: that ends it.
  mutating func noteJoin() { byHandAt = nil }

  /// Its name or password has changed: it begins anew with those.
  mutating func noteSettings(now: MediaTime) { waitsUntil = now }

  /// Somebody gave a Wi-Fi that could not be joined: they are at the box, and need its Wi-Fi again at once.
  mutating func noteFailedJoin(now: MediaTime) {
    hadWay = false
    absentSince = now - HotspotRules.patience
    watchedAt = now
    waitsUntil = now
  }

  mutating func look(_ input: Input, now: MediaTime) -> Action {
    if input.isWatched { watchedAt = now }
    upSince = input.isUp ? upSince ?? now : nil
    absentSince = input.hasWay ? nil : absentSince ?? now
    if input.hasWay { hadWay = true }
    if let upSince {
      let isUnused = now - max(upSince, watchedAt ?? upSince) >= HotspotRules.unused
      if byHandAt != nil {
        guard isUnused else { return .none }
        byHandAt = nil
        return .stop
      }
      if input.hasWay || !input.isAutomatic { return .stop }
      guard input.knowsWiFi, isUnused, !input.isBusy else { return .none }
      waitsUntil = now + HotspotRules.lookTime
      return .pause
    }
    guard input.canMake, !input.isBusy, now >= waitsUntil else { return .none }
    let isDue = absentSince.map { now - $0 >= HotspotRules.patience } ?? false
    if let at = byHandAt, now - at >= HotspotRules.handPatience { byHandAt = nil }
    guard byHandAt != nil || (input.isAutomatic && !hadWay && isDue) else { return .none }
    waitsUntil = now + HotspotRules.retryPause
    return .start
  }
}
