// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Finds flashes and sounds in brightness and samples. Reads no clock.
struct LipSyncMeter {
  private var flash = FlashDetector()
  private var onset = OnsetDetector()
  private let channels: Int
  private var samples: [Float]

  init(channels: Int) {
    self.channels = channels
    samples = Array(repeating: 0, count: PCMQueue.chunkFrames * channels)
  }

  mutating func take(luma: Double, at time: MediaTime, into events: inout LipSyncEvents) {
    if let flash = flash.take(luma, at: time) { events.addFlash(flash) }
  }

  /// Takes all samples that wait in a queue. Of several channels the first is used.
  mutating func take(_ queue: PCMQueue, into events: inout LipSyncEvents) {
    while let chunk = unsafe samples.withUnsafeMutableBufferPointer({ buffer in
      unsafe buffer.baseAddress.flatMap { unsafe queue.takeNow(into: $0) }
    }) {
      for frame in 0..<chunk.frames {
        let time = chunk.startsAt + PCM.nanos(frames: frame)
        if let sound = onset.take(samples[frame * channels], at: time) { events.addSound(sound) }
      }
    }
  }
}
