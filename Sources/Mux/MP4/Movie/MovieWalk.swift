// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Goes from fragment to fragment.
struct MovieWalk {
  /// Fragments at the end in which each NAL unit is checked: a write and its flush take seconds at the worst.
  private static let checkedFragments = 12
  /// Most bytes of a fragment. The recorder's queue has 16 MiB.
  private static let mostFragmentBytes = 32 << 20
  /// Most sample descriptions of a track.
  private static let mostDescriptions = 64

  /// A fragment: its place, its end, and its runs.
  struct Found {
    var offset: Int
    var end: Int
    var runs: [FragmentHead.Run]
  }

  /// Most fragments: those of four days with one a second. A test has fewer.
  var mostFragments = 400_000
  /// Whether there are more fragments or sample descriptions than are read.
  private(set) var isTooLarge = false
  var tracks: [MovieTrackState]
  /// The end of the last whole fragment.
  var end: Int
  /// The size of the file.
  let size: Int
  /// Where each fragment begins.
  private(set) var fragments: [Int] = []
  /// The last fragments.
  private var newest: [Found] = []
  /// When the movie was made, in seconds since 1970; 0 if that is not known.
  let seconds: Int64

  /// Reads the beginning of a file.
  /// - Returns: `nil` if the file is not by `MovieWriter`.
  init?<Failure: Error>(
    size: Int, _ read: MovieScan.Read<Failure>
  ) throws(Failure) {
    let headOffset = MovieBoxes.switchRange.upperBound
    let start = try read(0, headOffset + 8)
    guard start.count == headOffset + 8, start.starts(with: MovieBoxes.fileType) else { return nil }
    var header = BoxReader(Array(start[headOffset...]))
    guard let headSize = header.take32(), header.take(4) == Array("moov".utf8),
      (8...MovieHead.mostBytes).contains(headSize)
    else { return nil }
    var content = BoxReader(try read(headOffset, headSize))
    guard let moov = content.box(), let head = MovieHead.read(moov.content) else { return nil }
    (tracks, seconds) = head
    (end, self.size) = (headOffset + headSize, size)
  }

  /// Adds the next fragment.
  /// - Returns: `nil` if there is none, or none that fits.
  mutating func step<Failure: Error>(
    _ read: MovieScan.Read<Failure>
  ) throws(Failure) -> Found? {
    guard let found = try next(read) else { return nil }
    if fragments.count == mostFragments {
      isTooLarge = true
      return nil
    }
    for run in found.runs {
      var description = 0
      if tracks[run.track].track.isVideo {
        guard
          let known = try self.description(of: run, at: found.offset + run.offset, read)
        else { return nil }
        description = known
      }
      tracks[run.track].index.add(
        run.samples, at: found.offset + run.offset, description: description)
    }
    fragments.append(found.offset)
    end = found.end
    newest.append(found)
    if newest.count > Self.checkedFragments { newest.removeFirst() }
    return found
  }

  /// Reads the headers of the fragment at `end`.
  private func next<Failure: Error>(_ read: MovieScan.Read<Failure>) throws(Failure) -> Found? {
    var first = BoxReader(try read(end, 8))
    guard let moofSize = first.take32(), first.take(4) == Array("moof".utf8),
      (16...FragmentHead.mostBytes).contains(moofSize), moofSize + 8 < size - end
    else { return nil }
    let bytes = try read(end, moofSize + 8)
    guard bytes.count == moofSize + 8 else { return nil }
    var reader = BoxReader(Array(bytes[..<moofSize]))
    var media = BoxReader(Array(bytes[moofSize...]))
    guard let moof = reader.box(), let mediaSize = media.take32(),
      media.take(4) == Array("mdat".utf8), mediaSize > 8, mediaSize <= Self.mostFragmentBytes,
      mediaSize <= size - end - moofSize,
      let runs = FragmentHead.read(moof.content, tracks: tracks.count)
    else { return nil }
    var place = moofSize + 8
    for run in runs {
      let index = tracks[run.track].index
      guard run.offset == place, index.count == 0 || run.samples[0].time > index.lastTime
      else { return nil }
      place += run.bytes
    }
    guard place == moofSize + mediaSize else { return nil }
    return Found(offset: end, end: end + place, runs: runs)
  }

  /// The index of the sample description of a run of video: that of its keyframe, or of the run before.
  private mutating func description<Failure: Error>(
    of run: FragmentHead.Run, at offset: Int, _ read: MovieScan.Read<Failure>
  ) throws(Failure) -> Int? {
    guard run.samples[0].isSync else { return tracks[run.track].index.chunks.last?.description }
    let sets = NALUnits.avcConfiguration(
      ofKeyframe: try read(offset, min(run.samples[0].size, 1_024)))
    guard let sets else { return tracks[run.track].index.chunks.last?.description ?? 0 }
    if let known = tracks[run.track].descriptions.firstIndex(of: sets) { return known }
    if tracks[run.track].descriptions.count == Self.mostDescriptions {
      isTooLarge = true
      return nil
    }
    tracks[run.track].descriptions.append(sets)
    return tracks[run.track].descriptions.count - 1
  }

  /// Checks the samples of the last fragments, and cuts off all from the first damaged one on.
  mutating func check<Failure: Error>(_ read: MovieScan.Read<Failure>) throws(Failure) {
    for found in newest {
      if try isWhole(found, read) { continue }
      end = found.offset
      fragments.removeAll { $0 >= end }
      for track in tracks.indices { tracks[track].index.removeChunks(from: end) }
      return
    }
  }

  private func isWhole<Failure: Error>(
    _ found: Found, _ read: MovieScan.Read<Failure>
  ) throws(Failure) -> Bool {
    for run in found.runs {
      let bytes = try read(found.offset + run.offset, run.bytes)
      guard bytes.count == run.bytes else { return false }
      var at = 0
      for sample in run.samples {
        let part = bytes[at..<at + sample.size]
        // An AAC packet cannot be all zeros.
        let isWhole =
          tracks[run.track].track.isVideo
          ? NALUnits.areWhole(part) : part.contains { $0 != 0 }
        guard isWhole else { return false }
        at += sample.size
      }
    }
    return true
  }
}
