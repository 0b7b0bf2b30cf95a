// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Synchronization

// The times at which overlays are shown, and the overlay texts that programs set over the API.

extension Studio {
  /// Sets the values that replace the placeholders `{api:NAME}` in text overlays. The keys are the NAMEs.
  public func set(texts: [String: String]) { update { $0.texts = texts } }

  /// Whether an overlay is shown at the present time, according to its settings `from` and `until`.
  /// - Parameter section: the overlay's section in the settings, such as "overlay.logo". For a section that is not an
  ///   overlay, the result is `true`.
  public func isDue(_ section: String) -> Bool {
    !hiddenOverlays(state.withLock { $0.settings }).contains { "overlay.\($0)" == section }
  }

  /// Shows and hides guests, and overlays at their times. To be called regularly, since the wall clock may be changed
  /// at any time.
  func followShownLayers() {
    let (video, settings) = state.withLock { ($0.video, $0.appliedSettings) }
    video?.follow(shownLayers(settings))
  }

  /// What the picture shows at the present time.
  func shownLayers(_ settings: Settings) -> ShownLayers {
    ShownLayers(
      hiddenOverlays: hiddenOverlays(settings), guests: state.withLock { $0.guests })
  }

  /// The names of the overlays that are not shown at the present time, according to their settings.
  func hiddenOverlays(_ settings: Settings) -> Set<String> {
    let (zone, now) = (textVariables.withLock { $0.zone }, wallClock.seconds)
    return Set(settings.overlays.filter { !$0.times.includes(now, in: zone) }.map(\.name))
  }
}
