// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events

/// Decides what is told of sticks. Reads no clock and does no I/O.
struct StickRules {
  /// An event that is to be reported.
  struct Report: Equatable {
    var code: Event.Code
    var cause: String?
    var sentence: String
  }

  /// The stick at the last call; `nil` for none.
  private var known: Status.Record.Stick?

  /// The reports that are due.
  /// - Parameters:
  ///   - stick: the stick that is plugged in; `nil` for none.
  ///   - isUsed: whether recordings go to it.
  mutating func check(_ stick: Status.Record.Stick?, isUsed: Bool) -> [Report] {
    let before = known?.id == stick?.id ? known : nil
    var reports: [Report] = []
    if let known, known.id != stick?.id, known.state != "removed" {
      reports.append(
        Report(code: .stickGone, sentence: "The stick\(known.shownName) was unplugged."))
    }
    known = stick
    guard let stick else { return reports }
    let name = stick.shownName
    if stick.state != before?.state || stick.problem != before?.problem {
      switch stick.state {
      case "unusable":
        reports.append(
          Report(code: .stickUnusable, cause: stick.problem, sentence: stick.told("cannot be used"))
        )
      case "removed":
        reports.append(
          Report(code: .stickRemovable, sentence: "The stick\(name) can be unplugged."))
      case "ready" where stick.problem == "busy":
        reports.append(
          Report(
            code: .recordFailed, cause: "stick_busy", sentence: stick.told("cannot be removed yet"))
        )
      case "ready" where stick.readOnly:
        reports.append(
          Report(
            code: .stickUnusable, cause: "read_only",
            sentence: stick.told("is read-only: check its switch, or take another one")))
      case "ready":
        reports.append(
          Report(
            code: .stickReady,
            sentence: "The stick\(name) is ready\(isUsed ? ", recordings go to it" : "")."))
      default: break
      }
    }
    if let speed = stick.speed, speed != before?.speed, speed != "fast" {
      let words =
        switch speed {
        case "fake": "does not keep what is written to it: take another one"
        case "stalls": "stops for seconds at times, so parts of recordings may be missing"
        default: "is too slow for the bit rate, so parts of recordings will be missing"
        }
      reports.append(Report(code: .stickSlow, cause: speed, sentence: stick.told(words)))
    }
    return reports
  }
}

extension Status.Record.Stick {
  /// The label in quotes, after a blank; empty without one.
  fileprivate var shownName: String { label.isEmpty ? "" : " \"\(label.onOneLine)\"" }

  /// What is wrong with the stick, as a sentence.
  fileprivate func told(_ words: String) -> String {
    sentence ?? "The stick\(shownName) \(words)."
  }
}
