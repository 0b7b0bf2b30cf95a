// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Media

/// Makes what viewers hear: one unbroken run of samples, cut into blocks for the encoder.
///
/// Each piece of sound is laid where its own time says. What is missing becomes silence, what comes
/// twice is left out, and the time of a block is counted in samples, so that it never jitters. Music
/// and guests will be added in here. Used by one thread.
@safe public final class Mixer {
  /// A piece may lie this far from where the last one ended and still be joined to it: 5 ms, more than
  /// a source's own jitter and less than an ear notices between picture and sound.
  static let tolerance = 240
  /// A hole longer than this is left in the timeline rather than filled: 2 s.
  static let longestSilence = 96_000

  public let channels: Int
  public let blockFrames: Int
  private let gain: Float
  private let block: UnsafeMutablePointer<Float>
  private var filled = 0
  /// The time of the first sample that is counted in `written`.
  private var origin: MediaTime
  private var written = 0

  /// - Parameters:
  ///   - gainDB: amplification of what is added, in decibels.
  ///   - blockFrames: samples per channel in a block: 1024 for AAC.
  ///   - origin: when the sound begins.
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

  /// Adds a piece at its place.
  /// - Parameters:
  ///   - interleaved: `frames` × `channels` samples; clipped to ±1 after the gain; `nil` for silence.
  ///   - emit: is lent each block that is full, and told the time of its first sample.
  /// - Returns: how many sample frames came too late and were left out; what is of before the beginning did not.
  @discardableResult @unsafe public func add(
    _ interleaved: UnsafePointer<Float>?, frames: Int, startsAt: MediaTime,
    emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) -> Int {
    let offset = PCM.frames(nanos: startsAt - end)
    let isBeginning = written == 0
    var skipped = 0
    if offset > Mixer.longestSilence {
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

  /// Makes silence of what was added and not yet given to `emit`.
  public func silence() { unsafe block.update(repeating: 0, count: filled * channels) }

  /// Makes the sound last until `time` with silence, if it does not yet.
  @unsafe public func addSilence(
    until time: MediaTime, emit: (UnsafePointer<Float>, MediaTime) -> Void
  ) {
    let missing = PCM.frames(nanos: time - end)
    if missing > Mixer.longestSilence {
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
