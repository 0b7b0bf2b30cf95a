// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a server's acknowledgements (RTMP specification 1.0, section 5.4.3) say that it has read.
///
/// By the specification they carry the bytes received so far. Servers differ: some count from the last
/// acknowledgement, some begin again at a limit of their own, some leave out the handshake or the headers
/// of chunks, and many never acknowledge. So the way of counting is learned, by ruling out what cannot be.
struct AcknowledgementMeter: Equatable {
  /// How the server counts.
  enum Counting: Equatable {
    /// Not yet told apart; the lesser of the two is believed.
    case unknown
    /// All bytes so far, as specified.
    case cumulative
    /// The bytes since the last acknowledgement.
    case increments
  }

  /// Counts above this may begin again from 0: servers do at 2³¹ − 1, 0xF000_0000 or 2³².
  private static let wrapsFrom: UInt32 = 0x7000_0000
  /// By how much the server's count may differ from ours from the start: it may leave out the handshake's
  /// 3,073 bytes, and we the commands.
  private static let startBytes: Int64 = 4_096
  /// One byte of so many may be left out for ever, beside the headers of messages and chunks.
  private static let uncountedShare: Int64 = 100

  private(set) var counting = Counting.unknown
  /// Acknowledgements taken.
  private(set) var count = 0
  private var last: UInt32 = 0
  private var cumulative: UInt64 = 0
  private var sum: UInt64 = 0
  /// Acknowledgements in a row that say nothing new by the specification, while bytes had arrived.
  private var standstills = 0
  private var arrivedAtLast: UInt64 = 0
  private var headersAtLast: UInt64 = 0
  /// How many bytes the server's count lies below ours.
  private var offset: Int64 = 0
  private var acknowledged: UInt64 = 0

  /// Bytes of RTMP that the server has read, as we count them; 0 before the first acknowledgement.
  private(set) var confirmed: UInt64 = 0
  /// Bytes from one acknowledgement to the next, as seen lately.
  private(set) var step: UInt64 = 0

  /// Whether the server acknowledges at all: once is not yet a habit.
  var isHabit: Bool { count >= 2 }

  /// Takes an acknowledgement.
  /// - Parameters:
  ///   - value: the number in it.
  ///   - sent: bytes of RTMP handed to the kernel so far.
  ///   - arrived: those of them that the server's machine has, as TCP says.
  ///   - headers: those sent that are headers, which are a third of what silence takes.
  mutating func take(_ value: UInt32, sent: UInt64, arrived: UInt64, headers: UInt64 = 0) {
    let forward = progress(to: value)
    sum &+= UInt64(value)
    cumulative &+= forward ?? UInt64(value)
    learn(value, forward: forward, sent: sent, arrived: arrived)

    let before = acknowledged
    acknowledged =
      switch counting {
      case .unknown: min(cumulative, sum)
      case .cumulative: cumulative
      case .increments: sum
      }
    let gain = acknowledged > before ? acknowledged - before : 0
    // The largest of late, so that one short step says nothing.
    if gain > 0 { step = max(gain, step - step / 8) }

    let deficit = Int64(clamping: arrived) - Int64(clamping: acknowledged)
    let allowed =
      count == 0
      ? AcknowledgementMeter.startBytes
      : offset + Int64(clamping: gain) / AcknowledgementMeter.uncountedShare
        + Int64(clamping: headers - headersAtLast)
        // Beginning again at its limit, it leaves out what came since the acknowledgement before.
        + (counting != .increments && value < last ? Int64(clamping: step) : 0)
    // Amid a message more may be read than counts as arrived here.
    offset = min(allowed, max(0, deficit))
    confirmed = min(sent, acknowledged &+ UInt64(offset))
    last = value
    arrivedAtLast = arrived
    headersAtLast = headers
    count += 1
  }

  /// From the last value to this one if the server counts all bytes; `nil` if then it could not be.
  private func progress(to value: UInt32) -> UInt64? {
    if value >= last { return UInt64(value - last) }
    if last >= AcknowledgementMeter.wrapsFrom, value < last / 2 { return UInt64(value) }
    return nil
  }

  private mutating func learn(_ value: UInt32, forward: UInt64?, sent: UInt64, arrived: UInt64) {
    guard counting == .unknown, count > 0 else { return }
    standstills =
      forward == 0 && arrived >= arrivedAtLast + UInt64(value) / 2 ? standstills + 1 : 0
    if sum > sent + UInt64(AcknowledgementMeter.startBytes) {
      counting = .cumulative
    } else if forward == nil || standstills >= 2 {
      counting = .increments
    }
  }
}
