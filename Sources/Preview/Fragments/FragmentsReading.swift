// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Mux
internal import Synchronization

/// What requests find in the store.
extension Fragments {
  /// The fragments from the newest keyframe on; empty if there is no video.
  var newestGroup: ArraySlice<Fragment> {
    state.withLock { state in
      guard let last = state.kept.last, last.initialization.hasVideo,
        let first = state.kept.lastIndex(where: \.beginsWithKeyframe)
      else { return [] }
      return state.kept[first...]
    }
  }

  /// Whether a fragment is still given out.
  func holds(_ number: Int) -> Bool {
    state.withLock { state in
      guard let first = state.kept.first else { return false }
      return number >= first.number
    }
  }

  /// The segments for a playlist, the oldest first.
  var listedSegments: ArraySlice<Segment> {
    let kept = state.withLock { $0.kept }
    guard let newest = kept.last else { return [] }
    return Playlist.listed(Playlist.segments(of: kept), newestEnd: newest.end)
  }

  /// The fragments of a complete segment as one piece; `nil` if it is not there.
  func segment(_ number: Int) -> [UInt8]? {
    let kept = state.withLock { $0.kept }
    guard Playlist.segments(of: kept).contains(where: { $0.number == number }) else { return nil }
    return kept.lazy.filter { $0.segment == number }.reduce(into: []) { $0 += $1.bytes }
  }

  /// An initialization segment; `nil` if no fragment needs it any more.
  func initialization(_ number: Int) -> [UInt8]? {
    state.withLock { state in
      state.kept.first { $0.initialization.number == number }?.initialization.bytes
    }
  }

  /// Waits until `find` finds something. It is asked at each change.
  /// - Throws: what is wrong with the preview, or `noPicture`, when nothing was found in `nanos` of the system clock.
  func first<Found: Sendable>(
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
    // On a busy machine, the time may be over before anybody was asked.
    guard let found = found ?? find() else { throw trouble ?? .noPicture }
    return found
  }
}
