// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The sound format inside the program: 32-bit float, channels interleaved, 48,000 frames a second.
public enum PCM {
  public static let sampleRate = 48_000

  /// Nanoseconds that so many sample frames last.
  public static func nanos(frames: Int) -> Int64 {
    // Whole seconds apart: the product of a day's samples and a billion does not fit.
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: sampleRate)
    return Int64(seconds) * 1_000_000_000 + Int64(rest) * 1_000_000_000 / Int64(sampleRate)
  }

  /// Sample frames in so many nanoseconds, to the nearest.
  public static func frames(nanos: Int64) -> Int {
    let (seconds, rest) = nanos.quotientAndRemainder(dividingBy: 1_000_000_000)
    let product = rest * Int64(sampleRate)
    return Int(seconds) * sampleRate
      + Int((product + (product < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
  }
}

/// Sound on its way from a source to the mixer, in pieces that each know their time.
///
/// The source never waits: when the mixer has fallen behind by the whole queue, the oldest piece goes.
@safe public final class PCMQueue: @unchecked Sendable {
  /// The most sample frames in one piece: 20 ms.
  public static let pieceFrames = 960

  /// Where a piece lies on the timeline.
  public struct Piece: Sendable {
    /// The time of its first sample.
    public var startsAt: MediaTime
    /// Samples per channel.
    public var frames: Int
  }

  private struct State {
    var head = 0
    var count = 0
    var dropped = 0
  }

  public let channels: Int
  private let capacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let pieces: UnsafeMutablePointer<Piece>
  private let state = Mutex(State())
  private let arrival = Signal()
  private let clock: MediaClock

  /// - Parameters:
  ///   - capacity: pieces held at most; 50 are half a second of 10 ms periods.
  ///   - clock: the clock of the deadlines of `take`.
  public init(channels: Int, capacity: Int = 50, clock: MediaClock = .system) {
    self.channels = channels
    self.clock = clock
    self.capacity = capacity
    unsafe samples = .allocate(capacity: capacity * PCMQueue.pieceFrames * channels)
    unsafe pieces = .allocate(capacity: capacity)
    unsafe pieces.initialize(
      repeating: Piece(startsAt: .distantPast, frames: 0), count: capacity)
  }

  deinit {
    unsafe samples.deallocate()
    unsafe pieces.deallocate()
  }

  /// Pieces lost because nobody took them in time.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Adds `frames` sample frames, cut into pieces as needed.
  /// - Parameter interleaved: `frames` × `channels` samples.
  @unsafe public func put(
    _ interleaved: UnsafePointer<Float>, frames: Int, startsAt: MediaTime
  ) {
    var offset = 0
    while offset < frames {
      let length = min(PCMQueue.pieceFrames, frames - offset)
      let piece = Piece(startsAt: startsAt + PCM.nanos(frames: offset), frames: length)
      state.withLock { state in
        if state.count == capacity {
          state.head = (state.head + 1) % capacity
          state.count -= 1
          state.dropped += 1
        }
        let slot = (state.head + state.count) % capacity
        unsafe pieces[slot] = piece
        unsafe (samples + slot * PCMQueue.pieceFrames * channels).update(
          from: interleaved + offset * channels, count: length * channels)
        state.count += 1
      }
      arrival.give()
      offset += length
    }
  }

  /// Takes the oldest piece, waiting for one until `deadline`.
  /// - Parameter destination: room for `pieceFrames` × `channels` samples.
  @unsafe public func take(
    into destination: UnsafeMutablePointer<Float>, until deadline: MediaTime
  ) -> Piece? {
    while true {
      let piece: Piece? = state.withLock { state in
        guard state.count > 0 else { return nil }
        let slot = state.head
        let piece = unsafe pieces[slot]
        unsafe destination.update(
          from: samples + slot * PCMQueue.pieceFrames * channels, count: piece.frames * channels)
        state.head = (slot + 1) % capacity
        state.count -= 1
        return piece
      }
      if let piece { return piece }
      guard arrival.wait(until: deadline, on: clock) else { return nil }
    }
  }
}
