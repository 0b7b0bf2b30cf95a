// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Event.Totals {
  /// If the only connection of a broadcast took less than this many seconds, viewers missed nothing by it.
  private static let connectingSeconds = 3

  /// A sentence about the broadcast for its end: how long it was, and what viewers missed.
  /// - Parameters:
  ///   - goesOn: whether only the program ends, and continues the broadcast at its next start.
  ///   - hasReachedMain: whether data has been sent to the main server.
  ///   - hasReachedRelay: whether data has been sent to a relay.
  ///   - reconnects: how many connections were made after the first.
  ///   - overflows: how often queued packets were dropped because the link was too slow.
  ///   - standstills: how often the program itself did not run.
  func sentence(
    goesOn: Bool = false, hasReachedMain: Bool, hasReachedRelay: Bool = false, reconnects: Int,
    overflows: Int, standstills: Int = 0
  ) -> String {
    let age = Phrase.duration(seconds)
    let ended =
      goesOn
      ? "OnAir ends after \(age) of the broadcast, which goes on at the next start. "
      : "The broadcast has ended after \(age). "
    let since = countedSeconds.map { "OnAir began anew \(Phrase.duration($0)) before the end" }
    guard hasReachedMain || hasReachedRelay else {
      return ended
        + (since.map { "\($0), and no server has taken the stream since." }
          ?? "No server took the stream, so nobody has seen it.")
    }
    let missed = reasons(
      reconnects: reconnects, overflows: overflows, standstills: standstills)
    let relays = hasReachedMain ? "" : "Only relays had it, the first server never did. "
    if let since {
      let others = missed.isEmpty ? "" : ". Since then: \(missed.joined(separator: ", "))"
      return ended + relays
        + "Viewers missed something: \(since), and what they missed until then is not known\(others)."
    }
    return ended + relays
      + (missed.isEmpty
        ? "Viewers missed nothing."
        : "Viewers missed something: \(missed.joined(separator: ", ")).")
  }

  /// What viewers missed, as parts of a sentence; empty if they missed nothing.
  private func reasons(reconnects: Int, overflows: Int, standstills: Int) -> [String] {
    var reasons: [String] = []
    if let seconds = withoutCameraSeconds {
      reasons.append("there was no picture for \(Phrase.duration(seconds))")
    }
    if let seconds = withoutMicrophoneSeconds {
      reasons.append("there was no sound for \(Phrase.duration(seconds))")
    }
    if let seconds = withoutServerSeconds,
      reconnects > 0 || seconds >= Event.Totals.connectingSeconds
    {
      reasons.append("the server did not have the broadcast for \(Phrase.duration(seconds))")
    }
    if reconnects > 0 {
      reasons.append("the connection was made anew \(Phrase.count(reconnects, "time"))")
    }
    if overflows > 0 {
      reasons.append("the network was too slow \(Phrase.count(overflows, "time"))")
    }
    if standstills > 0 {
      reasons.append("the box stood still \(Phrase.count(standstills, "time"))")
    }
    if dropped > 0 {
      let count = Phrase.count(
        dropped, "frame or audio packet was", plural: "frames or audio packets were")
      reasons.append("\(count) dropped on a slow network")
    }
    if late > 0 {
      let count = Phrase.count(
        late, "frame or audio block was", plural: "frames or audio blocks were")
      reasons.append("\(count) left out because the box was too slow")
    }
    return reasons
  }
}
