// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The counters of a connection while its throughput is measured.
public struct UplinkReading: Equatable, Sendable {
  /// Bytes that the server has acknowledged, with all headers.
  public var arrivedBytes: UInt64
  /// Bytes that are queued in this program or the kernel, or in flight.
  public var backlogBytes: Int
  /// TCP's smoothed round-trip time; zero while it is not known.
  public var roundTrip: Duration
  /// The minimum round-trip time of the path, without queues; zero while it is not known.
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
/// rate has arrived. Reads no clock and does no I/O: the caller sends at `kbps` and passes in a reading twenty times a
/// second.
public struct UplinkProbe: Sendable {
  /// The rates to try, one in each step, in kbit/s. Rates above the highest rate of interest (`mostKbps`) are left out.
  private static let ladder = [500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000]
  /// The usual time of a step: it is longer for the first step, on a long path, and for a step that is repeated.
  static let stepSpan = Duration.milliseconds(1_200)
  /// How long a step runs before its measurement begins: data that arrives earlier was sent in the step before. The
  /// time is longer on a path with a long round-trip time.
  static let settleSpan = Duration.milliseconds(400)
  /// The maximum to which `settleSpan` is extended on a path with a long round-trip time.
  private static let longestSettleSpan = Duration.seconds(1)
  /// How long the first step runs before its measurement begins: a large keyframe and TCP's slow start have to pass.
  static let firstSettleSpan = Duration.milliseconds(1_200)
  /// How long the throughput of a step is measured.
  private static let measuredSpan = stepSpan - settleSpan
  /// How long the second measurement of a step takes. It is made if the link did not carry the step's rate in the first
  /// measurement: there may have been a hiccup, or TCP was repairing the losses of a queue that had overflowed.
  private static let retryDuration = Duration.milliseconds(1_600)
  /// A link falls behind if it acknowledges a smaller share of the sent bytes than this.
  private static let carriedShare = 0.9
  /// The queue delay above which there is congestion. The smallest delay in the second half of a measurement counts.
  private static let standingDelay = Duration.milliseconds(250)

  /// How far the probe is within its present step, in which it sends at one of the rates to try.
  private struct Step {
    /// The number of the step, from 0 on.
    var index = 0
    var startedAt: Duration
    /// When the measured part of the step began, and the reading at that time; `nil` before that.
    var measuredFrom: (at: Duration, reading: UplinkReading)?
    /// Whether the step is being measured a second time, since its rate did not arrive at the first try.
    var isRepeated = false
    /// The smallest backlog, in bytes, in the second half of the measurement.
    var leastBacklog = Int.max
    /// The shortest smoothed round-trip time in the second half of the measurement.
    var leastRoundTrip = Duration.seconds(1_000)
  }

  /// The rate of each step in kbit/s, all headers included.
  let rates: [Int]
  /// The present step; `nil` before the first reading.
  private var step: Step?
  /// The highest throughput over a whole measurement of a step, in kbit/s; 0 before the first.
  public private(set) var provenKbps = 0
  /// Whether the measurement is over.
  public private(set) var isOver = false
  /// Whether the highest rate has arrived, so that the link may be even faster.
  public private(set) var isUnlimited = false

  /// - Parameter mostKbps: the highest rate that is of interest, in kbit/s.
  public init(mostKbps: Int) {
    rates = UplinkProbe.ladder.filter { $0 < mostKbps } + [mostKbps]
  }

  /// The rate to send at now, in kbit/s; 0 when the measurement is over.
  public var kbps: Int { isOver ? 0 : rates[step?.index ?? 0] }

  /// How long the measurement takes if every step is needed, none is repeated, and the round-trip time is short.
  public var plannedDuration: Duration {
    UplinkProbe.stepSpan * rates.count + UplinkProbe.firstSettleSpan - UplinkProbe.settleSpan
  }

  /// How much of `plannedDuration` is left.
  public func remaining(at now: Duration) -> Duration {
    guard !isOver else { return .zero }
    guard let step else { return plannedDuration }
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
    guard let from = present.measuredFrom else {
      if now - present.startedAt >= settleSpan { present.measuredFrom = (now, reading) }
      return
    }
    let span = now - from.at
    let wholeSpan = present.isRepeated ? UplinkProbe.retryDuration : UplinkProbe.measuredSpan
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
        index: present.index, startedAt: present.startedAt, measuredFrom: (now, reading),
        isRepeated: true)
    } else if isCarried, present.index + 1 < rates.count {
      present = Step(index: present.index + 1, startedAt: now)
    } else {
      isOver = true
      isUnlimited = isCarried
    }
  }

  /// Whether sent data waits in a queue, in this machine or on the path.
  private func isQueueing(
    _ step: Step, _ reading: UplinkReading, bytesPerSecond: Double
  ) -> Bool {
    let rise = step.leastRoundTrip - reading.leastRoundTrip
    if rise > reading.leastRoundTrip + UplinkProbe.standingDelay { return true }
    let delay = Duration.seconds(Double(step.leastBacklog) / max(1, bytesPerSecond))
    return delay - reading.leastRoundTrip > UplinkProbe.standingDelay
  }
}
