// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when the box makes its own Wi-Fi, and when the box ends that Wi-Fi. Reads no clock and does no I/O: the time
/// is passed in.
///
/// The Wi-Fi begins when there has been no network for 60 s since the start, so that a box in a new place can be set up
/// by a phone. The loss of a network does not start the box's own Wi-Fi: the radio is then needed to find that network
/// again.
struct HotspotRules {
  /// Nanoseconds without a network after which the box makes its own Wi-Fi.
  static let startDelay = Int64.seconds(60)
  /// Nanoseconds without use after which the box's own Wi-Fi ends. If it was switched on by hand, it ends for good. If
  /// it began by itself and the box knows another Wi-Fi, it ends for `lookTime` only, while the radio looks for the
  /// known Wi-Fi: after a power cut, a router may come up later than the box.
  static let unusedSpan = Int64.seconds(300)
  /// Nanoseconds for which the box's own Wi-Fi stays off to look for a known Wi-Fi.
  static let lookTime = Int64.seconds(40)
  /// Nanoseconds between two attempts to make the box's own Wi-Fi.
  static let retryPause = Int64.seconds(30)
  /// Nanoseconds for which the box tries to make its own Wi-Fi after somebody has switched it on by hand.
  static let manualStartSpan = Int64.seconds(120)

  /// The conditions on which the decision depends.
  struct Input: Equatable {
    /// Whether the box is in a network.
    var isOnline = false
    /// Whether the box's own Wi-Fi is up, or is being started.
    var isUp = false
    /// Whether the box has a Wi-Fi radio that is switched on.
    var hasUsableRadio = true
    /// Whether the settings let the box's own Wi-Fi begin by itself.
    var isAutomatic = true
    /// Whether a change of the network is being tried. The change may need the radio.
    var isBusy = false
    /// Whether somebody has asked for the state of the network lately.
    var isWatched = false
    /// Whether a connection that joins a Wi-Fi is saved.
    var knowsWiFi = false
  }

  /// An action on the box's own Wi-Fi.
  enum Action: Equatable {
    case none, start
    /// Ends the box's own Wi-Fi for good: the box is in a network, the settings do not let this Wi-Fi begin by itself,
    /// or nobody uses it.
    case stop
    /// Ends the box's own Wi-Fi for a while, to look for a known Wi-Fi.
    case pause
  }

  /// Whether the box's own Wi-Fi does not begin by itself any more, because the box has been in a network since the
  /// start, or because somebody has switched its own Wi-Fi off by hand.
  private var hasAutomaticStartEnded = false
  /// Since when the box has been in no network; `nil` while it is in one.
  private var absentSince: MediaTime?
  /// Since when the box's own Wi-Fi has been up; `nil` while it is not.
  private var upSince: MediaTime?
  /// When somebody last watched the state of the network, for example on the page; `nil` if nobody has.
  private var watchedAt: MediaTime?
  /// When somebody switched the box's own Wi-Fi on by hand; `nil` if nobody did.
  private var byHandAt: MediaTime?
  /// The time before which the box's own Wi-Fi must not be made.
  private var waitsUntil = MediaTime.distantPast

  /// Notes that the box's own Wi-Fi was switched on or off by hand.
  mutating func noteManualSwitch(_ isOn: Bool, now: MediaTime) {
    byHandAt = isOn ? now : nil
    waitsUntil = now
    if !isOn { hasAutomaticStartEnded = true }
  }

  /// Notes that somebody wants the box to join a Wi-Fi: the box's own Wi-Fi no longer counts as switched on by hand.
  mutating func noteJoin() { byHandAt = nil }

  /// Notes that the settings of the box's own Wi-Fi have changed: it may be made again at once, with the new settings.
  mutating func noteSettings(now: MediaTime) { waitsUntil = now }

  /// Notes that the box could not join a Wi-Fi. The person who has requested the join is near the box, and needs the
  /// box's own Wi-Fi again at once.
  mutating func noteFailedJoin(now: MediaTime) {
    hasAutomaticStartEnded = false
    absentSince = now - HotspotRules.startDelay
    watchedAt = now
    waitsUntil = now
  }

  /// Decides whether to start or to end the box's own Wi-Fi now. To be called regularly.
  mutating func decide(_ input: Input, now: MediaTime) -> Action {
    if input.isWatched { watchedAt = now }
    upSince = input.isUp ? upSince ?? now : nil
    absentSince = input.isOnline ? nil : absentSince ?? now
    if input.isOnline { hasAutomaticStartEnded = true }
    if let upSince {
      let isUnused = now - max(upSince, watchedAt ?? upSince) >= HotspotRules.unusedSpan
      if byHandAt != nil {
        guard isUnused else { return .none }
        byHandAt = nil
        return .stop
      }
      if input.isOnline || !input.isAutomatic { return .stop }
      guard input.knowsWiFi, isUnused, !input.isBusy else { return .none }
      waitsUntil = now + HotspotRules.lookTime
      return .pause
    }
    guard input.hasUsableRadio, !input.isBusy, now >= waitsUntil else { return .none }
    let isDue = absentSince.map { now - $0 >= HotspotRules.startDelay } ?? false
    if let at = byHandAt, now - at >= HotspotRules.manualStartSpan { byHandAt = nil }
    guard byHandAt != nil || (input.isAutomatic && !hasAutomaticStartEnded && isDue) else {
      return .none
    }
    waitsUntil = now + HotspotRules.retryPause
    return .start
  }
}
