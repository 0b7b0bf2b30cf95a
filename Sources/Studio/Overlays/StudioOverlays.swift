// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Synchronization

// Times of the overlays, and texts that programs set for them.

extension Studio {
  /// Sets what `{api:NAME}` stands for in texts on the picture, by name.
  public func set(texts: [String: String]) { update { $0.texts = texts } }

  /// Whether the settings `from` and `until` of an overlay allow that it is shown at this time.
  /// - Parameter section: the overlay's section in the settings, such as "overlay.logo". For a section that is not an
  ///   overlay, the result is `true`.
  public func isDue(_ section: String) -> Bool {
    !waiting(state.withLock { $0.settings }).contains { "overlay.\($0)" == section }
  }

  /// Lets overlays come and go at their times, also when the wall clock is set.
  func followTimes() {
    let (video, settings) = state.withLock { ($0.video, $0.followed) }
    video?.follow(waiting: waiting(settings))
  }

  /// The names of the overlays that are not shown at this time.
  func waiting(_ settings: Settings) -> Set<String> {
    let (zone, now) = (facts.withLock { $0.zone }, wallClock.seconds)
    return Set(settings.overlays.filter { !$0.times.include(now, in: zone) }.map(\.name))
  }
}
