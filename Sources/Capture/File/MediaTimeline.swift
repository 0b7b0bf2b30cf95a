// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Shifts the timestamps of a file's packets, so that time continues evenly where the timestamps leap.
///
/// Recordings that were joined, or a camera whose clock was set, have timestamps that leap forward or back, in all
/// streams or in one. A stream whose timestamps leap continues at its own end. A stream that leaps later by the same
/// amount gets the same shift, so that video and audio stay in step. A pause in one stream while another one continues
/// is not a leap.
///
/// Does no I/O. All times are in nanoseconds from the start of the file. The video and the audio of a file have a
/// timeline each; both agree, because each sees the packets of all streams.
struct MediaTimeline {
  /// How much earlier than the last packet of its stream a packet may start without counting as a leap, in nanoseconds.
  /// This is measured from the start of the last packet, not from its end, because a still may state a duration of
  /// minutes.
  private static let maxBackwardNanos: Int64 = .milliseconds(100)
  /// Like `maxBackwardNanos`, for packets of which only the presentation time is known. It is longer, because packets
  /// are not in the order of presentation.
  private static let maxBackwardNanosOutOfOrder: Int64 = .seconds(1)
  /// How much later than the end of all streams a packet may start without counting as a leap, in nanoseconds, in a
  /// file whose video and audio both continue.
  private static let maxForwardNanos: Int64 = .seconds(1)
  /// Like `maxForwardNanos`, for the first packet of a stream, and for a stream that may pause because no other stream
  /// continues.
  private static let maxForwardNanosAlone: Int64 = .seconds(10)
  /// A stream counts as paused if it ends more than this many nanoseconds before the stream that ends last. Small
  /// differences are normal, because packets of several streams are not exactly in the order of time.
  private static let maxLagNanos: Int64 = .seconds(1)
  /// The maximum number of elements of `shifts`. Several are needed, because after a leap the streams change to the new
  /// shift one after the other.
  private static let maxShifts = 4

  /// The last packet of a stream, and the shift of the stream's timestamps. All times are in nanoseconds.
  private struct Stream {
    var shift: Int64
    /// The start of the stream's last packet, after the shift.
    var start: Int64
    /// The end of the stream's last packet, after the shift.
    var end: Int64
    /// Whether the decoding time of the last packet is known.
    var hasDecodingTime: Bool
  }

  /// Whether any timestamps have leapt, so that the container's duration and its positions for seeking are wrong. Stays
  /// `true` after a seek.
  private(set) var hasLeapt = false
  /// Whether the file has video or audio, but not both.
  private let hasSingleKind: Bool
  /// The streams with packets since the last seek, by their index in the file.
  private var streams: [Int: Stream] = [:]
  /// The shifts that were used so far in nanoseconds, at most `maxShifts`; the latest is the last.
  private var shifts: [Int64] = [0]
  /// The latest end of all packets so far in nanoseconds, after their shifts.
  private var end: Int64 = 0
  /// Whether the file was sought to a position after its start, so that the first packets may be earlier than that
  /// position.
  private var hasSought = false

  /// Makes the timeline of a file of which no packet has been read yet.
  /// - Parameter hasSingleKind: whether the file has video or audio, but not both.
  init(hasSingleKind: Bool) { self.hasSingleKind = hasSingleKind }

  /// Computes by how much the next packet's timestamps have to be shifted, so that time continues evenly, and notes
  /// when the packet ends. All times are in nanoseconds.
  /// - Parameters:
  ///   - index: the number of the packet's stream in the file.
  ///   - time: the packet's decoding time in the file, or its presentation time if the decoding time is not known.
  ///   - length: the packet's duration.
  ///   - hasDecodingTime: whether `time` is the decoding time.
  /// - Returns: the time that has to be added to the packet's timestamps.
  mutating func shift(
    stream index: Int, at time: Int64, lasting length: Int64, hasDecodingTime: Bool = true
  ) -> Int64 {
    let stream = streams[index]
    let isFirst = stream == nil
    let back =
      hasDecodingTime && stream?.hasDecodingTime ?? true
      ? MediaTimeline.maxBackwardNanos : MediaTimeline.maxBackwardNanosOutOfOrder
    let earliest =
      stream.map { $0.start - back } ?? (hasSought ? .min : -MediaTimeline.maxForwardNanosAlone)
    let othersGoOn = streams.contains {
      $0.key != index && end - $0.value.end <= MediaTimeline.maxLagNanos
    }
    let latest =
      end
      + (isFirst || hasSingleKind || !othersGoOn
        ? MediaTimeline.maxForwardNanosAlone : MediaTimeline.maxForwardNanos)
    let own = stream?.end ?? end
    // Find the known shifts that place the packet between `earliest` and `latest`. Of these, use the shift that places
    // the packet nearest to the end of its stream. If several are equally near, prefer the stream's present shift.
    let usual: Int64 = stream?.shift ?? shifts.last ?? 0
    var nearest: Int64?
    for index in -1..<shifts.count {
      let candidate = index < 0 ? usual : shifts[index]
      guard (earliest...latest).contains(time + candidate) else { continue }
      if let best = nearest, abs(time + candidate - own) >= abs(time + best - own) { continue }
      nearest = candidate
    }
    let shift: Int64
    if let nearest {
      shift = nearest
    } else {
      shift = (end - own <= MediaTimeline.maxLagNanos ? own : end) - time
      hasLeapt = true
      shifts.append(shift)
      if shifts.count > MediaTimeline.maxShifts { shifts.removeFirst() }
    }
    var placed = time + shift
    var next = placed + length
    if !hasDecodingTime, let stream {
      placed = max(placed, stream.start)
      next = max(next, stream.end)
    }
    streams[index] = Stream(
      shift: shift, start: placed, end: next, hasDecodingTime: hasDecodingTime)
    end = max(end, next)
    return shift
  }

  /// Starts anew after a seek: the next packets are from about `time`, in nanoseconds. After a leap, `time` must be 0.
  mutating func seek(to time: Int64) {
    streams = [:]
    shifts = [0]
    end = time
    hasSought = time > 0
  }
}
