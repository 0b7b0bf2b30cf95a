// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A measurement of the link to a server.
public struct LinkReading: Equatable, Sendable {
  /// The number of the connection. With a new number, `arrivedBytes` starts again at zero.
  public var connection: UInt64
  /// Bytes of video that were encoded in this broadcast, including dropped packets.
  public var encodedBytes: UInt64
  /// Bytes of audio that were encoded in this broadcast, including dropped packets.
  public var audioBytes: UInt64
  /// Bytes that the server has acknowledged on this connection, including audio and headers.
  public var arrivedBytes: UInt64
  /// Bytes that are queued in this program or the kernel, or in flight.
  public var backlogBytes: Int
  /// The time since the oldest byte of the backlog was encoded; zero when there is no backlog.
  public var oldestAge: Duration
  /// The minimum round-trip time of the path, which contains no queue delay.
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

/// The readings of the last four seconds.
struct LinkHistory {
  /// A reading, with the time when it was added.
  private struct Sample {
    var at: Duration
    var encodedBytes: UInt64
    var audioBytes: UInt64
    var arrivedBytes: UInt64
    /// The queue delay: the age of the oldest byte of the backlog, less the minimum round-trip time.
    var delay: Duration
  }

  /// The most samples: enough for the longest keyframe interval at 20 readings a second.
  private static let maxSamples = 84

  /// The added readings: a ring buffer of at most `maxSamples`.
  private var samples: [Sample] = []
  /// The index of the newest sample in `samples`, a ring buffer; -1 while it is empty.
  private var newest = -1

  init() { samples.reserveCapacity(LinkHistory.maxSamples) }

  /// Forgets all readings.
  mutating func clear() {
    samples.removeAll(keepingCapacity: true)
    newest = -1
  }

  /// Adds a reading. If the ring buffer is full, the new reading replaces the oldest.
  mutating func add(_ reading: LinkReading, at now: Duration) {
    let sample = Sample(
      at: now, encodedBytes: reading.encodedBytes, audioBytes: reading.audioBytes,
      arrivedBytes: reading.arrivedBytes,
      delay: max(.zero, reading.oldestAge - reading.roundTrip))
    newest = (newest + 1) % LinkHistory.maxSamples
    if newest < samples.count {
      samples[newest] = sample
    } else {
      samples.append(sample)
    }
  }

  /// The newest sample that is at least `span` older than the newest of all; `nil` if there is none.
  private func sample(before span: Duration) -> Sample? {
    guard newest >= 0 else { return nil }
    let now = samples[newest].at
    for age in 0..<samples.count {
      let sample = samples[(newest - age + samples.count) % samples.count]
      if now - sample.at >= span { return sample }
    }
    return nil
  }

  /// The throughput of the last `span` in kbit/s; `nil` while the history is shorter.
  /// - Parameter burst: bytes that are subtracted, since a shaper may pass them at once.
  func throughput(over span: Duration, less burst: UInt64 = 0) -> Double? {
    increase(over: span) { $0.arrivedBytes }.map { bytes, seconds in
      max(0, bytes - Double(burst)) * 0.008 / seconds
    }
  }

  /// The highest of the throughputs over several spans up to now, in kbit/s; `nil` while the history is shorter than
  /// one of the spans.
  func maxThroughput(over spans: [Duration], less burst: UInt64 = 0) -> Double? {
    var most = 0.0
    for span in spans {
      guard let throughput = throughput(over: span, less: burst) else { return nil }
      most = max(most, throughput)
    }
    return most
  }

  /// The bit rate of the video that was encoded in the last `span`, in kbit/s; `nil` while the history is shorter.
  func encoded(over span: Duration) -> Double? {
    increase(over: span) { $0.encodedBytes }.map { bytes, seconds in bytes * 0.008 / seconds }
  }

  /// Whether all that was encoded in the last `span` has arrived; `nil` while the history is shorter.
  /// - Parameter share: the share of the encoded bytes that has to have arrived, since the rest may be in flight.
  func deliversAll(over span: Duration, share: Double) -> Bool? {
    guard let old = sample(before: span) else { return nil }
    let new = samples[newest]
    let (begin, end) = (old.encodedBytes + old.audioBytes, new.encodedBytes + new.audioBytes)
    // The counters restart with each broadcast.
    guard end >= begin, new.arrivedBytes >= old.arrivedBytes else { return nil }
    return Double(new.arrivedBytes - old.arrivedBytes) >= share * Double(end - begin)
  }

  /// The increase of a byte counter over the last `span`, and the exact length of that span.
  private func increase(
    over span: Duration, _ counter: (Sample) -> UInt64
  ) -> (bytes: Double, seconds: Double)? {
    guard let old = sample(before: span) else { return nil }
    let new = samples[newest]
    let (begin, end) = (counter(old), counter(new))
    return (end > begin ? Double(end - begin) : 0, (new.at - old.at) / .seconds(1))
  }

  /// The minimum queue delay of the last `span`: a delay that vanishes between two frames is no congestion. `nil`
  /// while the history is shorter.
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
