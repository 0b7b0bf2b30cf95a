// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Limits the rate of bytes and messages from a server (a token bucket, full at first). A server that floods this side
/// with valid messages would otherwise occupy a processor core and hold up the stream.
struct InboundBudget {
  private static let maxNanos = Int64.seconds(Int64(RTMPDeadlines.inboundSeconds))

  private var bytes = RTMPDeadlines.inboundBytesPerSecond * RTMPDeadlines.inboundSeconds
  private var messages = RTMPDeadlines.inboundMessagesPerSecond * RTMPDeadlines.inboundSeconds
  private var filledAt: MediaTime

  init(now: MediaTime) { filledAt = now }

  /// Takes received bytes from the budget, after refilling it for the time that has passed.
  /// - Returns: `false` if the bytes exceed the budget.
  mutating func take(bytes count: Int, now: MediaTime) -> Bool {
    let nanos = min(max(0, now - filledAt), InboundBudget.maxNanos)
    // In units of whole messages, so that frequent calls lose nothing to rounding.
    let due = Int(nanos) * RTMPDeadlines.inboundMessagesPerSecond / 1_000_000_000
    if due > 0 {
      filledAt = now
      messages = InboundBudget.filled(messages, by: due, RTMPDeadlines.inboundMessagesPerSecond)
      let more = due * RTMPDeadlines.inboundBytesPerSecond / RTMPDeadlines.inboundMessagesPerSecond
      bytes = InboundBudget.filled(bytes, by: more, RTMPDeadlines.inboundBytesPerSecond)
    }
    bytes -= count
    return bytes >= 0
  }

  /// Takes one message from the budget.
  /// - Returns: `false` if the message exceeds the budget.
  mutating func takeMessage() -> Bool {
    messages -= 1
    return messages >= 0
  }

  private static func filled(_ rest: Int, by more: Int, _ perSecond: Int) -> Int {
    min(rest + more, perSecond * RTMPDeadlines.inboundSeconds)
  }
}
