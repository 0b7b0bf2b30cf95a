// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Logging

extension EventLog {
  private static let music = "music"

  /// Reports what has happened to the music.
  func handle(_ report: MusicReport) {
    switch report {
    case .started(let name, let title, let isBack):
      endTrouble(EventLog.music)
      let words = title.map { "\($0) (\(name))" } ?? name
      self.report(
        .musicStarted, subject: EventLog.music,
        isBack ? "The music plays again: \(words)." : "The music plays: \(words).")
    case .completed(let name):
      endTrouble(EventLog.music)
      self.report(.musicCompleted, subject: EventLog.music, "The music has ended: \(name).")
    case .skipped(let trouble):
      self.report(
        .musicFailed, level: .warning, subject: EventLog.music, cause: trouble.code,
        "\(trouble.sentence) It is left out.")
    case .interrupted(let trouble):
      let sentence = "\(trouble.sentence) OnAir tries again by itself."
      self.report(
        .musicFailed, level: .warning, subject: EventLog.music, cause: trouble.code, sentence)
      beginTrouble(EventLog.music, cause: trouble.code, sentence)
    case .failed(let trouble):
      endTrouble(EventLog.music)
      self.report(
        .musicFailed, level: .warning, subject: EventLog.music, cause: trouble.code,
        "\(trouble.sentence) The music has ended.")
    }
  }
}
