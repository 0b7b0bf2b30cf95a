// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Control
internal import Events

extension EventLog {
  /// Handles a report about passwords and tokens: logs a change; lists a problem as a trouble in the status.
  func take(_ report: AccessReport) {
    switch report {
    case .unreadable:
      note(.error, report.sentence, code: "access_unreadable")
      beginTrouble("access", cause: "access_unreadable", report.sentence)
    case .lost:
      note(.warning, report.sentence, code: "password_lost")
      beginTrouble("access", cause: "password_lost", report.sentence)
    case .notSaved:
      note(.warning, report.sentence, code: "not_saved")
      beginTrouble("access", cause: "not_saved", report.sentence)
    case .saved, .reset, .setUp:
      note(.notice, report.sentence)
      endTrouble("access")
    case .wrongAttempts: note(.warning, report.sentence, code: "wrong_attempts")
    case .passwordChanged, .tokenMade, .tokenRemoved, .tokensRemoved, .operatorPassword, .code:
      note(.notice, report.sentence)
    }
  }
}
