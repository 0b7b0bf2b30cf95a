// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Synchronization

/// The packets of a guest that have arrived and are not due yet, and the timeline that says when they are.
///
/// The thread that reads puts packets in; the thread that plays takes them when they are due. Neither waits for the
/// other, except that a stream that is fetched in pieces is read only while there is room.
final class GuestBuffer: Sendable {
  /// What is in the buffer.
  enum Item: Sendable {
    case packet(GuestPacket)
    /// The following packets belong to this track.
    case track(GuestTrack)
  }

  /// The most bytes of packets of each kind.
  static let maxBytes = 8 << 20
  /// The longest span of the packets of each kind, in nanoseconds, beyond the delay that the user has set.
  static let maxSpanNanos: Int64 = .seconds(2)
  /// Video that is later than this many nanoseconds is skipped up to the next keyframe.
  static let maxLateNanos: Int64 = .seconds(1)

  private struct Queue {
    var items: [Item] = []
    var bytes = 0
    /// Whether packets were dropped, so that the next one must be a keyframe.
    var needsKeyframe = false

    var oldest: Int64? { items.lazy.compactMap(\.time).first }
    var newest: Int64? { items.last?.time }

    mutating func removeFirst() {
      if case .packet(let packet) = items.removeFirst() { bytes -= packet.byteCount }
    }

    /// Removes the packets before the last keyframe, or all if there is none.
    mutating func removeUpToKeyframe() {
      let key = items.lastIndex {
        if case .packet(let packet) = $0 { packet.isKeyframe } else { false }
      }
      needsKeyframe = key == nil
      removePackets(before: key ?? items.endIndex)
    }

    /// Removes the packets before an index; the tracks stay.
    mutating func removePackets(before index: Int) {
      let tracks = items[..<index].filter { if case .track = $0 { true } else { false } }
      items = tracks + items[index...]
      bytes = items.reduce(0) {
        if case .packet(let packet) = $1 { $0 + packet.byteCount } else { $0 }
      }
    }
  }

  private struct State {
    var timestamps = GuestTimestamps()
    var timeline: GuestTimeline
    var queues = [Queue(), Queue()]
    /// The time of the last packet of each `GuestKind`; `nil` before the first.
    var lastTimes: [Int64?] = [nil, nil]
  }

  /// Signalled when there is something in a queue that was empty: else the thread that plays knows when it has to wake.
  let arrival = Signal()
  private let maxSpan: Int64
  private let state: Mutex<State>

  /// - Parameters:
  ///   - isInPieces: whether the stream is fetched in pieces, so that arrivals say nothing about time.
  ///   - extraDelay: the delay that the user has set, in nanoseconds.
  init(isInPieces: Bool = false, extraDelay: Int64 = 0) {
    maxSpan = GuestBuffer.maxSpanNanos + extraDelay
    state = Mutex(
      State(timeline: GuestTimeline(pace: isInPieces ? .reader : .sender, extraDelay: extraDelay)))
  }

  // MARK: The thread that reads

  func begin(_ track: GuestTrack) {
    state.withLock { $0.queues[track.kind.rawValue].items.append(.track(track)) }
    arrival.signal()
  }

  /// Takes a packet.
  /// - Parameter stamps: its decoding timestamp, and how much later it is shown, in nanoseconds; `nil` if it has none.
  func put(
    _ packet: UnsafeMutablePointer<AVPacket>, _ kind: GuestKind,
    stamps: (time: Int64, reorder: Int64)?, arrived: MediaTime
  ) {
    let mustWake = state.withLock { state in
      let expected = state.timeline.expected(kind, arrived)
      // Audio without timestamps follows what is before it; video is of now.
      let last = state.lastTimes[kind.rawValue]
      var time = (kind == .audio ? last ?? expected : expected ?? last) ?? 0
      var isMoving = false
      if let stamps {
        let place = state.timestamps.place(
          kind, stated: stamps.time, arrived: arrived, expected: expected)
        time = stamps.time + place.shift
        isMoving = place.isMoving
      }
      state.lastTimes[kind.rawValue] = time
      if isMoving || stamps != nil && expected == nil || state.timeline.due(0) == nil {
        state.timeline.note(kind, time: time, arrived: arrived)
      }
      let packet = unsafe GuestPacket(taking: packet, time: time, reorder: stamps?.reorder)
      let wasEmpty = state.queues[kind.rawValue].items.isEmpty
      append(packet, kind, to: &state.queues[kind.rawValue])
      return wasEmpty
    }
    if mustWake { arrival.signal() }
  }

