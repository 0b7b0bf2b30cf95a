// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// Makes the bytes of one MP4 file: fragments while it is written, and at the end an index that makes it an ordinary
/// movie, without copying what was written. Does no I/O.
///
/// The file begins with ftyp, a free box of 16 bytes and a moov box; then come the fragments. To finish it, `ending` is
/// appended and flushed, and then `mediaHeader` is written over the free box: from there to the final moov box, all
/// that was written counts as media data.
public struct MovieWriter: Sendable {
  /// The samples of one track that wait for the end of the fragment.
  private struct Pending: Sendable {
    var samples: [MovieSample] = []
    var bytes: [UInt8] = []
    /// The index of their sample description.
    var description = 0
  }

  /// What is written at the beginning of the file.
  public let head: [UInt8]
  /// The place of `mediaHeader` in the file.
  public static let mediaHeaderOffset = MovieBoxes.switchRange.lowerBound
  /// The time that is shown as 0.
  public let origin: MediaTime

  private var tracks: [MovieTrackState]
  private var pending: [Pending]
  /// When the movie was made, in seconds since 1970; 0 if that is not known.
  private let seconds: Int64
  /// The number of the last fragment.
  private var sequence: UInt32 = 0
  /// Where each fragment begins.
  private var fragments: [Int] = []
  /// The size of the file with all fragments so far.
  public private(set) var size: Int

  /// - Parameters:
  ///   - origin: the time that is shown as 0. An audio packet that begins before it and ends after it may be added: it
  ///     is not heard, but prepares the decoder.
  ///   - seconds: when the movie was made, in seconds since 1970; 0 if that is not known.
  public init(_ tracks: [MovieTrack], origin: MediaTime, seconds: Int64 = 0) {
    self.origin = origin
    self.seconds = seconds
    self.tracks = tracks.map { track in
      MovieTrackState(track, start: track.isVideo ? 0 : Int64(MovieTrack.audioPacketSamples))
    }
    pending = tracks.map { _ in Pending() }
    head =
      MovieBoxes.fileType + MovieBoxes.free
      + MovieBoxes.movie(self.tracks, seconds: seconds, isFinal: false)
    size = head.count
  }

  /// Continues a movie that was found: its tracks with the samples of all whole fragments.
  init(found tracks: [MovieTrackState], fragments: [Int], seconds: Int64, size: Int) {
    (self.tracks, self.fragments) = (tracks, fragments)
    (self.seconds, self.size) = (seconds, size)
    (pending, head, origin) = (tracks.map { _ in Pending() }, [], MediaTime(nanos: 0))
  }

  /// The formats of the tracks, the first sample description of each.
  public var formats: [MovieTrack] { tracks.map(\.track) }

  /// The length of what was written, in nanoseconds: the longest of the tracks.
  public var nanos: Int64 {
    let longest = tracks.filter { $0.index.count > 0 }.map { track in
      track.edits.reduce(0) { $0 + $1.duration }
    }.max()
    return (longest ?? 0) * 100_000 / 9
  }

  /// Bytes that `ending` will take, at most.
  public var endingSize: Int {
    // In the worst case a sample has an entry of 8 bytes for its duration, 4 for its size and 4 for being a sync
    // sample.
    tracks.reduce(4_096) { $0 + $1.index.count * 16 + $1.index.chunks.count * 20 }
  }

  // MARK: Fragments

  /// Adds a packet to the present fragment.
  /// - Parameter avcConfiguration: the decoder configuration of the packet, if it is video.
  /// - Returns: `false` if the packet is not later than the last one of its track, or is from before the movie.
  @discardableResult
  public mutating func add(_ packet: Packet, to track: Int, avcConfiguration: [UInt8]) -> Bool {
    let time = time(of: packet.time, in: track)
    let last = pending[track].samples.last?.time ?? tracks[track].index.last
    guard unsafe !packet.bytes.isEmpty, time >= 0, time > last ?? -1 else { return false }
    if packet.kind == .keyframe { describe(avcConfiguration, in: track) }
    pending[track].samples.append(
      MovieSample(
        size: unsafe packet.bytes.count, time: time,
        delay: units(packet.presentationDelay, in: track), isSync: packet.kind != .frame))
    unsafe pending[track].bytes.append(contentsOf: packet.bytes)
    return true
  }

  /// The time of a packet in units of the track's time scale. Audio that lies within two samples of the end of the
  /// packet before begins there.
  private func time(of instant: MediaTime, in track: Int) -> Int64 {
    let time = units(instant - origin, in: track) + tracks[track].start
    guard !tracks[track].track.isVideo,
      let last = pending[track].samples.last?.time ?? tracks[track].index.last
    else { return time }
    let next = last + Int64(MovieTrack.audioPacketSamples)
    return abs(time - next) <= 2 ? next : time
  }

  /// Nanoseconds in units of a track's time scale, rounded to the nearest.
  private func units(_ nanos: Int64, in track: Int) -> Int64 {
    let scale = Int64(tracks[track].track.timescale)
    let (seconds, rest) = nanos.quotientAndRemainder(dividingBy: 1_000_000_000)
    let half: Int64 = rest < 0 ? -500_000_000 : 500_000_000
    return seconds * scale + (rest * scale + half) / 1_000_000_000
  }

