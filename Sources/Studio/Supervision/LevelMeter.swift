// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples
internal import Glibc
internal import Synchronization

/// The levels of the audio that viewers hear, in decibels relative to full scale (dBFS). In stereo, each level is that
/// of the louder channel.
public struct AudioLevels: Sendable, Equatable {
  /// The level that stands for silence. No level is lower.
  public static let silenceDB = -100.0

  /// The peak level: the level of the largest sample.
  public var peakDB = AudioLevels.silenceDB
  /// The level of the root mean square (RMS) of the samples. The RMS level of a sine is 3 dB below its peak level.
  public var rmsDB = AudioLevels.silenceDB
  /// Whether a sample reached full scale, even if the limiter then lowered it.
  public var isClipped = false

  public init() {}

  /// - Parameters:
  ///   - peak: the largest absolute value of the samples, 0 to 1.
  ///   - power: the mean square of the samples.
  init(peak: Float, power: Double, isClipped: Bool) {
    peakDB = max(AudioLevels.silenceDB, 20 * log10(Double(peak)))
    rmsDB = max(AudioLevels.silenceDB, 10 * log10(power))
    self.isClipped = isClipped
  }
}

/// The position up to which one reader has read the blocks of a `LevelMeter`. Each reader has its own position, so that
/// readers do not disturb one another.
public struct LevelReader: Sendable {
  /// The number of blocks that had been measured at the last reading; `nil` before the first reading.
  var blocksRead: Int?

  public init() {}
}

/// Measures each block of audio that is encoded, and keeps the measurements of the last blocks for its readers. A block
/// has 1,024 sample frames, and up to six times as many in the profiles "low" and "basic".
@safe final class LevelMeter: Sendable {
  /// The measurements of one block of audio.
  private struct Block {
    /// The largest absolute value of the samples.
    var peak: Float = 0
    /// The mean squares of the samples of the first and of the second channel; for mono, the same value twice.
    var powers = SIMD2<Float>()
    var isClipped = false
  }

  /// The measurements of the last blocks.
  private struct State {
    /// A ring buffer: block number n is at index n modulo `keptBlocks`.
    var blocks = [Block](repeating: Block(), count: LevelMeter.keptBlocks)
    /// The number of blocks measured so far.
    var count = 0
    /// The number of sample frames in the newest block.
    var blockFrames = 1_024
  }

  /// The number of blocks that are kept: at least 65,536 sample frames, 1.4 s.
  private static let keptBlocks = 64
  /// The number of sample frames in 0.4 s, as whole blocks.
  private static let recentFrames = 19 * 1_024
  /// The largest sample value that a 16-bit converter can deliver: a little less than 1.
  private static let fullScale: Float = 32_767 / 32_768

  /// The measurements, shared by the audio thread and the readers.
  private let state = Mutex(State())

  /// Measures a block. Allocates nothing.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples, from -1 to 1.
  ///   - channels: 1 or 2.
  ///   - hasClipped: whether samples had reached full scale before a limiter lowered them.
  @unsafe func note(
    _ interleaved: UnsafePointer<Float>, frames: Int, channels: Int, hasClipped: Bool
  ) {
    let sums = unsafe onair_samples_measure(interleaved, frames, Int32(channels))
    let peak = max(sums.left_peak, sums.right_peak)
    let block = Block(
      peak: peak, powers: SIMD2(sums.left_squares, sums.right_squares) / Float(frames),
      isClipped: hasClipped || peak >= LevelMeter.fullScale)
    state.withLock { state in
      state.blocks[state.count % LevelMeter.keptBlocks] = block
      state.count += 1
      state.blockFrames = frames
    }
  }

  /// The levels of the last 0.4 s; `nil` before the first block.
  var recent: AudioLevels? {
    var reader = LevelReader()
    reader.blocksRead = state.withLock {
      max(0, $0.count - max(1, LevelMeter.recentFrames / $0.blockFrames))
    }
    return read(&reader)
  }

  /// The levels of the blocks that were measured since the reader's previous call, as far as they are kept. At the
  /// reader's first call, the levels of the newest block. `nil` if no block was measured since the previous call.
  func read(_ reader: inout LevelReader) -> AudioLevels? {
    state.withLock { state in
      let first = max(reader.blocksRead ?? state.count - 1, state.count - LevelMeter.keptBlocks, 0)
      reader.blocksRead = state.count
      guard first < state.count else { return nil }
      var peak: Float = 0
      var sums = SIMD2<Double>()
      var isClipped = false
      for number in first..<state.count {
        let block = state.blocks[number % LevelMeter.keptBlocks]
        peak = max(peak, block.peak)
        sums += SIMD2<Double>(block.powers)
        isClipped = isClipped || block.isClipped
      }
      return AudioLevels(
        peak: peak, power: sums.max() / Double(state.count - first), isClipped: isClipped)
    }
  }
}
