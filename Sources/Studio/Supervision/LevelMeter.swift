// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization

/// How loud the audio is that viewers hear: of the louder channel, in dB below full scale (dBFS).
public struct AudioLevels: Sendable, Equatable {
  /// What stands for silence.
  public static let silenceDB = -100.0

  /// The largest sample.
  public var peakDB = AudioLevels.silenceDB
  /// The root mean square. A sine's is 3 dB below its peak.
  public var rmsDB = AudioLevels.silenceDB
  /// Whether a sample has reached full scale.
  public var isClipped = false

  public init() {}

  /// - Parameters:
  ///   - peak: 0 to 1.
  ///   - power: the mean square.
  init(peak: Float, power: Double, isClipped: Bool) {
    peakDB = max(AudioLevels.silenceDB, 20 * log10(Double(peak)))
    rmsDB = max(AudioLevels.silenceDB, 10 * log10(power))
    self.isClipped = isClipped
  }
}

/// What one reader has read of the levels. Each reader has its own, so that none disturbs another.
public struct LevelReader: Sendable {
  /// Blocks that had been measured at the last reading.
  var seen: Int?

  public init() {}
}

/// Measures each block of audio that is encoded, and keeps the measurements of the last second for its readers.
@safe final class LevelMeter: Sendable {
  private struct Block {
    var peak: Float = 0
    /// The mean squares of the first and of the second channel; of mono, twice the same.
    var powers = SIMD2<Float>()
    var isClipped = false
  }

  private struct State {
    /// A ring.
    var blocks = [Block](repeating: Block(), count: LevelMeter.room)
    /// Blocks measured so far.
    var count = 0
  }

  /// Blocks that are kept: 1.4 s of 1,024 samples each.
  private static let room = 64
  /// The largest sample of a converter with 16 bits: it is a little less than 1.
  private static let fullScale: Float = 32_767 / 32_768

  private let state = Mutex(State())

  /// Measures a block. Allocates nothing.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples, ±1.
  ///   - frames: a multiple of 8.
  ///   - channels: 1 or 2.
  ///   - hasClipped: whether samples had reached full scale before a limiter lowered them.
  @unsafe func note(
    _ interleaved: UnsafePointer<Float>, frames: Int, channels: Int, hasClipped: Bool
  ) {
    var largest = SIMD8<Float>()
    var sums = SIMD8<Float>()
    let bytes = unsafe UnsafeRawPointer(interleaved)
    let count = frames * channels
    for index in stride(from: 0, to: count, by: 8) {
      let samples = unsafe bytes.loadUnaligned(
        fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
      sums += samples * samples
      let sizes = samples.replacing(with: -samples, where: samples .< 0)
      largest.replace(with: sizes, where: sizes .> largest)
    }
    // The samples of two channels alternate.
    let even = sums.evenHalf.sum()
    let odd = sums.oddHalf.sum()
    let powers = channels == 1 ? SIMD2(repeating: even + odd) : SIMD2(even, odd) * 2
    let peak = largest.max()
    let block = Block(
      peak: peak, powers: powers / Float(count),
      isClipped: hasClipped || peak >= LevelMeter.fullScale)
    state.withLock { state in
      state.blocks[state.count % LevelMeter.room] = block
      state.count += 1
    }
  }

  /// The levels of the blocks since the reader's last call, of at most the last 1.4 s; at its first call, of the newest
  /// block. `nil` when no block has come since.
  func read(_ reader: inout LevelReader) -> AudioLevels? {
    state.withLock { state in
      let first = max(reader.seen ?? state.count - 1, state.count - LevelMeter.room, 0)
      reader.seen = state.count
      guard first < state.count else { return nil }
      var peak: Float = 0
      var sums = SIMD2<Double>()
      var isClipped = false
      for number in first..<state.count {
        let block = state.blocks[number % LevelMeter.room]
        peak = max(peak, block.peak)
        sums += SIMD2<Double>(block.powers)
        isClipped = isClipped || block.isClipped
      }
      return AudioLevels(
        peak: peak, power: sums.max() / Double(state.count - first), isClipped: isClipped)
    }
  }
}
