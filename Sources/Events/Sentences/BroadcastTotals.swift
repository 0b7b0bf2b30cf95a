// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Event.Totals {
  /// If the only connection of a broadcast took less than this many seconds, viewers missed nothing by it.
  private static let connectingSeconds = 3

  /// A sentence about the broadcast for its end: how long it was, and what viewers missed.
  var sentence: String {
    let age = Phrase.duration(seconds)
    let ended =
      goesOn == true
      ? "OnAir ends after \(age) of the broadcast, which goes on at the next start. "
      : "The broadcast has ended after \(age). "
    let since = countedSeconds.map { "OnAir began anew \(Phrase.duration($0)) before the end" }
    guard reached != "nobody" else {
      return ended
        + (since.map { "\($0), and no server has taken the stream since." }
          ?? "No server took the stream, so nobody has seen it.")
    }
    let missed = reasons
    let relays = reached == "main" ? "" : "Only relays had it, the first server never did. "
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
  private var reasons: [String] {
    var reasons: [String] = []
    let (reconnects, overflows) = (reconnects ?? 0, overflows ?? 0)
    if let seconds = withoutCameraSeconds {
      reasons.append("there was no picture for \(Phrase.duration(seconds))")
    }
    if let seconds = withoutMicrophoneSeconds {
      reasons.append("there was no sound for \(Phrase.duration(seconds))")
    }
    if let seconds = withoutServerSeconds, reached == "main",
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
    if let standstills, standstills > 0 {
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
