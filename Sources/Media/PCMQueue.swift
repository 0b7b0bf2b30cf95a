// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// The audio format inside the program: 32-bit float, interleaved channels, 48,000 sample frames per second.
public enum PCM {
  /// The number of sample frames in a second.
  public static let sampleRate = 48_000

  /// Duration of `frames` sample frames in nanoseconds.
  public static func nanos(frames: Int) -> Int64 {
    // Whole seconds are converted separately: after some days, `frames` × 10⁹ would overflow.
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
    return Int64(seconds) * 1_000_000_000 + Int64(rest) * 1_000_000_000 / Int64(sampleRate)
  }

  /// The number of sample frames in `nanos` nanoseconds, rounded to the nearest.
  public static func frames(nanos: Int64) -> Int {
    let (seconds, rest) = nanos.quotientAndRemainder(dividingBy: 1_000_000_000)
    let product = rest * Int64(sampleRate)
    return Int(seconds) * sampleRate
      + Int((product + (product < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
  }
}

/// A bounded queue of audio chunks between a source and the mixer. Each chunk carries the capture time of its first
/// sample.
///
/// `put` never waits: when the queue is full, it drops the oldest chunk.
@safe public final class PCMQueue: @unchecked Sendable {
  /// The maximum number of sample frames in a chunk: 20 ms.
  public static let chunkFrames = 960

  /// The time and the length of a chunk. `take` copies the chunk's samples to a buffer of the caller.
  public struct Chunk: Sendable {
    /// The capture time of the chunk's first sample.
    public var startsAt: MediaTime
    /// The number of samples per channel.
    public var frames: Int
  }

  /// The position of the oldest chunk in the ring, the number of queued chunks, and the number of dropped chunks.
  private struct State {
    var head = 0
    var count = 0
    var dropped = 0
  }

  /// The number of channels of all audio in the queue.
  public let channels: Int
  /// Copies what the source puts into the queue.
  public let tap = AudioTap()
  /// The queues into which the samples are copied, each for a further consumer.
  private let copies = Mutex<[PCMQueue]>([])
  /// The maximum number of chunks in the queue.
  private let capacity: Int
  /// A ring of `capacity` slots, each with room for `chunkFrames` × `channels` samples.
  private let samples: UnsafeMutablePointer<Float>
  /// The time and the length of the chunk in each slot of the ring.
  private let chunks: UnsafeMutablePointer<Chunk>
  /// Protects the ring, which the source and the mixer use at the same time.
  private let state = Mutex(State())
  /// Signalled whenever a chunk is added.
  private let arrival: Signal
  /// The clock on which the deadlines of `take` are measured.
  private let clock: MediaClock

  /// - Parameters:
  ///   - capacity: the maximum number of chunks in the queue. 50 chunks of 10 ms are half a second.
  ///   - arrival: signalled whenever a chunk is added. Queues with the same consumer can share one signal.
  ///   - clock: the clock on which the deadlines of `take` are measured.
  public init(
    channels: Int, capacity: Int = 50, arrival: Signal = Signal(), clock: MediaClock = .system
  ) {
    self.channels = channels
    self.arrival = arrival
    self.clock = clock
    self.capacity = capacity
    unsafe samples = .allocate(capacity: capacity * PCMQueue.chunkFrames * channels)
    unsafe chunks = .allocate(capacity: capacity)
    unsafe chunks.initialize(
      repeating: Chunk(startsAt: .distantPast, frames: 0), count: capacity)
  }

  deinit {
    unsafe samples.deallocate()
    unsafe chunks.deallocate()
  }

  /// Copies what comes from now on into another queue as well.
  /// - Parameter other: a queue with as many channels.
  public func copyChunks(into other: PCMQueue) { copies.withLock { $0.append(other) } }

  /// Copies no more into a queue.
  public func endCopies(into other: PCMQueue) {
    copies.withLock { $0.removeAll { $0 === other } }
  }

  /// How many chunks were dropped because the consumer did not take them in time.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Adds `frames` sample frames, split into chunks.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples.
  ///   - startsAt: the capture time of the first sample.
  @unsafe public func put(
    _ interleaved: UnsafePointer<Float>, frames: Int, startsAt: MediaTime
  ) {
    unsafe tap.put(interleaved, frames: frames, startsAt: startsAt)
    for copies in copies.withLock({ $0 }) {
      unsafe copies.put(interleaved, frames: frames, startsAt: startsAt)
    }
    var offset = 0
    while offset < frames {
      let length = min(PCMQueue.chunkFrames, frames - offset)
      let chunk = Chunk(startsAt: startsAt + PCM.nanos(frames: offset), frames: length)
      state.withLock { state in
        if state.count == capacity {
          state.head = (state.head + 1) % capacity
          state.count -= 1
          state.dropped += 1
        }
        let slot = (state.head + state.count) % capacity
        unsafe chunks[slot] = chunk
        unsafe (samples + slot * PCMQueue.chunkFrames * channels).update(
          from: interleaved + offset * channels, count: length * channels)
        state.count += 1
      }
      arrival.signal()
      offset += length
    }
  }

  /// Removes the oldest chunk and copies its samples. Waits for a chunk until `deadline`.
  /// - Parameter destination: room for `chunkFrames` × `channels` samples.
  /// - Returns: `nil` if no chunk has arrived by `deadline`.
  @unsafe public func take(
    into destination: UnsafeMutablePointer<Float>, until deadline: MediaTime
  ) -> Chunk? {
    while true {
      if let chunk = unsafe takeNow(into: destination) { return chunk }
      guard arrival.wait(until: deadline, on: clock) else { return nil }
    }
  }

  /// The start time of the oldest chunk; `nil` if the queue is empty.
  public var first: MediaTime? {
    state.withLock { state in state.count > 0 ? unsafe chunks[state.head].startsAt : nil }
  }

  /// Removes the oldest chunk and copies its samples, without waiting. Returns `nil` if the queue is empty.
  /// - Parameter destination: room for `chunkFrames` × `channels` samples.
  @unsafe public func takeNow(into destination: UnsafeMutablePointer<Float>) -> Chunk? {
    state.withLock { state in
      guard state.count > 0 else { return nil }
      let slot = state.head
      let chunk = unsafe chunks[slot]
      unsafe destination.update(
        from: samples + slot * PCMQueue.chunkFrames * channels, count: chunk.frames * channels)
      state.head = (slot + 1) % capacity
      state.count -= 1
      return chunk
    }
  }
}