  /// Finds or adds the sample description with a decoder configuration.
  private mutating func describe(_ avcConfiguration: [UInt8], in track: Int) {
    if let known = tracks[track].descriptions.firstIndex(of: avcConfiguration) {
      pending[track].description = known
    } else {
      pending[track].description = tracks[track].descriptions.count
      tracks[track].descriptions.append(avcConfiguration)
    }
  }

  /// Whether a packet waits for the end of the fragment.
  private var hasPending: Bool { pending.contains { !$0.samples.isEmpty } }

  /// Forgets the packets of the present fragment.
  /// - Parameters:
  ///   - video: whether those of video are forgotten.
  ///   - audio: whether those of audio are forgotten.
  public mutating func discardPending(video: Bool, audio: Bool) {
    for track in pending.indices where tracks[track].track.isVideo ? video : audio {
      pending[track].samples.removeAll(keepingCapacity: true)
      pending[track].bytes.removeAll(keepingCapacity: true)
    }
  }

  /// Completes the fragment: a moof and an mdat box, to be appended to the file. A keyframe has to begin a fragment.
  /// - Returns: empty if no packet was added.
  public mutating func fragment() -> [UInt8] {
    guard hasPending else { return [] }
    sequence += 1
    var writer = BoxWriter()
    let places = putHeader(to: &writer)
    var offset = writer.bytes.count + 8
    for (track, place) in places {
      writer.patch32(UInt32(offset), at: place)
      tracks[track].index.add(
        pending[track].samples, at: size + offset, description: pending[track].description)
      offset += pending[track].bytes.count
    }
    var bytes = writer.bytes
    bytes.reserveCapacity(offset)
    bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (offset - writer.bytes.count) >> $0) }
    bytes += "mdat".utf8
    for track in pending.indices { bytes += pending[track].bytes }
    discardPending(video: true, audio: true)
    fragments.append(size)
    size += bytes.count
    return bytes
  }

  /// Writes the moof box (ISO/IEC 14496-12, 8.8.4).
  /// - Returns: the tracks that have samples, and where the place of their first sample has to be written.
  private func putHeader(to writer: inout BoxWriter) -> [(track: Int, place: Int)] {
    var places: [(track: Int, place: Int)] = []
    writer.box("moof") { moof in
      moof.box("mfhd", version: 0) { $0.put32(sequence) }
      for (track, pending) in pending.enumerated() where !pending.samples.isEmpty {
        moof.box("traf") { traf in
          // Places count from the beginning of the moof box.
          traf.box("tfhd", version: 0, flags: 0x2_0000) { $0.put32(UInt32(track + 1)) }
          traf.box("tfdt", version: 1) { $0.put64(pending.samples[0].time) }
          places.append((track, putRun(pending.samples, tracks[track].track, to: &traf)))
        }
      }
    }
    return places
  }

  /// Writes the trun box of a track.
  /// - Returns: where the place of the first sample has to be written.
  private func putRun(
    _ samples: [MovieSample], _ track: MovieTrack, to writer: inout BoxWriter
  ) -> Int {
    let hasDelays = samples.contains { $0.delay != 0 }
    var place = 0
    // Place, and for each sample duration, size, flags for video, and delay if there is any.
    let flags: UInt32 = 0x301 | (track.isVideo ? 0x400 : 0) | (hasDelays ? 0x800 : 0)
    writer.box("trun", version: 0, flags: flags) { box in
      box.put32(UInt32(samples.count))
      place = box.bytes.count
      box.put32(0)
      var duration = track.usualDuration
      for (number, sample) in samples.enumerated() {
        if number + 1 < samples.count { duration = samples[number + 1].time - sample.time }
        box.put32(UInt32(clamping: duration))
        box.put32(UInt32(sample.size))
        // Depends on no other sample; or depends on others, and is not a sync sample (8.8.3.1).
        if track.isVideo { box.put32(sample.isSync ? 0x200_0000 : 0x101_0000) }
        if hasDelays { box.put32(UInt32(clamping: sample.delay)) }
      }
    }
    return place
  }

  // MARK: The end

  /// The moov box with the index, to be appended after the last fragment.
  public func ending() -> [UInt8] { MovieBoxes.movie(tracks, seconds: seconds, isFinal: true) }

  /// The 16 bytes to be written at `mediaHeaderOffset` once `ending` has reached the disk.
  public func mediaHeader() -> [UInt8] { MovieBoxes.mediaHeader(end: size) }

  /// Forgets the last fragments, to make room in the file.
  /// - Parameter bytes: the least size of what is forgotten.
  public mutating func removeLast(atLeast bytes: Int) {
    if let first = fragments.last(where: { $0 <= size - bytes }) ?? fragments.first {
      removeFragments(from: first)
    }
  }

  /// Forgets the fragments that begin at an offset or later, because they could not be written.
  /// - Parameter offset: the end of the last fragment that stays.
  public mutating func removeFragments(from offset: Int) {
    for track in tracks.indices { tracks[track].index.removeChunks(from: offset) }
    while let last = fragments.last, last >= offset { fragments.removeLast() }
    size = offset
  }
}

extension TrackIndex {
  /// The time of the last sample; `nil` if there is none.
  fileprivate var last: Int64? { count > 0 ? lastTime : nil }
}
