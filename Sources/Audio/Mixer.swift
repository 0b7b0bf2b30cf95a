// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Media

/// Makes one continuous sequence of samples from the chunks of a source, split into blocks for the encoder.
///
/// Each chunk is placed by its time. Gaps become silence, overlaps are dropped, and the times of blocks are counted in
/// samples, so they do not jitter. Used by one thread.
@safe public final class Mixer {
  /// A chunk that starts within this of the end of the last one is joined to it: 5 ms, which is more than the jitter of
  /// a source, and not perceptible between video and audio.
  static let tolerance = 240
  /// Longer gaps are not filled with silence; they stay gaps in the timeline: 2 s.
  static let maxSilence = 96_000

  public let channels: Int
  public let blockFrames: Int
  private let gain: Float
  private let block: UnsafeMutablePointer<Float>
  private var filled = 0
  /// The time of the first sample in `written`.
  private var origin: MediaTime
  private var written = 0

  /// - Parameters:
  ///   - gainDB: the gain in decibels.
  ///   - blockFrames: samples per channel in a block: 1024 for AAC.
  ///   - origin: when the audio starts.
  public init(channels: Int, gainDB: Double, blockFrames: Int, origin: MediaTime) {
    self.channels = channels
    self.blockFrames = blockFrames
    self.origin = origin
    gain = Float(pow(10, gainDB / 20))
    unsafe block = .allocate(capacity: blockFrames * channels)
  }

  deinit { unsafe block.deallocate() }

  /// The time of the next sample to be added.
  public var end: MediaTime { origin + PCM.nanos(frames: written) }

  /// Adds a chunk at its place in time.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples; clipped to ±1 after the gain; `nil` for silence.
  ///   - emit: receives each full block, valid during the call, and the time of its first sample.
  /// - Returns: how many sample frames were dropped because they came too late. Those before `origin` do not count.
  @discardableResult @unsafe public func add(
    _ interleaved: UnsafePointer<Float>?, frames: Int, startsAt: MediaTime,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let offset = PCM.frames(nanos: startsAt - end)
    let isBeginning = written == 0
    var skipped = 0
    if offset > Mixer.maxSilence {
      origin = startsAt
      written = 0
      filled = 0
    } else if offset > Mixer.tolerance {
      unsafe append(nil, frames: offset, emit: emit)
    } else if offset < -Mixer.tolerance {
      skipped = min(frames, -offset)
    }
    unsafe append(
      interleaved.map { unsafe $0 + skipped * channels }, frames: frames - skipped, emit: emit)
    return isBeginning ? 0 : skipped
  }

  /// Replaces the samples that were added but not emitted yet with silence.
  public func silence() { unsafe block.update(repeating: 0, count: filled * channels) }

  /// Adds silence until `time`, if the audio ends before it.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    let missing = PCM.frames(nanos: time - end)
    if missing > Mixer.maxSilence {
      origin = time
      written = 0
      filled = 0
    } else if missing > 0 {
      unsafe append(nil, frames: missing, emit: emit)
    }
  }

  private func append(
    _ samples: UnsafePointer<Float>?, frames: Int, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    var done = 0
    while done < frames {
      let count = min(frames - done, blockFrames - filled)
      let target = unsafe block + filled * channels
      if let samples = unsafe samples {
        let source = unsafe samples + done * channels
        for index in 0..<count * channels {
          unsafe target[index] = max(-1, min(1, source[index] * gain))
        }
      } else {
        unsafe target.update(repeating: 0, count: count * channels)
      }
      done += count
      filled += count
      written += count
      if filled == blockFrames {
        unsafe emit(block, end - PCM.nanos(frames: blockFrames))
        filled = 0
      }
    }
  }
}
