// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization

/// How long camera and microphone have been open off air for somebody who looks, which is one time for the whole box. Pure:
/// the caller passes the time.
struct Aiming {
  enum Request: Equatable {
    case first
    /// A person asks to see the camera again.
    case again
    /// What was begun earlier goes on: the next piece of a stream, the next image of a series.
    case more
  }

  /// The longest time.
  static let lengthNanos = Int64.seconds(600)
  /// After so long without a request, the next one begins anew.
  static let restNanos = Int64.seconds(60)

  private var since: MediaTime?
  private var askedAt = MediaTime.distantPast

  /// Whether the camera may be shown now.
  mutating func allows(_ request: Request, now: MediaTime) -> Bool {
    let hasRested = now - askedAt >= Aiming.restNanos
    askedAt = now
    let begins = request == .again || request == .first && hasRested
    let since = begins ? now : since ?? now
    self.since = since
    return now - since < Aiming.lengthNanos
  }
}

/// Whether somebody may see what the preview has.
enum ViewVerdict {
  case open
  /// Off air it opens camera and microphone.
  case needsControl
  /// Off air it has been open for as long as it may.
  case over
}

extension Station {
  /// - Parameter mayAim: whether the caller may open camera and microphone.
  func view(_ request: Aiming.Request, mayAim: Bool) -> ViewVerdict {
    state.withLock { state in
      if state.isOnAir { return .open }
      guard mayAim else { return .needsControl }
      return state.aiming.allows(request, now: clock.now) ? .open : .over
    }
  }
}
