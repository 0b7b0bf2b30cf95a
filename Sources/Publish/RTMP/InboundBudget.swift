// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Limits the rate of bytes and messages from a server (a token bucket, full at first). A server that floods OnAir with
/// valid messages would otherwise occupy a processor core and hold up the stream.
struct InboundBudget {
  /// The time in nanoseconds after which an empty budget is full again.
  private static let maxNanos = Int64.seconds(Int64(RTMPDeadlines.inboundSeconds))

  /// How many bytes the server may send now; negative once it has sent too many.
  private var bytes = RTMPDeadlines.inboundBytesPerSecond * RTMPDeadlines.inboundSeconds
  /// How many messages the server may send now; negative once it has sent too many.
  private var messages = RTMPDeadlines.inboundMessagesPerSecond * RTMPDeadlines.inboundSeconds
  /// When the budget was last refilled.
  private var filledAt: MediaTime

  init(now: MediaTime) { filledAt = now }

  /// Subtracts received bytes from the budget, after refilling it for the time that has passed.
  /// - Returns: `false` if the bytes exceed the budget.
  mutating func spend(bytes count: Int, now: MediaTime) -> Bool {
    let nanos = min(max(0, now - filledAt), InboundBudget.maxNanos)
    // The budget is refilled by whole messages only, so that frequent calls lose nothing to rounding.
    let due = Int(nanos) * RTMPDeadlines.inboundMessagesPerSecond / 1_000_000_000
    if due > 0 {
      filledAt = now
      messages = InboundBudget.refilled(messages, by: due, RTMPDeadlines.inboundMessagesPerSecond)
      let more = due * RTMPDeadlines.inboundBytesPerSecond / RTMPDeadlines.inboundMessagesPerSecond
      bytes = InboundBudget.refilled(bytes, by: more, RTMPDeadlines.inboundBytesPerSecond)
    }
    bytes -= count
    return bytes >= 0
  }

  /// Subtracts one message from the budget.
  /// - Returns: `false` if the message exceeds the budget.
  mutating func spendMessage() -> Bool {
    messages -= 1
    return messages >= 0
  }

  /// The budget `rest` after `more` was added, but at most the full budget.
  private static func refilled(_ rest: Int, by more: Int, _ perSecond: Int) -> Int {
    min(rest + more, perSecond * RTMPDeadlines.inboundSeconds)
  }
}
