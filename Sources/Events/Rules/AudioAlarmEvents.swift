// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Logging

extension EventLog {
  /// Reports the alarms of audio tracks that begin or end, and keeps one trouble for each track: its gravest alarm.
  package func handle(_ reports: [AudioAlarmRules.Report], _ rules: AudioAlarmRules) {
    for report in reports {
      self.report(
        report.begins ? .audioAlarm : .audioAlarmOver, level: report.begins ? .warning : .notice,
        subject: "track.\(report.track)", cause: report.alarm.rawValue, report.sentence)
    }
    for track in Set(reports.map(\.track)) {
      let subject = "track.\(track)"
      if let gravest = rules.gravest(of: track) {
        beginTrouble(subject, cause: gravest.alarm.rawValue, gravest.sentence)
      } else {
        endTrouble(subject)
      }
    }
  }
}
