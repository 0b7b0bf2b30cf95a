// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings
internal import Studio

extension Status.Headphones {
  /// - Parameter isHeard: whether viewers hear what the headphones are for: anything, or the track.
  init(_ monitor: MonitorState, isHeard: Bool) {
    device = monitor.settings.pcm
    switch monitor.settings.source {
    case .programme: source = "programme"
    case .track(let name): source = name
    }
    let delay = monitor.delayNanos.map { Int(($0 + 500_000) / 1_000_000) }
    let isPrivate = monitor.settings.source == .programme && !isHeard
    switch monitor.report {
    case _ where !monitor.isOpen:
      (state, sentence) = (
        "closed", "They play when a broadcast runs or somebody looks at the picture."
      )
    case nil: (state, sentence) = ("opening", "They are being opened.")
    case let report? where report.state != .running:
      (state, sentence) = (report.code, report.sentence)
    case .some where isPrivate:
      (state, sentence) = ("private", "They are silent, because viewers hear nothing now.")
    case .some:
      let what = source == "programme" ? "what viewers hear" : "the sound of \(source)"
      let late = delay.map { ", \($0) ms after it was made" } ?? ", but nothing comes"
      let unheard = isHeard ? "" : "; viewers hear nothing of it"
      (state, sentence) = ("on", "They play \(what)\(late)\(unheard).")
    }
    heard = isHeard
    delayMs = state == "on" || state == "private" ? delay : nil
  }
}
