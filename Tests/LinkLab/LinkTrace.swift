// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport

/// The capacity of a link over time. The same seed gives the same trace.
public struct LinkTrace: Sendable {
  /// Kinds of links.
  public enum Class: String, CaseIterable, Sendable {
    /// Steps between a good and a low capacity.
    case steps
    /// Falls and rises slowly.
    case sawtooth
    /// Good, with fades of 0.1 to 3 s in which little or nothing passes.
    case wifi
    /// A random walk between nearly nothing and plenty.
    case mobile
    /// Steps, with a bottleneck that queues for seconds.
    case bloat
  }

  public let name: Class
  public let seconds: Double
  /// kbit/s, ten values a second.
  public let kbps: [Double]
  public let queueBytes: Double
  public let roundTrip: Double
  /// Bytes that the bottleneck passes at once after an idle time.
  public var bucketBytes = 0.0

  public func kbps(at time: Double) -> Double {
    kbps[min(kbps.count - 1, max(0, Int(time * 10)))]
  }

  public init(
    name: Class, kbps: [Double], queueBytes: Double, roundTrip: Double
  ) {
    self.name = name
    self.kbps = kbps
    self.queueBytes = queueBytes
    self.roundTrip = roundTrip
    seconds = Double(kbps.count) / 10
  }

  /// - Parameter target: kbit/s of the stream; the capacity is scaled to it.
  public init(_ name: Class, seed: UInt64, seconds: Double, target: Double) {
    var noise = SplitMix64(
      seed: seed &* 31 &+ UInt64(name.rawValue.utf8.reduce(0) { $0 &* 7 &+ Int($1) }))
    let count = Int(seconds * 10)
    var kbps: [Double] = []
    kbps.reserveCapacity(count)
    let plenty = target * noise.uniform(1.3...2.5)
    // Seconds of queue at the good rate.
    var queueSeconds = noise.uniform(0.05...0.4)
    switch name {
    case .steps, .bloat:
      if name == .bloat { queueSeconds = noise.uniform(1...5) }
      var isGood = true
      while kbps.count < count {
        let length = Int(noise.uniform(5...30) * 10)
        let share = isGood ? 1 : noise.uniform(0.06...0.6)
        kbps += [Double](repeating: plenty * share, count: length)
        isGood.toggle()
      }
    case .sawtooth:
      let period = noise.uniform(20...60)
      let least = noise.uniform(0.1...0.4)
      for index in 0..<count {
        let phase = (Double(index) / 10).truncatingRemainder(dividingBy: period) / period
        let height = abs(2 * phase - 1)
        kbps.append(plenty * (least + (1 - least) * height))
      }
    case .wifi:
      while kbps.count < count {
        let good = Int(noise.uniform(2...20) * 10)
        for _ in 0..<good { kbps.append(plenty * max(0.6, 1 + 0.15 * noise.normal())) }
        let fade = max(1, Int(noise.uniform(0.1...3) * 10))
        let depth = noise.uniform(0...0.25)
        for _ in 0..<fade { kbps.append(plenty * depth) }
      }
    case .mobile:
      var logarithm = 0.0
      for index in 0..<count {
        if index % 5 == 0 {
          logarithm += 0.25 * noise.normal() - 0.04 * (logarithm + 0.3)
          logarithm = min(max(logarithm, -2.6), 0.9)
        }
        kbps.append(target * 1.5 * exponential(logarithm) * max(0.5, 1 + 0.1 * noise.normal()))
      }
    }
    self.init(
      name: name, kbps: Array(kbps.prefix(count)), queueBytes: plenty * 125 * queueSeconds,
      roundTrip: noise.uniform(0.01...0.12))
  }

  /// One capacity, then a lower one for a while, then the first again.
  public static func dip(
    from good: Double, to thin: Double, after: Double, lasting: Double, seconds: Double,
    queueBytes: Double, roundTrip: Double = 0.005
  ) -> LinkTrace {
    let kbps = (0..<Int(seconds * 10)).map { index in
      let time = Double(index) / 10
      return time >= after && time < after + lasting ? thin : good
    }
    return LinkTrace(name: .steps, kbps: kbps, queueBytes: queueBytes, roundTrip: roundTrip)
  }
}

/// e to the power of `x`, by repeated squaring.
private func exponential(_ x: Double) -> Double {
  var result = 1 + x / 1_024
  for _ in 0..<10 { result *= result }
  return result
}
