// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// The entry of an HLS segment in a playlist.
struct Segment: Equatable {
  /// The number of the segment. The file of segment 12 is named "12.m4s".
  var number: Int
  /// The number of the initialization segment that this segment needs.
  var initialization: Int
  /// The number of discontinuities up to this segment.
  var discontinuities: Int
  /// The time of the segment's first frame; without video, of its first audio packet.
  var time: MediaTime
  /// The duration of the segment in nanoseconds.
  var duration: Int64
}

/// Writes live HLS playlists (RFC 8216). Reads no clock and does no I/O.
package enum Playlist {
  /// A segment is listed until its beginning is this many nanoseconds old. That is one second less than segments are
  /// kept, so that a player has time to fetch a segment that it has found in a playlist.
  static let listedNanos = Fragments.Limits.preview.windowNanos - .seconds(1)

  /// The complete segments among the kept fragments, from the oldest to the newest.
  static func segments(of kept: [Fragment]) -> [Segment] {
    var segments: [Segment] = []
    for fragment in kept {
      if fragment.beginsSegment, let number = fragment.segment {
        segments.append(
          Segment(
            number: number, initialization: fragment.initialization.number,
            discontinuities: fragment.discontinuities, time: fragment.time,
            duration: fragment.duration))
      } else if let last = segments.indices.last, segments[last].number == fragment.segment {
        // Sound alone may have an earlier time than the frames before it.
        let duration = fragment.end - segments[last].time
        segments[last].duration = max(segments[last].duration, duration)
      }
    }
    // Omit the newest segment, which is not complete yet.
    return segments.dropLast()
  }

  /// The segments to list: those that are not older than `listedNanos`, and at least the newest one.
  /// - Parameter newestEnd: the end of the newest fragment.
  static func listed(_ segments: [Segment], newestEnd: MediaTime) -> ArraySlice<Segment> {
    let first = segments.firstIndex { newestEnd - $0.time <= listedNanos }
    return segments[(first ?? max(0, segments.count - 1))...]
  }

  /// The text of a playlist; empty if there are no segments.
  /// - Parameters:
  ///   - segments: the segments to list, from the oldest to the newest.
  ///   - longest: the duration of the longest segment that was ever listed, in nanoseconds. It determines the target
  ///     duration.
  ///   - folder: the path of the segments' folder, relative to that of the playlist, with a slash at its end.
  static func text(_ segments: ArraySlice<Segment>, longest: Int64, folder: String) -> String {
    guard let first = segments.first else { return "" }
    let target = max(1, (longest + 500_000_000) / 1_000_000_000)
    var text = """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-TARGETDURATION:\(target)
      #EXT-X-MEDIA-SEQUENCE:\(first.number)
      #EXT-X-DISCONTINUITY-SEQUENCE:\(first.discontinuities)
      #EXT-X-INDEPENDENT-SEGMENTS

      """
    var before: Segment?
    for segment in segments {
      if segment.initialization != before?.initialization {
        if before != nil { text += "#EXT-X-DISCONTINUITY\n" }
        text += "#EXT-X-MAP:URI=\"\(folder)\(segment.initialization).mp4\"\n"
      }
      text += "#EXTINF:\(seconds(segment.duration)),\n\(folder)\(segment.number).m4s\n"
      before = segment
    }
    return text
  }

  /// A duration as seconds with three decimals: "2.033".
  package static func seconds(_ nanos: Int64) -> String {
    let millis = (nanos + 500_000) / 1_000_000
    let rest = String(millis % 1_000)
    return "\(millis / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
