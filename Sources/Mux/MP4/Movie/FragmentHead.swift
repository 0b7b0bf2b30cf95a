// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Reads the moof box of a fragment by `MovieWriter`. Refuses what that does not write.
enum FragmentHead {
  /// Most bytes of a moof box: 100,000 samples.
  static let mostBytes = 1 << 21

  /// The samples of one track.
  struct Run: Equatable {
    /// The index of the track.
    var track: Int
    /// The place of the first sample, counted from the beginning of the moof box.
    var offset: Int
    var samples: [MovieSample]

    /// The size of all samples.
    var bytes: Int { samples.reduce(0) { $0 + $1.size } }
  }

  /// The runs of the tracks, in their order; `nil` if the content of the moof box is damaged.
  static func read(_ moof: BoxReader, tracks: Int) -> [Run]? {
    var (rest, runs) = (moof, [Run]())
    while let box = rest.box() {
      guard box.type == "traf" else { continue }
      guard let run = run(box.content), (runs.last?.track ?? -1) < run.track, run.track < tracks
      else { return nil }
      runs.append(run)
    }
    return runs.isEmpty || rest.count > 0 ? nil : runs
  }

  private static func run(_ traf: BoxReader) -> Run? {
    guard var header = traf.box(at: "tfhd"), header.skip(4) != nil, let id = header.take32(),
      var decoding = traf.box(at: "tfdt"), decoding.skip(4) != nil, let first = decoding.take64(),
      first < 1 << 50, id > 0,
      var run = traf.box(at: "trun"), let flags = run.take32(), flags & 0x301 == 0x301,
      let count = run.take32(), count > 0, let offset = run.take32()
    else { return nil }
    let (hasFlags, hasDelay) = (flags & 0x400 != 0, flags & 0x800 != 0)
    guard run.count == count * (8 + (hasFlags ? 4 : 0) + (hasDelay ? 4 : 0)) else { return nil }
    var samples: [MovieSample] = []
    samples.reserveCapacity(count)
    var time = Int64(first)
    for _ in 0..<count {
      guard let duration = run.take32(), let size = run.take32(), size > 0, duration > 0
      else { return nil }
      let isSync = hasFlags ? (run.take32() ?? 0) & 0x1_0000 == 0 : true
      let delay = hasDelay ? run.take32() ?? 0 : 0
      samples.append(MovieSample(size: size, time: time, delay: Int64(delay), isSync: isSync))
      time += Int64(duration)
    }
    return Run(track: id - 1, offset: offset, samples: samples)
  }
}
