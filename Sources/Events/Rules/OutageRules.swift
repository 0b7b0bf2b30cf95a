// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Publish

/// Decides when to report that the server has not accepted the stream for long, or that many attempts have failed.
/// Reads no clock and does no I/O: the time is passed in.
package struct OutageRules {
  /// The least number of failed attempts in a row that is reported.
  package static let leastFailures = 10
  /// Nanoseconds between two reports of failed attempts.
  static let reminderNanos = Int64.seconds(600)

  /// Whether the event `outageLong` was made for the present outage.
  private var isLongReported = false
  /// When the event `reconnectFailing` was last made for the present failures; `nil` if it was not.
  private var failingReportedAt: MediaTime?

  package init() {}

  /// Decides which events are due. To be called regularly.
  /// - Parameters:
  ///   - since: when the present outage began; `nil` while the server accepts the stream.
  ///   - failures: attempts that have failed in a row.
  ///   - longAfter: nanoseconds after which an outage is long; 0 for never.
  /// - Returns: the events that have to be reported now.
  package mutating func check(since: MediaTime?, failures: Int, longAfter: Int64, now: MediaTime)
    -> [Event
    .Code]
  {
    var codes: [Event.Code] = []
    let isLong = longAfter > 0 && since.map { now - $0 >= longAfter } ?? false
    if isLong, !isLongReported { codes.append(.outageLong) }
    isLongReported = isLong
    guard failures >= OutageRules.leastFailures else {
      failingReportedAt = nil
      return codes
    }
    // Without an outage, OnAir makes no attempts: all failures are from earlier.
    guard since != nil,
      failingReportedAt.map({ now - $0 >= OutageRules.reminderNanos }) ?? true
    else { return codes }
    failingReportedAt = now
    codes.append(.reconnectFailing)
    return codes
  }
}

extension Event.Code {
  /// The sentence for an event that `OutageRules` returns.
  /// - Parameters:
  ///   - hasReachedServer: whether data of the broadcast has been sent to the server.
  ///   - trouble: what is wrong with the server, and what to do; `nil` while that is not known.
  package func sentence(
    host: String, attempts: Int, outageSeconds: Int, hasReachedServer: Bool, trouble: String?
  ) -> String {
    let time = Phrase.duration(outageSeconds)
    let remedy =
      trouble
      ?? "Check the network cable or the Wi-Fi, and whether the server expects a broadcast."
    if self == .outageLong {
      return
        "\(host) has not taken the stream for \(time), so its viewers see nothing. OnAir keeps trying. "
        + remedy
    }
    return "\(attempts) attempts in a row to publish to \(host) have failed"
      + (hasReachedServer ? ", and its viewers have seen nothing for \(time). " : " in \(time). ")
      + "OnAir keeps trying. \(remedy)"
  }
}
