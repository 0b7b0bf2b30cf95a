// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// The preview of the broadcast for viewers of the box's own page: a stream of MP4 fragments, HLS and JPEG snapshots.
/// It is made from the packets that are encoded for the broadcast.
///
/// The preview attaches a packet sink when the first reader comes, and detaches it when the last one has been gone for
/// two seconds. A request for a playlist, a segment or a snapshot counts as a reader for ten seconds. While nobody
/// needs the preview, there is no thread, no sink and no fragment.
public final class Preview: Sendable {
  /// The time for which a request for a snapshot waits for the first frame, in nanoseconds. The camera may have to be
  /// opened first.
  private static let pictureNanos: Int64 = .seconds(5)
  /// The time for which a request for a playlist waits for the first segment, in nanoseconds. It is longer than
  /// `pictureNanos` because a segment is complete only at the next keyframe, up to four seconds later.
  private static let segmentNanos: Int64 = .seconds(10)

  /// The mutable state of the preview, which a mutex protects.
  private struct State {
    /// Counts the viewers that read the preview, and keeps the time of the last request.
    var attendance = Attendance()
    /// The thread that attaches and detaches the sink; `nil` while none runs.
    var worker: Worker?
    var isClosed = false
    /// The duration of the longest segment that was ever listed, in nanoseconds. The target duration of a playlist must
    /// not fall.
    var longestSegment: Int64 = 0
  }

  /// The clock from which the present time is read.
  private let clock: MediaClock
  /// Attaches a sink to the encoders.
  private let attach: @Sendable (any PacketSink) -> Void
  /// Detaches a sink from the encoders, if it is attached.
  private let detach: @Sendable (any PacketSink) -> Void
  /// The store of the newest MP4 fragments.
  private let fragments = Fragments()
  /// Makes the JPEG snapshots.
  private let snapshots: Snapshots
  private let state = Mutex(State())

  /// - Parameters:
  ///   - attach: attaches a sink to the encoders. `attach` and `detach` are called alternately, on the preview's own
  ///     thread.
  ///   - detach: detaches the sink, if it is attached.
  public init(
    clock: MediaClock = .system, attach: @escaping @Sendable (any PacketSink) -> Void,
    detach: @escaping @Sendable (any PacketSink) -> Void
  ) {
    self.clock = clock
    self.attach = attach
    self.detach = detach
    snapshots = Snapshots(fragments: fragments, clock: clock)
  }

  // MARK: For requests

  /// A stream of the preview for a new viewer. The viewer counts as present until the reader is released.
  /// - Throws: `busy` if there are 32 readers already or the system cannot create a thread; `closed` after `close`.
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

  /// The present live HLS playlist (RFC 8216). Waits for the first segment.
  /// - Parameter folder: the path of the segments' folder, relative to that of the playlist, with a slash at its end.
  /// - Throws: `noPicture` if no segment comes in time; `busy` if the system cannot create a thread; `noLibrary`,
  ///   `notWritten` or `closed` if the preview cannot be made.
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

  /// The bytes of a file that a playlist names: "12.m4s" is a segment, "3.mp4" an initialization segment.
  /// - Returns: `nil` if there is no such file, or it has been removed.
  public func segment(_ name: String) -> [UInt8]? {
    let now = clock.now
    state.withLock { state in
      // A request for a segment keeps a running preview open, but does not start the preview.
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

  /// The newest video frame as JPEG. Waits for the first frame.
  /// - Throws: `noPicture` if no frame comes in time; `undecodable` if the frame cannot be decoded; `busy` if the
  ///   system cannot create a thread; `noLibrary`, `notWritten` or `closed` if the preview cannot be made.
  public func snapshot() async throws(PreviewError) -> [UInt8] {
    try request()
    _ = try await fragments.first(within: Preview.pictureNanos) {
      fragments.newestGroup.isEmpty ? nil : true
    }
    return try await snapshots.snapshot()
  }

  /// The number of viewers: all readers, and one more if there was a request for a playlist, a segment or a snapshot in
  /// the last ten seconds.
  public var viewers: Int {
    let now = clock.now
    return state.withLock { $0.attendance.viewers(now: now) }
  }

  /// Closes the preview for good: ends all readers, and waits until the sink is detached or `deadline` has passed.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if the sink was still attached at `deadline`.
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

  /// Notes a request, which keeps the preview open for `Attendance.requestNanos`.
  private func request() throws(PreviewError) {
    let now = clock.now
    try attend { state in state.attendance.request(now: now) }
  }

  /// Calls `change`, which notes a reader or a request. Starts the thread that attaches the sink if none runs.
  /// - Throws: `closed` after `close`; `busy` if the system cannot create a thread.
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
      // Change the attendance before the lock is released: after that, the new thread reads the attendance.
      try change(&state)
    }
  }

  /// The body of the preview's thread: attaches a sink, waits until nobody needs the preview, and detaches the sink.
  private func run(_ worker: Worker) {
    repeat {
      let sink = PreviewSink(fragments: fragments, clock: clock)
      if sink.start() { attach(sink) } else { fragments.report(.busy) }
      while clock.now < neededUntil { worker.wait(until: neededUntil) }
      // Remove the fragments before the sink is detached: a detached sink is not told of a cut, such as a pause, so the
      // fragments from before the cut would stay.
      _ = sink.stop(by: .now() + .seconds(10))
      fragments.clear()
      snapshots.forget()
      detach(sink)
    } while !isOver()
  }

  /// The time until which the sink stays attached: `distantFuture` while there are readers, `distantPast` once the
  /// preview is closed.
  private var neededUntil: MediaTime {
    state.withLock { $0.isClosed ? .distantPast : $0.attendance.neededUntil }
  }

  /// Whether the preview's thread may end; `false` if a viewer has come while the sink was being detached, so that the
  /// thread has to attach a new sink.
  private func isOver() -> Bool {
    let now = clock.now
    return state.withLock { state in
      guard state.isClosed || now >= state.attendance.neededUntil else { return false }
      state.worker = nil
      return true
    }
  }
}
