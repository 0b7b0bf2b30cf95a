// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

extension Event.Totals {
  /// - Parameters:
  ///   - wasTaken: a server has taken the stream.
  ///   - reconnects: connections made after the first.
  ///   - overflows: times that a queue was given up since the link was too slow.
  ///   - dropped: frames and audio packets that were dropped since the link was too slow.
  ///   - late: frames and blocks of audio that were dropped since this machine was too slow.
  static func sentence(
    seconds: Int, wasTaken: Bool, reconnects: Int, overflows: Int, dropped: Int,
    late: Int
  ) -> String {
    let ended = "The broadcast has ended after \(Phrase.duration(seconds)). "
    guard wasTaken else { return ended + "No server took the stream, so nobody has seen it." }
    guard reconnects + overflows + dropped + late > 0 else {
      return ended + "Viewers missed nothing."
    }
    var reasons: [String] = []
    if reconnects > 0 {
      reasons.append("the connection was made anew \(Phrase.count(reconnects, "time"))")
    }
    if overflows > 0 {
      reasons.append("the network was too slow \(Phrase.count(overflows, "time"))")
    }
    if dropped > 0 {
      let count = Phrase.count(
        dropped, "frame or audio packet was", plural: "frames or audio packets were")
      reasons.append("\(count) dropped on a slow network")
    }
    if late > 0 {
      let count = Phrase.count(late, "frame or audio block", plural: "frames or audio blocks")
      reasons.append("this machine was too slow for \(count)")
    }
    return ended + "Viewers missed something: \(reasons.joined(separator: ", "))."
  }
}
