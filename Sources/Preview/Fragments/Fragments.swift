// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux
internal import Synchronization

/// The newest fragments: at most 8 s and 6 MB, from which all readers read.
///
/// Fragments are numbered without gaps. No lock is held while anything is copied: readers share the arrays.
final class Fragments: Sendable {
  /// What is kept, in nanoseconds up to the end of the newest fragment.
  static let windowNanos: Int64 = .seconds(8)
  static let maxBytes = 6_000_000

  struct State {
    var kept: [Fragment] = []
    var bytes = 0
    /// The number of the next fragment.
    var next = 1
    /// The number of the present initialization, as the store counts them.
    var initialization = 0
    var newestInitialization: Initialization?
    var segments = SegmentCounter()
    var videoScene: UInt32 = 0
    var audioScene: UInt32 = 0
    /// The time that is 0 in all fragments.
    var origin: MediaTime?
    var trouble: PreviewError?
    var isClosed = false
    /// Rises with each change that a reader may wait for.
    var version = 0
    /// Who waits for the next version.
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
  }

  let state = Mutex(State())

  /// Changes the state, and wakes all who wait.
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

  /// The origin of the timeline. The first call sets it, one second before `first`: audio may begin a little earlier
  /// than video.
  func origin(orFrom first: MediaTime) -> MediaTime {
    state.withLock { state in
      let origin = state.origin ?? first - .seconds(1)
      state.origin = origin
      return origin
    }
  }

  /// Adds a fragment, and gives it its numbers.
  /// - Returns: `false` if it is of an earlier scene: then it is discarded.
  func append(_ made: Fragment) -> Bool {
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
      state.segments.place(&fragment)
      state.bytes += fragment.bytes.count
      state.kept.append(fragment)
      state.trouble = nil
      state.evict()
      return true
    }
  }

  /// Begins new scenes: what holds packets of earlier ones, and what is older than that, is given out no more.
  func cut(video: UInt32, audio: UInt32) {
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

  /// A fragment could not be made.
  func report(_ trouble: PreviewError) { change { $0.trouble = trouble } }

  // MARK: For the preview

  /// Discards everything. The numbers and the timeline go on.
  func clear() {
    change { state in
      state.remove(state.kept.count)
      state.newestInitialization = nil
      state.videoScene = 0
      state.audioScene = 0
      state.trouble = nil
    }
  }

  /// Ends all readers.
  func close() {
    change { state in
      state.isClosed = true
      state.remove(state.kept.count)
    }
  }

  /// Why there is no fragment, if that is known.
  var trouble: PreviewError? {
    state.withLock { $0.isClosed ? .closed : $0.trouble }
  }

  /// Bytes of the fragments that are kept, and nanoseconds from the first to the end of the last.
  var size: (bytes: Int, nanos: Int64) {
    state.withLock { state in
      guard let first = state.kept.first, let last = state.kept.last else { return (0, 0) }
      return (state.bytes, last.end - first.time)
    }
  }

  // MARK: Waiting

  /// The number of the present version; see `wait`.
  var version: Int { state.withLock { $0.version } }

  /// Waits until something has changed since `version`. Returns at once when the task is cancelled.
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
  /// Removes the oldest fragments.
  mutating func remove(_ count: Int) {
    for fragment in kept.prefix(count) {
      bytes -= fragment.bytes.count
      segments.hasLost(fragment)
    }
    kept.removeFirst(count)
  }

  /// Removes what is beyond the bounds.
  fileprivate mutating func evict() {
    guard let newest = kept.last else { return }
    while let first = kept.first, first.number < newest.number,
      newest.end - first.end > Fragments.windowNanos || bytes > Fragments.maxBytes
    {
      remove(1)
    }
  }
}
