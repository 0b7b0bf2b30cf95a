// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// What viewers get, for the box's own page: fragments of MP4, HLS and snapshots, made from the packets that are encoded
/// anyway.
///
/// It attaches a sink when the first reader comes, and detaches it when the last one has been gone for two seconds. A
/// request for a playlist, a segment or a snapshot counts as a reader for ten seconds. Nothing exists in between: no
/// thread, no sink, no fragment.
public final class Preview: Sendable {
  /// How long a request may wait for the first picture, in nanoseconds: a camera has to be opened.
  private static let pictureNanos: Int64 = .seconds(5)
  /// How long a playlist may wait for its first segment: up to four seconds from keyframe to keyframe come on top.
  private static let segmentNanos: Int64 = .seconds(10)

  private struct State {
    var attendance = Attendance()
    /// The thread that attaches and detaches, while it runs.
    var worker: Worker?
    var isClosed = false
    /// The longest segment that was listed, in nanoseconds. The target duration of a playlist must not fall.
    var longestSegment: Int64 = 0
  }

  private let clock: MediaClock
  private let begin: @Sendable (any PacketSink) -> Void
  private let end: @Sendable (any PacketSink) -> Void
  private let fragments = Fragments()
  private let snapshots: Snapshots
  private let state = Mutex(State())

  /// - Parameters:
  ///   - begin: adds a sink to the studio. Both are called on the preview's own thread, in turn.
  ///   - end: takes it out again, if it is there.
  public init(
    clock: MediaClock = .system, begin: @escaping @Sendable (any PacketSink) -> Void,
    end: @escaping @Sendable (any PacketSink) -> Void
  ) {
    self.clock = clock
    self.begin = begin
    self.end = end
    snapshots = Snapshots(fragments: fragments, clock: clock)
  }

  // MARK: For requests

  /// A new viewer, until the reader is released.
  /// - Throws: `busy` if there are 32 already; `closed`.
  public func reader() throws(PreviewError) -> PreviewReader {
    try attend { (state) throws(PreviewError) in
      guard state.attendance.readers < Attendance.maxReaders else { throw .busy }
      state.attendance.enter()
    }
    return PreviewReader(fragments: fragments) { [self] in
      let worker = state.withLock { state in
        state.attendance.leave(now: clock.now)
        return state.worker
      }
      worker?.wake()
    }
  }

  /// A live playlist of RFC 8216. Waits for the first segment.
  /// - Parameter folder: the path of the segments, relative to that of the playlist, with a slash at its end.
  /// - Throws: `noPicture` if none comes; `noLibrary`, `closed`.
  public func playlist(folder: String = "preview/") async throws(PreviewError) -> String {
    try request()
    return try await fragments.first(within: Preview.segmentNanos) {
      let listed = fragments.listedSegments
      guard let longest = listed.map(\.duration).max() else { return nil }
      let target = state.withLock { state in
        state.longestSegment = max(state.longestSegment, longest)
        return state.longestSegment
      }
      return Playlist.text(listed, longest: target, folder: folder)
    }
  }

  /// A file that the playlist names: "12.m4s" is a segment, "3.mp4" an initialization segment.
  /// - Returns: `nil` if there is none of that name, or none any more.
  public func segment(_ name: String) -> [UInt8]? {
    let now = clock.now
    state.withLock { state in
      // It keeps a preview alive, but begins none.
      if state.worker != nil { state.attendance.request(now: now) }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), number >= 0 else { return nil }
    return switch parts[1] {
    case "m4s": fragments.segment(number)
    case "mp4": fragments.initialization(number)
    default: nil
    }
  }

  /// The newest frame as JPEG. Waits for the first one.
  /// - Throws: `noPicture`, `undecodable`, `busy`, `noLibrary`, `closed`.
  public func snapshot() async throws(PreviewError) -> [UInt8] {
    try request()
    _ = try await fragments.first(within: Preview.pictureNanos) {
      fragments.newestGroup.isEmpty ? nil : true
    }
    return try await snapshots.snapshot()
  }

  /// The readers, and one for those who ask for playlists or snapshots.
  public var viewers: Int {
    let now = clock.now
    return state.withLock { $0.attendance.viewers(now: now) }
  }

  /// Ends all readers, detaches the sink and waits for that.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` when the sink was still attached at `deadline`.
  public func close(by deadline: MediaTime) -> Bool {
    let worker = state.withLock { state in
      state.isClosed = true
      return state.worker
    }
    fragments.close()
    worker?.wake()
    return worker?.join(by: deadline) ?? true
  }

  // MARK: Attaching and detaching

  private func request() throws(PreviewError) {
    let now = clock.now
    try attend { state in state.attendance.request(now: now) }
  }

  private func attend(_ change: (inout State) throws(PreviewError) -> Void) throws(PreviewError) {
    try state.withLock { (state) throws(PreviewError) in
      guard !state.isClosed else { throw .closed }
      guard state.worker == nil else { return try change(&state) }
      let worker = Worker(name: "preview users", clock: clock)
      do throws(MediaThread.NoThreadError) {
        try worker.tryStart { [self] in run(worker) }
        state.worker = worker
      } catch {
        throw .busy
      }
      // The thread reads it only after this.
      try change(&state)
    }
  }

  private func run(_ worker: Worker) {
    repeat {
      let sink = PreviewSink(fragments: fragments, clock: clock)
      if sink.start() { begin(sink) } else { fragments.report(.busy) }
      while clock.now < neededUntil { worker.wait(until: neededUntil) }
      // First the fragments: once the sink has left, no cut reaches them.
      _ = sink.stop(by: .now() + .seconds(10))
      fragments.clear()
      snapshots.forget()
      end(sink)
    } while !isOver()
  }

  private var neededUntil: MediaTime {
    state.withLock { $0.isClosed ? .distantPast : $0.attendance.neededUntil }
  }

  /// Whether the thread may end. If not, somebody has come while the sink was being detached.
  private func isOver() -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard state.isClosed || now >= state.attendance.neededUntil else { return false }
      state.worker = nil
      return true
    }
  }
}
