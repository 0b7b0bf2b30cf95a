// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds out from a server's acknowledgements (RTMP specification 1.0, section 5.4.3) how many bytes the server has
/// read.
///
/// By the specification an acknowledgement carries the number of bytes received so far. Servers differ: some count from
/// their last acknowledgement, some restart at a limit of their own, some leave out the handshake or the chunk headers,
/// and many never acknowledge. So the meter learns how the server counts, by ruling out the ways that contradict its
/// acknowledgements.
struct AcknowledgementMeter: Equatable {
  /// How the server counts the bytes that it acknowledges.
  enum Counting: Equatable {
    /// Not known yet: both ways of counting are tried, and the lower result is used.
    case unknown
    /// The server counts all bytes so far, as the specification says.
    case cumulative
    /// The server counts the bytes since its last acknowledgement.
    case increments
  }

  /// A server's count of bytes may restart at 0 once it is above this: servers do that at 2³¹ − 1, 0xF000_0000 or 2³².
  private static let wrapsFrom: UInt32 = 0x7000_0000
  /// By how many bytes the server's first count may differ from OnAir's: the server may omit the handshake's 3,073
  /// bytes, and OnAir omits the commands.
  private static let startToleranceBytes: Int64 = 4_096
  /// One in this many bytes may be missing from the server's count, besides the headers of messages and chunks.
  private static let bytesPerUncountedByte: Int64 = 100

  /// How the server counts, as far as its acknowledgements have shown that.
  private(set) var counting = Counting.unknown
  /// The number of acknowledgements received.
  private(set) var count = 0
  /// The number in the last acknowledgement; 0 before the first.
  private var lastValue: UInt32 = 0
  /// How many bytes the server has read if it counts all bytes so far.
  private var cumulative: UInt64 = 0
  /// How many bytes the server has read if it counts from its last acknowledgement: the sum of all numbers.
  private var sumOfValues: UInt64 = 0
  /// How many acknowledgements in a row repeated the previous number although bytes had arrived. Two such repetitions
  /// rule out the counting `cumulative`.
  private var unchangedValues = 0
  /// How many bytes had arrived at the server's machine, according to TCP, at the last acknowledgement.
  private var arrivedAtLast: UInt64 = 0
  /// How many bytes of headers had been sent at the last acknowledgement.
  private var headersAtLast: UInt64 = 0
  /// By how many bytes the server's count is lower than OnAir's.
  private var offset: Int64 = 0
  /// How many bytes the server has read by its own count, without the correction by `offset`.
  private var acknowledged: UInt64 = 0

  /// How many bytes of RTMP the server has read, as OnAir counts them; 0 before the first acknowledgement.
  private(set) var confirmed: UInt64 = 0
  /// The number of bytes between two recent acknowledgements: a decaying maximum.
  private(set) var stepBytes: UInt64 = 0

  /// Whether the server acknowledges regularly. One acknowledgement does not prove that.
  var isRegular: Bool { count >= 2 }

  /// Processes an acknowledgement.
  /// - Parameters:
  ///   - value: the number in the acknowledgement.
  ///   - sent: bytes of RTMP handed to the kernel so far.
  ///   - arrived: how many of the sent bytes have arrived at the server's machine, according to TCP.
  ///   - headers: how many of the sent bytes are headers. In a stream of silent audio, a third of the bytes are
  ///     headers.
  mutating func process(_ value: UInt32, sent: UInt64, arrived: UInt64, headers: UInt64 = 0) {
    let forward = progress(to: value)
    sumOfValues &+= UInt64(value)
    cumulative &+= forward ?? UInt64(value)
    learnCounting(value, forward: forward, sent: sent, arrived: arrived)

    let before = acknowledged
    acknowledged =
      switch counting {
      case .unknown: min(cumulative, sumOfValues)
      case .cumulative: cumulative
      case .increments: sumOfValues
      }
    let gain = acknowledged > before ? acknowledged - before : 0
    // `stepBytes` is a decaying maximum: one short interval hardly lowers it, but after the window was made smaller,
    // several short intervals do.
    if gain > 0 { stepBytes = max(gain, stepBytes - stepBytes / 4) }

    let deficit = Int64(clamping: arrived) - Int64(clamping: acknowledged)
    let allowed =
      count == 0
      ? AcknowledgementMeter.startToleranceBytes
      : offset + Int64(clamping: gain) / AcknowledgementMeter.bytesPerUncountedByte
        + Int64(clamping: headers - headersAtLast)
        // When the server's count restarts at a limit, it lacks the bytes since the last acknowledgement.
        + (counting != .increments && value < lastValue ? Int64(clamping: stepBytes) : 0)
    // `arrived` counts whole messages only, so the server may have read more.
    offset = min(allowed, max(0, deficit))
    confirmed = min(sent, acknowledged &+ UInt64(offset))
    lastValue = value
    arrivedAtLast = arrived
    headersAtLast = headers
    count += 1
  }

  /// The increase of the server's count, in bytes, since the last acknowledgement. `nil` if `value` shows that the
  /// server does not count all bytes so far (`Counting.cumulative`).
  private func progress(to value: UInt32) -> UInt64? {
    if value >= lastValue { return UInt64(value - lastValue) }
    if lastValue >= AcknowledgementMeter.wrapsFrom, value < lastValue / 2 { return UInt64(value) }
    return nil
  }

  /// Sets `counting` if the new acknowledgement rules out one way of counting.
  private mutating func learnCounting(
    _ value: UInt32, forward: UInt64?, sent: UInt64, arrived: UInt64
  ) {
    guard counting == .unknown, count > 0 else { return }
    unchangedValues =
      forward == 0 && arrived >= arrivedAtLast + UInt64(value) / 2 ? unchangedValues + 1 : 0
    if sumOfValues > sent + UInt64(AcknowledgementMeter.startToleranceBytes) {
      counting = .cumulative
    } else if forward == nil || unchangedValues >= 2 {
      counting = .increments
    }
  }
}
