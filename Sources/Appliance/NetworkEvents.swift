// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Control
internal import Events
internal import Networking

extension EventLog {
  /// Handles a report about the box's network: makes it an event, or only a line in the log.
  func take(_ report: NetworkReport) {
    switch report {
    case .joined(let sentence): self.report(.wifiJoined, sentence)
    case .up(let sentence): self.report(.networkUp, sentence)
    case .down(let sentence): self.report(.networkDown, level: .warning, sentence)
    case .switched(let sentence): self.report(.networkWay, sentence)
    case .failed(let cause, let sentence):
      self.report(.wifiFailed, level: .warning, cause: cause, sentence)
    case .hotspotStarted(let sentence): self.report(.hotspotStarted, sentence)
    case .hotspotEnded(let sentence): self.report(.hotspotEnded, sentence)
    case .undone(let sentence): self.report(.networkChangeUndone, level: .warning, sentence)
    case .note(let sentence): note(.notice, sentence)
    }
  }
}
