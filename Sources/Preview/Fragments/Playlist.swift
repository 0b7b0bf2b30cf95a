// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux

/// A segment as a playlist lists it.
struct Segment: Equatable {
  var number: Int
  var initialization: Int
  /// How many discontinuities there were up to it.
  var discontinuities: Int
  var time: MediaTime
  var duration: Int64
}

/// A live playlist of RFC 8216. Pure.
enum Playlist {
  /// Segments whose beginning is older than this are no longer listed, so that a player has time to fetch those that it
  /// has read of.
  static let listedNanos = Fragments.windowNanos - .seconds(1)

  /// The complete segments, the oldest first.
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
        segments[last].duration = fragment.end - segments[last].time
      }
    }
    // The newest one goes on.
    return segments.dropLast()
  }

  /// Those to list, of which there is one at least if any is complete.
  static func listed(_ segments: [Segment], newestEnd: MediaTime) -> ArraySlice<Segment> {
    let first = segments.firstIndex { newestEnd - $0.time <= listedNanos }
    return segments[(first ?? max(0, segments.count - 1))...]
  }

  /// - Parameters:
  ///   - segments: at least one.
  ///   - longest: the duration of the longest segment that was ever listed, in nanoseconds.
  ///   - folder: the path of the segments, relative to that of the playlist, with a slash at its end.
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

  /// "2.033"
  private static func seconds(_ nanos: Int64) -> String {
    let millis = (nanos + 500_000) / 1_000_000
    let rest = String(millis % 1_000)
    return "\(millis / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