  private func append(_ packet: GuestPacket, _ kind: GuestKind, to queue: inout Queue) {
    guard !(kind == .video && queue.needsKeyframe && !packet.isKeyframe) else { return }
    queue.needsKeyframe = false
    queue.items.append(.packet(packet))
    queue.bytes += packet.byteCount
    guard queue.bytes > GuestBuffer.maxBytes || span(queue) > 2 * maxSpan else { return }
    // The thread that plays is too slow, or the sender floods.
    if kind == .video { return queue.removeUpToKeyframe() }
    queue.removePackets(before: queue.items.count / 2)
  }

  private func span(_ queue: Queue) -> Int64 {
    guard let oldest = queue.oldest, let newest = queue.newest else { return 0 }
    return newest - oldest
  }

  /// Whether the reader has to wait before it reads on: the stream is read at its own pace, and there is enough.
  var isFull: Bool {
    state.withLock { state in
      state.timeline.pace == .reader
        && state.queues.contains {
          span($0) > maxSpan || $0.bytes > GuestBuffer.maxBytes / 2
        }
    }
  }

  var isEmpty: Bool { state.withLock { $0.queues.allSatisfy(\.items.isEmpty) } }

  // MARK: The thread that plays

  /// Takes the next item if it is due within `lead` nanoseconds.
  func take(_ kind: GuestKind, now: MediaTime, lead: Int64) -> Item? {
    state.withLock { state in
      guard let first = state.queues[kind.rawValue].items.first else { return nil }
      if let due = first.time.flatMap({ state.timeline.due($0) }) {
        guard due - lead <= now else { return nil }
        if kind == .video, now - due > GuestBuffer.maxLateNanos {
          skipLate(&state.queues[kind.rawValue])
        }
      }
      let item = state.queues[kind.rawValue].items.first
      if item != nil { state.queues[kind.rawValue].removeFirst() }
      return item
    }
  }

  private func skipLate(_ queue: inout Queue) {
    let hasLaterKeyframe = queue.items.dropFirst().contains {
      if case .packet(let packet) = $0 { packet.isKeyframe } else { false }
    }
    if hasLaterKeyframe { queue.removeUpToKeyframe() }
  }

  /// When the next packet of a kind is due; `nil` without one.
  func nextDue(_ kind: GuestKind) -> MediaTime? {
    state.withLock { state in
      guard let first = state.queues[kind.rawValue].items.first else { return nil }
      return first.time.map { state.timeline.due($0) ?? .distantPast } ?? .distantPast
    }
  }

  /// When what has the time `time` is due.
  func due(_ time: Int64) -> MediaTime {
    state.withLock { $0.timeline.due(time) ?? .distantPast }
  }

  /// Moves the timeline on.
  /// - Returns: by which fraction audio has to be stretched to follow it, and the sum of its jumps in nanoseconds.
  @discardableResult func advance(to now: MediaTime) -> (rate: Double, jumped: Int64) {
    state.withLock {
      $0.timeline.advance(to: now)
      return ($0.timeline.rate, $0.timeline.jumped)
    }
  }
}

extension GuestBuffer.Item {
  /// The time of a packet; `nil` for a track.
  var time: Int64? {
    if case .packet(let packet) = self { packet.time } else { nil }
  }
}
