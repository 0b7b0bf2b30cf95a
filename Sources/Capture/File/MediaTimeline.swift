// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Shifts the timestamps of a file's packets, so that time runs on where they leap.
///
/// Recordings that were joined, or a camera whose clock was set, have timestamps that leap forward or back, in all
/// streams or in one. A stream whose timestamps leap continues at its own end. A stream that leaps later by the same
/// amount gets the same shift, so that video and audio stay in step. A stream may also pause while another one goes on:
/// that is no leap.
///
/// Does no I/O. All times are in nanoseconds from the start of the file. The video and the audio of a file have a
/// timeline each; both agree, because each sees the packets of all streams.
struct MediaTimeline {
  /// By how much a packet may start before the last packet of its stream without counting as a leap. The end of the
  /// last packet is not used, because a still picture may state that it lasts for minutes.
  private static let backward: Int64 = .milliseconds(100)
  /// Like `backward`, for packets of which only the presentation time is known: packets do not come in the order of
  /// presentation.
  private static let backwardOutOfOrder: Int64 = .seconds(1)
  /// By how much a packet may start after the end of all streams without counting as a leap, in a file whose video and
  /// audio both go on.
  private static let forward: Int64 = .seconds(1)
  /// Like `forward`, for the first packet of a stream, and for a stream that is alone and may thus pause, since there
  /// is no other or all others have ended.
  private static let forwardAlone: Int64 = .seconds(10)
  /// By how much a stream may end before the latest stream and still count as going on: packets of several streams are
  /// not exactly in the order of time.
  private static let lag: Int64 = .seconds(1)
  /// How many shifts are remembered: after a leap, the streams change to the new shift one after the other.
  private static let maxShifts = 4

  private struct Stream {
    var shift: Int64
    /// The start of the stream's last packet, after the shift.
    var start: Int64
    /// The end of the stream's last packet, after the shift.
    var end: Int64
    /// Whether the decoding time of the last packet is known.
    var isInOrder: Bool
  }

  /// Whether any timestamps have leapt. The container's duration and its positions for seeking are then wrong. It stays
  /// set after a seek.
  private(set) var hasLeapt = false
  private let isAlone: Bool
  private var streams: [Int: Stream] = [:]
  /// The shifts that were used so far, at most `maxShifts`; the latest is the last.
  private var shifts: [Int64] = [0]
  /// The latest end of all packets so far, after their shifts.
  private var end: Int64 = 0
  /// Whether the file was sought to a position after its start: the first packets may then be earlier than that
  /// position.
  private var hasSought = false

  /// Makes the timeline of a file of which no packet has been read yet.
  /// - Parameter isAlone: whether the file has video or audio, but not both.
  init(isAlone: Bool) { self.isAlone = isAlone }

  /// Computes by how much the next packet's timestamps are shifted, so that time runs on, and remembers when the packet
  /// ends. All times are in nanoseconds.
  /// - Parameters:
  ///   - index: the number of the packet's stream in the file.
  ///   - time: the packet's decoding time in the file, or its presentation time if the decoding time is not known.
  ///   - length: the packet's duration.
  ///   - isInOrder: whether `time` is the decoding time.
  /// - Returns: what has to be added to the packet's timestamps.
  mutating func shift(
    stream index: Int, at time: Int64, lasting length: Int64, isInOrder: Bool = true
  ) -> Int64 {
    let stream = streams[index]
    let isFirst = stream == nil
    let back =
      isInOrder && stream?.isInOrder ?? true
      ? MediaTimeline.backward : MediaTimeline.backwardOutOfOrder
    let earliest =
      stream.map { $0.start - back } ?? (hasSought ? .min : -MediaTimeline.forwardAlone)
    let othersGoOn = streams.contains { $0.key != index && end - $0.value.end <= MediaTimeline.lag }
    let latest =
      end + (isFirst || isAlone || !othersGoOn ? MediaTimeline.forwardAlone : MediaTimeline.forward)
    let own = stream?.end ?? end
    // Of the shifts that fit, the one is used that places the packet nearest to the end of its stream; of equally near
    // ones, the stream's present shift.
    let usual: Int64 = stream?.shift ?? shifts.last ?? 0
    let fitting = ([usual] + shifts).filter { (earliest...latest).contains(time + $0) }
    let shift: Int64
    if let nearest = fitting.min(by: { abs(time + $0 - own) < abs(time + $1 - own) }) {
      shift = nearest
    } else {
      shift = (end - own <= MediaTimeline.lag ? own : end) - time
      hasLeapt = true
      shifts.append(shift)
      if shifts.count > MediaTimeline.maxShifts { shifts.removeFirst() }
    }
    var placed = time + shift
    var next = placed + length
    if !isInOrder, let stream {
      placed = max(placed, stream.start)
      next = max(next, stream.end)
    }
    streams[index] = Stream(shift: shift, start: placed, end: next, isInOrder: isInOrder)
    end = max(end, next)
    return shift
  }

  /// Notes that the file was sought, and that the next packets are from about `time`. After a leap, only 0 is allowed.
  mutating func seek(to time: Int64) {
    streams = [:]
    shifts = [0]
    end = time
    hasSought = time > 0
  }
}
