// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A sample of a fragment, without its bytes.
struct MovieSample: Equatable, Sendable {
  /// The size in bytes.
  var size: Int
  /// The decoding time in units of the track's time scale.
  var time: Int64
  /// From the decoding time to the presentation time, in the same units.
  var delay: Int64 = 0
  /// Whether a decoder can start here. Always `true` for audio.
  var isSync: Bool
}

/// The sizes, times and places of the samples of one track, kept in memory until the file is finished: about 5 bytes
/// for a video frame, 3 for an audio packet, and 32 for each fragment.
struct TrackIndex: Sendable {
  /// The samples of one fragment, which lie together in the file.
  struct Chunk: Equatable, Sendable {
    /// The place of the first sample in the file.
    var offset: Int
    /// The number of samples.
    var samples: Int
    /// The index of the sample description, from 0.
    var description: Int
    /// The place of the chunk's first sample in `packed`.
    var packedStart: Int
  }

  /// Samples in a row that have the same `MovieSample.delay`.
  struct DelayRun: Equatable, Sendable {
    var samples: Int
    var delay: Int64
  }

  /// For each sample two numbers of 7 bits a byte, the lowest first: twice its size plus 1 for a sync sample; and by
  /// how much more time than before has passed since the sample before it, as 2n or, if it is less, as -2n - 1.
  private var packed: [UInt8] = []
  private(set) var chunks: [Chunk] = []
  private(set) var delays: [DelayRun] = []
  /// The number of samples.
  private(set) var count = 0
  /// The time of the first sample.
  private(set) var firstTime: Int64 = 0
  /// The time of the last sample.
  private(set) var lastTime: Int64 = 0
  /// The time between the two last samples; 0 before the second one.
  private(set) var lastDelta: Int64 = 0

  /// Bytes of memory for the samples, without those for the chunks.
  var sampleBytes: Int { packed.count }

  /// Adds the samples of a fragment, whose times rise and are later than those before.
  mutating func add(_ samples: [MovieSample], at offset: Int, description: Int) {
    guard !samples.isEmpty else { return }
    chunks.append(
      Chunk(
        offset: offset, samples: samples.count, description: description,
        packedStart: packed.count))
    for sample in samples { add(sample) }
  }

  private mutating func add(_ sample: MovieSample) {
    if count == 0 { (firstTime, lastTime) = (sample.time, sample.time) }
    let delta = sample.time - lastTime
    let change = delta - lastDelta
    pack(UInt64(sample.size) << 1 | (sample.isSync ? 1 : 0))
    pack(UInt64(bitPattern: change << 1 ^ change >> 63))
    (lastTime, lastDelta) = (sample.time, delta)
    count += 1
    if delays.last?.delay == sample.delay {
      delays[delays.count - 1].samples += 1
    } else {
      delays.append(DelayRun(samples: 1, delay: sample.delay))
    }
  }

  /// Removes the samples of the fragment that begins at `offset` or later.
  mutating func removeChunks(from offset: Int) {
    guard let first = chunks.firstIndex(where: { $0.offset >= offset }) else { return }
    let removed = chunks[first...].reduce(0) { $0 + $1.samples }
    packed.removeSubrange(chunks[first].packedStart...)
    chunks.removeSubrange(first...)
    var left = removed
    while left > 0, let run = delays.popLast() {
      if run.samples > left {
        delays.append(DelayRun(samples: run.samples - left, delay: run.delay))
      }
      left -= min(left, run.samples)
    }
    count -= removed
    (lastTime, lastDelta) = (firstTime, 0)
    forEach { _, _, delta in (lastTime, lastDelta) = (lastTime + delta, delta) }
  }

  /// Calls `body` with the size of each sample, whether it is a sync sample, and the time since the one before it.
  func forEach(_ body: (_ size: Int, _ isSync: Bool, _ delta: Int64) -> Void) {
    var (at, delta) = (0, Int64(0))
    while at < packed.count {
      let size = unpack(&at)
      let change = unpack(&at)
      delta += Int64(bitPattern: change >> 1) ^ -Int64(bitPattern: change & 1)
      body(Int(size >> 1), size & 1 == 1, delta)
    }
  }

  private mutating func pack(_ value: UInt64) {
    var rest = value
    while rest > 127 {
      packed.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    packed.append(UInt8(rest))
  }

  private func unpack(_ at: inout Int) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while packed[at] > 127 {
      value |= UInt64(packed[at] & 127) << shift
      (at, shift) = (at + 1, shift + 7)
    }
    value |= UInt64(packed[at]) << shift
    at += 1
    return value
  }
}
