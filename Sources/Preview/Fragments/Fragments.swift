// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Mux
internal import Synchronization

/// The store of the newest MP4 fragments. All readers of the preview, or of the play-out, read from it.
///
/// Fragments are numbered without gaps. Their bytes are not copied under the lock: readers share the arrays.
package final class Fragments: Sendable {
  /// How many fragments are kept. The newest one is kept even if it is larger.
  package struct Limits: Sendable {
    /// The time span for which fragments are kept, in nanoseconds before the end of the newest fragment.
    package var windowNanos: Int64
    /// The most bytes of all kept fragments.
    package var maxBytes: Int
    /// The most HLS segments of which fragments are kept, the unfinished one included.
    package var maxSegments: Int

    package init(windowNanos: Int64, maxBytes: Int, maxSegments: Int) {
      self.windowNanos = windowNanos
      self.maxBytes = maxBytes
      self.maxSegments = maxSegments
    }

    /// The limits of the preview.
    static let preview = Limits(windowNanos: .seconds(8), maxBytes: 6_000_000, maxSegments: .max)
  }

  /// The fragments and all other state of the store.
  struct State {
    /// The fragments that are kept, from the oldest to the newest.
    var kept: [Fragment] = []
    /// The size of all kept fragments together, in bytes.
    var bytes = 0
    /// The number that the next fragment gets.
    var next = 1
    /// The number of the newest initialization segment, counted from 1; 0 before the first one.
    var initialization = 0
    /// The newest initialization segment; `nil` before the first fragment, and after `clear`.
    var newestInitialization: Initialization?
    var segments: SegmentCounter
    /// The lowest accepted number of a video scene (`Packet.scene`; a scene ends at a cut, such as a pause). Fragments
    /// of earlier scenes are refused.
    var videoScene: UInt32 = 0
    /// The lowest accepted number of an audio scene (`Packet.scene`; a scene ends at a cut, such as a mute). Fragments
    /// of earlier scenes are refused.
    var audioScene: UInt32 = 0
    /// The instant that has the MP4 timestamp 0 in all fragments; `nil` before the first fragment.
    var origin: MediaTime?
    /// Why the last fragment could not be made; `nil` if it could.
    var trouble: PreviewError?
    var isClosed = false
    /// The version of the state. It rises by 1 with each change that a reader may wait for.
    var version = 0
    /// The continuations of the tasks that wait for the next version, by the number of the task.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The number of the newest waiting task.
    var lastWaiter = 0
  }

  private let limits: Limits
  let state: Mutex<State>

  /// - Parameter listsParts: whether playlists list the fragments of an unfinished segment, too.
  package init(limits: Limits = .preview, listsParts: Bool = false) {
    self.limits = limits
    state = Mutex(State(segments: SegmentCounter(listsParts: listsParts)))
  }

  /// Changes the state, raises its version, and resumes all waiting tasks.
  private func change<Result>(_ body: (inout State) -> sending Result) -> sending Result {
    let (result, waiting) = state.withLock { state in
      let result = body(&state)
      let waiting = Array(state.waiting.values)
      state.version += 1
      state.waiting.removeAll(keepingCapacity: true)
      return (result, waiting)
    }
    for continuation in waiting { continuation.resume() }
    return result
  }

  // MARK: For the sink

  /// The instant that has the MP4 timestamp 0. The first call sets it to one second before `first`, since audio may
  /// begin a little earlier than video.
  package func origin(orFrom first: MediaTime) -> MediaTime {
    state.withLock { state in
      let origin = state.origin ?? first - .seconds(1)
      state.origin = origin
      return origin
    }
  }

  /// Adds a fragment, and sets its number, the number of its initialization segment and the number of its HLS segment.
  /// - Returns: `false` if the fragment was discarded, because it contains packets from before a cut, such as a pause,
  ///   or because the store is closed.
  package func append(_ made: Fragment) -> Bool {
    change { state in
      guard !state.isClosed, made.videoScene >= state.videoScene,
        made.audioScene >= state.audioScene
      else { return false }
      var fragment = made
      if let newest = state.newestInitialization, newest.epoch == made.initialization.epoch {
        fragment.initialization = newest
      } else {
        state.initialization += 1
        fragment.initialization.number = state.initialization
        state.newestInitialization = fragment.initialization
      }
      fragment.number = state.next
      state.next += 1
      state.segments.assignSegment(to: &fragment)
      state.bytes += fragment.bytes.count
      state.kept.append(fragment)
      state.trouble = nil
      state.evict(limits)
      return true
    }
  }

  /// Begins new scenes at a cut, such as a pause or a mute: removes all fragments up to the last one that contains
  /// packets of an earlier scene.
  /// - Parameters:
  ///   - video: the number of the new video scene.
  ///   - audio: the number of the new audio scene.
  package func cut(video: UInt32, audio: UInt32) {
    change { state in
      state.videoScene = max(state.videoScene, video)
      state.audioScene = max(state.audioScene, audio)
      let (videoScene, audioScene) = (state.videoScene, state.audioScene)
      let last = state.kept.lastIndex { fragment in
        fragment.videoScene < videoScene || fragment.audioScene < audioScene
      }
      if let last { state.remove(last + 1) }
    }
  }

  /// Sets `trouble`, because a fragment could not be made.
  package func report(_ trouble: PreviewError) { change { $0.trouble = trouble } }

  // MARK: For the preview

  /// Removes all fragments. The numbering and the timeline continue with the next fragment.
  package func clear() {
    change { state in
      state.remove(state.kept.count)
      state.newestInitialization = nil
      state.videoScene = 0
      state.audioScene = 0
      state.trouble = nil
    }
  }

  /// Closes the store for good: removes all fragments and ends all readers.
  package func close() {
    change { state in
      state.isClosed = true
      state.remove(state.kept.count)
    }
  }

  /// Why the preview has no new fragments: `closed`, or why the last one could not be made; `nil` if nothing is wrong.
  var trouble: PreviewError? {
    state.withLock { $0.isClosed ? .closed : $0.trouble }
  }

  /// The kept fragments, from the oldest to the newest.
  package var kept: [Fragment] { state.withLock { $0.kept } }

  /// The size of all kept fragments together in bytes, and the nanoseconds from the beginning of the oldest to the end
  /// of the newest.
  var size: (bytes: Int, nanos: Int64) {
    state.withLock { state in
      guard let first = state.kept.first, let last = state.kept.last else { return (0, 0) }
      return (state.bytes, last.end - first.time)
    }
  }

  // MARK: Waiting

  /// The present version of the state, for `wait(beyond:)`.
  var version: Int { state.withLock { $0.version } }

  /// Waits until the state has a version other than `version`. Returns at once if the store is closed or the task is
  /// cancelled.
  func wait(beyond version: Int) async {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.version != version || state.isClosed || Task.isCancelled { return true }
          state.waiting[waiter] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
    }
  }
}

extension Fragments.State {
  /// Removes the `count` oldest fragments.
  mutating func remove(_ count: Int) {
    for fragment in kept.prefix(count) {
      bytes -= fragment.bytes.count
      segments.noteRemoval(of: fragment)
    }
    kept.removeFirst(count)
  }

  /// Removes the oldest fragments until the kept ones are within `limits`.
  fileprivate mutating func evict(_ limits: Fragments.Limits) {
    guard let newest = kept.last else { return }
    while let first = kept.first, first.number < newest.number,
      newest.end - first.end > limits.windowNanos || bytes > limits.maxBytes
        || isBefore(first, newest, by: limits.maxSegments)
    {
      remove(1)
    }
  }

  /// Whether the segment of `fragment` is at least `count` segments before that of `newest`.
  private func isBefore(_ fragment: Fragment, _ newest: Fragment, by count: Int) -> Bool {
    guard let last = newest.segment else { return false }
    return last - (fragment.segment ?? last) >= count
  }
}
