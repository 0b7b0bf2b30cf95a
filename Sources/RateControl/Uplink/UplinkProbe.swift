// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The counters of a connection while its throughput is measured.
public struct UplinkReading: Equatable, Sendable {
  /// Acknowledged bytes, with all headers.
  public var arrivedBytes: UInt64
  /// Bytes that are queued in this program or the kernel, or in flight.
  public var backlogBytes: Int
  /// TCP's smoothed round-trip time, and the path's without queues. Zero while they are not known.
  public var roundTrip: Duration
  public var leastRoundTrip: Duration

  public init(
    arrivedBytes: UInt64, backlogBytes: Int, roundTrip: Duration, leastRoundTrip: Duration
  ) {
    self.arrivedBytes = arrivedBytes
    self.backlogBytes = backlogBytes
    self.roundTrip = roundTrip
    self.leastRoundTrip = leastRoundTrip
  }
}

/// Measures the throughput of a link by sending at rates that rise in steps, until the link falls behind or the highest
/// rate has been carried. Pure: the caller sends at `kbps` and passes in a reading twenty times a second.
public struct UplinkProbe: Sendable {
  /// The rates in kbit/s, unless the highest one is less.
  private static let ladder = [500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000]
  static let stepSpan = Duration.milliseconds(1_200)
  /// The start of a step is not measured: what arrives then was sent in the step before. Longer on a long path.
  static let settleSpan = Duration.milliseconds(400)
  private static let longestSettleSpan = Duration.seconds(1)
  /// The first step begins with a large keyframe and TCP's slow start, which have to pass first.
  static let firstSettleSpan = Duration.milliseconds(1_200)
  /// The time of a step that is measured.
  private static let measuredSpan = stepSpan - settleSpan
  /// A step that is not carried is measured once more, for this long: at first TCP repairs the losses of a queue that
  /// has overflowed, and less arrives than the link carries. It may also have been a hiccup.
  private static let repeatedSpan = Duration.milliseconds(1_600)
  /// A link that acknowledges a smaller share of what is sent falls behind.
  private static let carriedShare = 0.9
  /// A queue delay of more than this, at the best moment of a step's second half, is congestion.
  private static let standingDelay = Duration.milliseconds(250)

  /// A step's rate, and where its measurement began.
  private struct Step {
    var index = 0
    var startedAt: Duration
    var from: (at: Duration, reading: UplinkReading)?
    /// It was not carried at first.
    var isRepeated = false
    /// The least of the second half.
    var leastBacklog = Int.max
    var leastRoundTrip = Duration.seconds(1_000)
  }

  /// kbit/s of each step, all headers included.
  let rates: [Int]
  private var step: Step?
  /// The highest rate that was acknowledged over a whole measurement, in kbit/s; 0 before the first.
  public private(set) var provenKbps = 0
  public private(set) var isOver = false
  /// The highest rate was carried, so the link may carry more.
  public private(set) var isUnlimited = false

  /// - Parameter mostKbps: the highest rate that is of interest.
  public init(mostKbps: Int) {
    rates = UplinkProbe.ladder.filter { $0 < mostKbps } + [mostKbps]
  }

  /// The rate to send at now; 0 when the measurement is over.
  public var kbps: Int { isOver ? 0 : rates[step?.index ?? 0] }

  /// How long the measurement takes at most, on a short path.
  public var longest: Duration {
    UplinkProbe.stepSpan * rates.count + UplinkProbe.firstSettleSpan - UplinkProbe.settleSpan
  }

  /// The same from now on.
  public func remaining(at now: Duration) -> Duration {
    guard !isOver else { return .zero }
    guard let step else { return longest }
    let later = UplinkProbe.stepSpan * (rates.count - step.index)
    let settles = step.index == 0 ? UplinkProbe.firstSettleSpan - UplinkProbe.settleSpan : .zero
    return max(.zero, later + settles - (now - step.startedAt))
  }

  /// Processes a reading, and moves on to the next step when the present one is over.
  public mutating func note(_ reading: UplinkReading, at now: Duration) {
    guard !isOver else { return }
    var present = step ?? Step(startedAt: now)
    defer { if !isOver { step = present } }
    let settleSpan =
      present.index == 0
      ? UplinkProbe.firstSettleSpan
      : min(
        max(UplinkProbe.settleSpan, reading.leastRoundTrip * 3 / 2), UplinkProbe.longestSettleSpan)
    guard let from = present.from else {
      if now - present.startedAt >= settleSpan { present.from = (now, reading) }
      return
    }
    let span = now - from.at
    let wholeSpan = present.isRepeated ? UplinkProbe.repeatedSpan : UplinkProbe.measuredSpan
    if span > wholeSpan / 2 {
      present.leastBacklog = min(present.leastBacklog, reading.backlogBytes)
      present.leastRoundTrip = min(present.leastRoundTrip, reading.roundTrip)
    }
    guard span >= wholeSpan else { return }
    let seconds = span / .seconds(1)
    let before = min(from.reading.arrivedBytes, reading.arrivedBytes)
    let arrived = Double(reading.arrivedBytes - before)
    let sent = arrived + Double(reading.backlogBytes - from.reading.backlogBytes)
    provenKbps = max(provenKbps, Int(arrived / 125 / seconds))
    let isCarried =
      arrived >= UplinkProbe.carriedShare * sent
      && !isQueueing(present, reading, bytesPerSecond: arrived / seconds)
    if !isCarried, !present.isRepeated {
      present = Step(
        index: present.index, startedAt: present.startedAt, from: (now, reading), isRepeated: true)
    } else if isCarried, present.index + 1 < rates.count {
      present = Step(index: present.index + 1, startedAt: now)
    } else {
      isOver = true
      isUnlimited = isCarried
    }
  }

  /// Whether what is sent waits in a queue, in this machine or on the path.
  private func isQueueing(
    _ step: Step, _ reading: UplinkReading, bytesPerSecond: Double
  ) -> Bool {
    let rise = step.leastRoundTrip - reading.leastRoundTrip
    if rise > reading.leastRoundTrip + UplinkProbe.standingDelay { return true }
    let delay = Duration.seconds(Double(step.leastBacklog) / max(1, bytesPerSecond))
    return delay - reading.leastRoundTrip > UplinkProbe.standingDelay
  }
}
