// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux
internal import Preview

/// The playlist of Low-Latency HLS (RFC 8216, second edition: draft-pantos-hls-rfc8216bis): the newest segments, the
/// parts of the last of them, and a hint at the next part. A part is a fragment, and has the name "SEGMENT.PART.m4s".
/// Reads no clock and does no I/O.
struct PartPlaylist {
  /// The longest part, as far as frames are not longer, in nanoseconds.
  static let partNanos: Int64 = .milliseconds(600)
  /// The most complete segments in a playlist.
  static let mostSegments = 7
  /// The number of complete segments whose parts are listed.
  private static let partedSegments = 3

  /// A part of a segment.
  struct Part: Equatable {
    /// The duration in nanoseconds.
    var duration: Int64
    /// Whether a player can begin with the part.
    var isIndependent: Bool
  }

  /// A segment of which the first part is kept.
  struct Segment: Equatable {
    /// The segment's number.
    var number: Int
    /// The number of its initialization segment.
    var initialization: Int
    /// The number of discontinuities up to this segment.
    var discontinuities: Int
    /// The duration in nanoseconds, of the parts that there are.
    var duration: Int64
    var parts: [Part]
  }

  /// The place of a part: the number of its segment, and its index in the segment.
  struct Place: Equatable, Comparable {
    var segment: Int
    var part: Int

    static func < (a: Place, b: Place) -> Bool { (a.segment, a.part) < (b.segment, b.part) }
  }

  /// The segments from the oldest to the newest, which is not complete.
  let segments: ArraySlice<Segment>
  /// The newest part; `nil` if there is none.
  let newest: Place?

  /// - Parameter kept: fragments from the oldest to the newest.
  init(_ kept: [Fragment]) {
    var all: [Segment] = []
    var began = MediaTime.distantPast
    for fragment in kept {
      guard let number = fragment.segment else { continue }
      let part = Part(
        duration: fragment.duration, isIndependent: fragment.beginsWithKeyframe)
      if fragment.beginsSegment {
        began = fragment.time
        all.append(
          Segment(
            number: number, initialization: fragment.initialization.number,
            discontinuities: fragment.discontinuities, duration: fragment.duration, parts: [part]))
      } else if let last = all.indices.last, all[last].number == number {
        // Sound alone may have an earlier time than the frames before it.
        all[last].duration = max(all[last].duration, fragment.end - began)
        all[last].parts.append(part)
      }
    }
    segments = all.suffix(PartPlaylist.mostSegments + 1)
    newest = all.last.map { Place(segment: $0.number, part: $0.parts.count - 1) }
  }

  /// The bytes of a part; `nil` if it is not kept.
  static func bytes(of place: Place, in kept: [Fragment]) -> [UInt8]? {
    guard let first = kept.firstIndex(where: { $0.segment == place.segment && $0.beginsSegment }),
      kept.indices.contains(first + place.part), kept[first + place.part].segment == place.segment
    else { return nil }
    return kept[first + place.part].bytes
  }

  /// The longest complete segment and the longest part, in nanoseconds.
  var longest: (segment: Int64, part: Int64) {
    (
      segments.dropLast().map(\.duration).max() ?? 0,
      segments.flatMap(\.parts).map(\.duration).max() ?? 0
    )
  }

  /// The text of the playlist.
  /// - Parameters:
  ///   - target: the target duration in seconds: at least that of the longest segment, rounded.
  ///   - partTarget: the target duration of parts in nanoseconds: at least that of the longest part.
  ///   - folder: the path of the files' folder, relative to that of the playlist, with a slash at its end.
  ///   - query: what follows the name of each file: "?auth_key=…", or empty.
  func text(target: Int64, partTarget: Int64, folder: String, query: String) -> String {
    guard let first = segments.first, let newest else { return "" }
    var text = """
      #EXTM3U
      #EXT-X-VERSION:9
      #EXT-X-TARGETDURATION:\(target)
      #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=\(Playlist.seconds(3 * partTarget))
      #EXT-X-PART-INF:PART-TARGET=\(Playlist.seconds(partTarget))
      #EXT-X-MEDIA-SEQUENCE:\(first.number)
      #EXT-X-DISCONTINUITY-SEQUENCE:\(first.discontinuities)
      #EXT-X-INDEPENDENT-SEGMENTS

      """
    var before: Segment?
    for segment in segments {
      if segment.initialization != before?.initialization {
        if before != nil { text += "#EXT-X-DISCONTINUITY\n" }
        text += "#EXT-X-MAP:URI=\"\(folder)\(segment.initialization).mp4\(query)\"\n"
      }
      if newest.segment - segment.number <= PartPlaylist.partedSegments {
        for (index, part) in segment.parts.enumerated() {
          text += "#EXT-X-PART:DURATION=\(Playlist.seconds(part.duration)),"
          text += "URI=\"\(folder)\(segment.number).\(index).m4s\(query)\""
          text += part.isIndependent ? ",INDEPENDENT=YES\n" : "\n"
        }
      }
      if segment.number < newest.segment {
        text += "#EXTINF:\(Playlist.seconds(segment.duration)),\n"
        text += "\(folder)\(segment.number).m4s\(query)\n"
      }
      before = segment
    }
    let hint = "\(folder)\(newest.segment).\(newest.part + 1).m4s\(query)"
    return text + "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(hint)\"\n"
  }
}
