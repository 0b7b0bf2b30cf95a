// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux
internal import Synchronization

/// Lookups in the store of fragments, for HTTP requests.
extension Fragments {
  /// The fragments from the newest keyframe on: the present GOP. Empty if there is no video.
  var newestGroup: ArraySlice<Fragment> {
    state.withLock { state in
      guard let last = state.kept.last, last.initialization.hasVideo,
        let first = state.kept.lastIndex(where: \.beginsWithKeyframe)
      else { return [] }
      return state.kept[first...]
    }
  }

  /// Whether the store still has the fragment of this number, so that readers may get it.
  func holds(_ number: Int) -> Bool {
    state.withLock { state in
      guard let first = state.kept.first else { return false }
      return number >= first.number
    }
  }

  /// The segments to list in a playlist, from the oldest to the newest.
  var listedSegments: ArraySlice<Segment> {
    let kept = state.withLock { $0.kept }
    guard let newest = kept.last else { return [] }
    return Playlist.listed(Playlist.segments(of: kept), newestEnd: newest.end)
  }

  /// The bytes of a complete HLS segment: its fragments one after the other; `nil` if the store has no such segment.
  package func segment(_ number: Int) -> [UInt8]? {
    let kept = state.withLock { $0.kept }
    guard Playlist.segments(of: kept).contains(where: { $0.number == number }) else { return nil }
    return kept.lazy.filter { $0.segment == number }.reduce(into: []) { $0 += $1.bytes }
  }

  /// The bytes of an initialization segment; `nil` if no kept fragment needs it any more.
  package func initialization(_ number: Int) -> [UInt8]? {
    state.withLock { state in
      state.kept.first { $0.initialization.number == number }?.initialization.bytes
    }
  }

  /// Waits until `find` returns a value. `find` is called at once and after each change of the store.
  /// - Parameter nanos: the longest wait, in nanoseconds of the system clock.
  /// - Throws: the preview's `trouble`, if it has one; `noPicture` if `find` has returned no value in time.
  package func first<Found: Sendable>(
    within nanos: Int64, _ find: @Sendable () -> Found?
  ) async throws(PreviewError) -> Found {
    if let found = find() { return found }
    let found = await withoutActuallyEscaping(find) { find in
      await withTaskGroup(of: Found?.self) { group in
        group.addTask {
          while !Task.isCancelled {
            let version = self.version
            if let found = find() { return found }
            if self.trouble != nil { return nil }
            await self.wait(beyond: version)
          }
          return nil
        }
        group.addTask {
          try? await Task.sleep(for: .nanoseconds(nanos))
          return nil
        }
        let found = await group.next() ?? nil
        group.cancelAll()
        return found
      }
    }
    // Call `find` once more: on a busy machine, the time may be over before the waiting task has called it.
    guard let found = found ?? find() else { throw trouble ?? .noPicture }
    return found
  }
}
