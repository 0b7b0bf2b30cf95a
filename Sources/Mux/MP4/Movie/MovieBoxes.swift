// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// One track of a movie, as its boxes need it.
struct MovieTrackState: Sendable {
  /// The format.
  let track: MovieTrack
  /// The time of the track at which the movie begins. Earlier samples are hidden: they only prepare the decoder.
  let start: Int64
  /// The AVCDecoderConfigurationRecord of each sample description; one empty element for audio.
  var descriptions: [[UInt8]]
  /// The samples.
  var index = TrackIndex()

  init(_ track: MovieTrack, start: Int64) {
    self.track = track
    self.start = start
    if case .video(let header) = track {
      descriptions = [header.avcConfiguration]
    } else {
      descriptions = [[]]
    }
  }

  /// The duration of the last sample, which no further sample tells: that of the one before, at most a second.
  var lastDuration: Int64 {
    index.lastDelta > 0 ? min(index.lastDelta, Int64(track.timescale)) : track.usualDuration
  }

  /// From the first sample to the end of the last one, in units of the time scale.
  var mediaDuration: Int64 {
    index.count == 0 ? 0 : index.lastTime + lastDuration - index.firstTime
  }

  /// A part of the edit list (ISO/IEC 14496-12, 8.6.6): for `duration` units of the movie's time scale, what begins at
  /// `mediaTime` is shown, or nothing if that is -1.
  struct Edit: Equatable {
    var duration: Int64
    var mediaTime: Int64
  }

  /// The edits that put the samples where they belong. In a finished file the first sample has the time 0.
  var edits: [Edit] {
    let begin = index.firstTime - start
    if begin > 0 {
      return [
        Edit(duration: movieTime(begin), mediaTime: -1),
        Edit(duration: movieTime(mediaDuration), mediaTime: 0),
      ]
    }
    guard begin < 0 else { return [Edit(duration: movieTime(mediaDuration), mediaTime: 0)] }
    // Hide the whole first packet of audio: without the one before it, it cannot be decoded exactly.
    let hidden = min(Int64(MovieTrack.audioPacketSamples), mediaDuration)
    return [
      Edit(duration: movieTime(begin + hidden), mediaTime: -1),
      Edit(duration: movieTime(mediaDuration - hidden), mediaTime: hidden),
    ].filter { $0.mediaTime >= 0 || $0.duration > 0 }
  }

  /// A duration of the track in units of the movie's time scale.
  func movieTime(_ units: Int64) -> Int64 {
    let (seconds, rest) = units.quotientAndRemainder(dividingBy: Int64(track.timescale))
    return seconds * MovieBoxes.timescale + rest * MovieBoxes.timescale / Int64(track.timescale)
  }
}

/// The boxes at the beginning and at the end of a movie (ISO/IEC 14496-12).
enum MovieBoxes {
  /// Units per second of durations in the movie header and in edit lists.
  static let timescale: Int64 = 90_000
  /// Seconds from 1904-01-01, from which MP4 counts, to 1970-01-01.
  static let secondsTo1970: Int64 = 2_082_844_800
  /// The matrix that changes nothing: 1 as 16.16 and 2.30 numbers.
  private static let matrix: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

  /// The ftyp box: 32 bytes.
  static let fileType: [UInt8] = {
    var writer = BoxWriter()
    writer.box("ftyp") { box in
      box.put("isom".utf8)
      box.put32(minorVersion)
      for brand in ["isom", "iso6", "avc1", "mp41"] { box.put(brand.utf8) }
    }
    return writer.bytes
  }()

  /// The minor version, by which a file of this program is told from others: "OnAi".
  private static let minorVersion: UInt32 = 0x4F6E_4169

  /// Place and size of the box after ftyp: `free` while the file is being written, the header of an mdat box with a
  /// size of 64 bits when it is finished.
  static let switchRange = 32..<48

  /// The free box of 16 bytes.
  static let free: [UInt8] = [0, 0, 0, 16] + Array("free".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]

  /// The header of an mdat box from `switchRange` to the offset `end`.
  static func mediaHeader(end: Int) -> [UInt8] {
    var writer = BoxWriter()
    writer.put32(1)
    writer.put("mdat".utf8)
    writer.put64(Int64(end - switchRange.lowerBound))
    return writer.bytes
  }

