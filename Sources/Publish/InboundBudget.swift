// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// What a server may still send: it fills up with time, and is full at first. Each message is well
/// formed for itself; without a bound a server that never pauses would take a processor for itself
/// and keep the stream waiting.
struct InboundBudget {
  private static let mostNanos = Int64.seconds(Int64(RTMPDeadlines.inboundSeconds))

  private var bytes = RTMPDeadlines.inboundBytesPerSecond * RTMPDeadlines.inboundSeconds
  private var messages = RTMPDeadlines.inboundMessagesPerSecond * RTMPDeadlines.inboundSeconds
  private var filledAt: MediaTime

  init(now: MediaTime) { filledAt = now }

  /// - Returns: `false` if so many bytes are too many.
  mutating func take(bytes count: Int, now: MediaTime) -> Bool {
    let nanos = min(max(0, now - filledAt), InboundBudget.mostNanos)
    // By whole messages' worth, so that frequent calls lose nothing to rounding.
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

  /// - Returns: `false` if one more message is too many.
  mutating func takeMessage() -> Bool {
    messages -= 1
    return messages >= 0
  }

  private static func filled(_ rest: Int, by more: Int, _ perSecond: Int) -> Int {
    min(rest + more, perSecond * RTMPDeadlines.inboundSeconds)
  }
}
