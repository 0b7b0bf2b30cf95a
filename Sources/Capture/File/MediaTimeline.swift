// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Maps the timestamps of a file's packets to a time that runs on where they leap.
///
/// Recordings that were joined, or a camera whose clock was set, have timestamps that leap forward or back, in all streams
/// or in one. Where a stream leaps, it continues at its own end. A stream that leaps later by as much gets the same shift,
/// so that video and audio stay in step. A stream may also pause while another one goes on: that is no leap.
///
/// Pure. All times are in nanoseconds from the start of the file. Video and audio of a file have one each, which agree,
/// because both see all packets.
struct MediaTimeline {
  /// How much earlier than the start of its stream's last packet a packet may be, without a leap. The end of that one is
  /// no measure: a picture that stands may state that it lasts for minutes.
  private static let backward: Int64 = .milliseconds(100)
  /// The same where only the time of presentation is known, in whose order packets do not come.
  private static let backwardOutOfOrder: Int64 = .seconds(1)
  /// How much later than the end of all streams a packet may be in a file with video and audio, while both go on.
  private static let forward: Int64 = .seconds(1)
  /// The same for a single stream, which may pause, and for the first packet of a stream. Where the others have ended,
  /// a stream is a single one.
  private static let forwardAlone: Int64 = .seconds(10)
  /// How far a stream may lag behind the others in the order of the packets.
  private static let lag: Int64 = .seconds(1)
  /// The shifts that are remembered: streams leap one after the other.
  private static let maxShifts = 4

  private struct Stream {
    var shift: Int64
    /// The start of its last packet, after the shift.
    var start: Int64
    /// The end of its last packet, after the shift.
    var end: Int64
    var isInOrder: Bool
  }

  /// Whether timestamps have leapt. The container's duration and its positions for seeking are then wrong. It stays
  /// set after a seek.
  private(set) var hasLeapt = false
  private let isAlone: Bool
  private var streams: [Int: Stream] = [:]
  /// The latest last.
  private var shifts: [Int64] = [0]
  /// The end of all packets so far, after their shifts.
  private var end: Int64 = 0
  /// Whether packets may be earlier than the position that was sought.
  private var hasSought = false

  /// - Parameter isAlone: whether the file has video or audio, but not both.
  init(isAlone: Bool) { self.isAlone = isAlone }

  /// - Parameters:
  ///   - time: when the packet is decoded; or presented, if the other is not known.
  ///   - isInOrder: whether `time` is when it is decoded.
  /// - Returns: what to add to the packet's timestamps.
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
    // The nearest to the end of the stream, and the stream's own shift of those that are as near.
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

  /// Notes that the next packets are of another position. After a leap, only 0 is allowed.
  mutating func seek(to time: Int64) {
    streams = [:]
    shifts = [0]
    end = time
    hasSought = time > 0
  }
}