  /// The moov box.
  /// - Parameters:
  ///   - seconds: when the movie was made, in seconds since 1970; 0 if that is not known.
  ///   - isFinal: whether the box has the index of all samples, and not only says that fragments follow.
  static func movie(_ tracks: [MovieTrackState], seconds: Int64, isFinal: Bool) -> [UInt8] {
    let created = seconds > 0 ? seconds + secondsTo1970 : 0
    let durations = tracks.map { track in
      isFinal && track.index.count > 0 ? track.edits.reduce(0) { $0 + $1.duration } : 0
    }
    var writer = BoxWriter()
    writer.box("moov") { moov in
      moov.box("mvhd", version: 1) { box in
        box.put64(created)
        box.put64(created)
        box.put32(UInt32(timescale))
        box.put64(durations.max() ?? 0)
        box.put32(0x1_0000)
        box.put16(0x100)
        box.putZeros(10)
        for value in matrix { box.put32(value) }
        box.putZeros(24)
        box.put32(UInt32(tracks.count + 1))
      }
      for (number, track) in tracks.enumerated() {
        putTrack(
          track, id: UInt32(number + 1), duration: durations[number], created: created, isFinal,
          to: &moov)
      }
      if !isFinal {
        moov.box("mvex") { mvex in
          for (number, track) in tracks.enumerated() {
            mvex.box("trex", version: 0) { box in
              box.put32(UInt32(number + 1))
              box.put32(1)
              box.put32(UInt32(track.track.usualDuration))
              box.put32(0)
              box.put32(0)
            }
          }
        }
      }
    }
    return writer.bytes
  }

  private static func putTrack(
    _ track: MovieTrackState, id: UInt32, duration: Int64, created: Int64, _ isFinal: Bool,
    to writer: inout BoxWriter
  ) {
    writer.box("trak") { trak in
      // Enabled, in the movie. Of several audio tracks a player plays one.
      trak.box("tkhd", version: 1, flags: 3) { box in
        box.put64(created)
        box.put64(created)
        box.put32(id)
        box.put32(0)
        box.put64(duration)
        box.putZeros(8)
        box.put16(0)
        box.put16(track.track.isVideo ? 0 : 1)
        box.put16(track.track.isVideo ? 0 : 0x100)
        box.put16(0)
        for value in matrix { box.put32(value) }
        if case .video(let header) = track.track {
          box.put32(UInt32(header.size.width) << 16)
          box.put32(UInt32(header.size.height) << 16)
        } else {
          box.putZeros(8)
        }
      }
      putEdits(track, isFinal, to: &trak)
      trak.box("mdia") { mdia in
        mdia.box("mdhd", version: 1) { box in
          box.put64(created)
          box.put64(created)
          box.put32(UInt32(track.track.timescale))
          box.put64(isFinal ? track.mediaDuration : 0)
          box.put16(0x55C4)  // undetermined language
          box.put16(0)
        }
        mdia.box("hdlr", version: 0) { box in
          box.put32(0)
          box.put((track.track.isVideo ? "vide" : "soun").utf8)
          box.putZeros(12)
          box.put(track.track.handlerName.utf8)
          box.put8(0)
        }
        mdia.box("minf") { minf in
          if track.track.isVideo {
            minf.box("vmhd", version: 0, flags: 1) { $0.putZeros(8) }
          } else {
            minf.box("smhd", version: 0) { $0.putZeros(4) }
          }
          minf.box("dinf") { dinf in
            dinf.box("dref", version: 0) { dref in
              dref.put32(1)
              dref.box("url ", version: 0, flags: 1) { _ in }
            }
          }
          SampleTable.put(track, isFinal, to: &minf)
        }
      }
    }
  }

  private static func putEdits(
    _ track: MovieTrackState, _ isFinal: Bool, to writer: inout BoxWriter
  ) {
    // Before the samples are known, a duration of 0 stands for all fragments (8.6.6.1).
    let edits =
      isFinal
      ? (track.index.count > 0 ? track.edits : [])
      : [MovieTrackState.Edit(duration: 0, mediaTime: track.start)]
    if edits.isEmpty || edits.count == 1 && edits[0].mediaTime == 0 { return }
    writer.box("edts") { edts in
      edts.box("elst", version: 1) { box in
        box.put32(UInt32(edits.count))
        for edit in edits {
          box.put64(edit.duration)
          box.put64(edit.mediaTime)
          box.put32(0x1_0000)
        }
      }
    }
  }
}

extension MovieTrack {
  /// The name of the track's handler.
  fileprivate var handlerName: String {
    switch self {
    case .video: "Video"
    case .audio(_, let name): name.isEmpty ? "Audio" : name
    }
  }
}
