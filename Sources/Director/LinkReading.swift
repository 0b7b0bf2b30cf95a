// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is known of the way to a server at one moment. What has arrived counts from when the connection was made.
public struct LinkReading: Equatable, Sendable {
  /// Counts the connections: with another one, what has arrived begins anew.
  public var connection: UInt64
  /// Bytes of pictures, and of sound, that were encoded, whatever became of them.
  public var encodedBytes: UInt64
  public var audioBytes: UInt64
  /// Bytes that are known to have arrived, sound and headers with them.
  public var arrivedBytes: UInt64
  /// Bytes that are on their way, or wait for it, in this program, in the kernel and beyond.
  public var backlogBytes: Int
  /// For how long the oldest of them has been waiting since it was encoded; zero when nothing waits.
  public var oldestAge: Duration
  /// What a byte and its acknowledgement take, as far as that is the way's and not a queue's.
  public var roundTrip: Duration

  public init(
    connection: UInt64, encodedBytes: UInt64, audioBytes: UInt64, arrivedBytes: UInt64,
    backlogBytes: Int, oldestAge: Duration, roundTrip: Duration
  ) {
    self.connection = connection
    self.encodedBytes = encodedBytes
    self.audioBytes = audioBytes
    self.arrivedBytes = arrivedBytes
    self.backlogBytes = backlogBytes
    self.oldestAge = oldestAge
    self.roundTrip = roundTrip
  }
}

/// The readings of the last four seconds, and what they say together.
struct LinkHistory {
  private struct Sample {
    var at: Duration
    var encodedBytes: UInt64
    var audioBytes: UInt64
    var arrivedBytes: UInt64
    /// What the link adds to the time that a byte takes at the least.
    var delay: Duration
  }

  /// Of twenty readings a second: room for the longest key interval.
  private static let mostSamples = 84

  private var samples: [Sample] = []
  private var newest = -1

  init() { samples.reserveCapacity(LinkHistory.mostSamples) }

  mutating func clear() {
    samples.removeAll(keepingCapacity: true)
    newest = -1
  }

  mutating func note(_ reading: LinkReading, at now: Duration) {
    let sample = Sample(
      at: now, encodedBytes: reading.encodedBytes, audioBytes: reading.audioBytes,
      arrivedBytes: reading.arrivedBytes,
      delay: max(.zero, reading.oldestAge - reading.roundTrip))
    newest = (newest + 1) % LinkHistory.mostSamples
    if newest < samples.count {
      samples[newest] = sample
    } else {
      samples.append(sample)
    }
  }

  /// The newest sample that is at least `span` old.
  private func sample(before span: Duration) -> Sample? {
    guard newest >= 0 else { return nil }
    let now = samples[newest].at
    for age in 0..<samples.count {
      let sample = samples[(newest - age + samples.count) % samples.count]
      if now - sample.at >= span { return sample }
    }
    return nil
  }

  /// kbit/s that arrived in the last `span`; `nil` before there is so much history.
  /// - Parameter burst: bytes of it that prove nothing.
  func arrival(over span: Duration, less burst: UInt64 = 0) -> Double? {
    rate(over: span) { $0.arrivedBytes }.map { bytes, seconds in
      max(0, bytes - Double(burst)) * 0.008 / seconds
    }
  }

  /// The most of several spans.
  func mostArrival(over spans: [Duration], less burst: UInt64 = 0) -> Double? {
    var most = 0.0
    for span in spans {
      guard let arrival = arrival(over: span, less: burst) else { return nil }
      most = max(most, arrival)
    }
    return most
  }

  /// kbit/s of pictures that were encoded in the last `span`.
  func encoded(over span: Duration) -> Double? {
    rate(over: span) { $0.encodedBytes }.map { bytes, seconds in bytes * 0.008 / seconds }
  }

  /// Whether as much arrived in the last `span` as was encoded; `nil` before there is so much history.
  /// - Parameter share: how much of it is as much, with what is under way.
  func carriedAll(over span: Duration, share: Double) -> Bool? {
    guard let old = sample(before: span) else { return nil }
    let new = samples[newest]
    let (begin, end) = (old.encodedBytes + old.audioBytes, new.encodedBytes + new.audioBytes)
    // A broadcast that ends and begins again counts anew.
    guard end >= begin, new.arrivedBytes >= old.arrivedBytes else { return nil }
    return Double(new.arrivedBytes - old.arrivedBytes) >= share * Double(end - begin)
  }

  private func rate(
    over span: Duration, _ sum: (Sample) -> UInt64
  ) -> (bytes: Double, seconds: Double)? {
    guard let old = sample(before: span) else { return nil }
    let new = samples[newest]
    let (begin, end) = (sum(old), sum(new))
    return (end > begin ? Double(end - begin) : 0, (new.at - old.at) / .seconds(1))
  }

  /// The least delay of the last `span`: what does not go away between two pictures is a queue. `nil` before
  /// there is so much history.
  func standingDelay(over span: Duration) -> Duration? {
    guard newest >= 0, sample(before: span) != nil else { return nil }
    let now = samples[newest].at
    var least = samples[newest].delay
    for age in 0..<samples.count {
      let sample = samples[(newest - age + samples.count) % samples.count]
      if now - sample.at > span { break }
      least = min(least, sample.delay)
    }
    return least
  }
}
