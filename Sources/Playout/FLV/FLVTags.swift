// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Synchronization

/// The store of the newest FLV tags, at most 3 s and 6 MB. All viewers of HTTP-FLV read from it.
final class FLVTags: Sendable {
  /// The time for which a tag is kept, in nanoseconds: longer than a viewer may be behind.
  static let windowNanos: Int64 = .seconds(3)
  /// The most bytes of all kept tags. The newest one is kept even if it is larger.
  static let maxBytes = 6_000_000

  /// The tags and all other state of the store.
  struct State {
    /// The tags that are kept, from the oldest to the newest. Their numbers rise, but may have gaps.
    var kept: [FLVTag] = []
    /// The size of the bodies of all kept tags together.
    var bytes = 0
    /// The number that the next tag gets.
    var next = 1
    /// Tags up to this number may be missing because of their age, so that a reader cannot go on with them.
    var evicted = 0
    /// The present scenes. Tags of earlier ones are refused.
    var scenes = PresentScenes()
    /// The number of the present stream. It changes at the end of a broadcast, with which all readers end.
    var stream = 0
  }

  private let state = Mutex(State())

  /// Reads the state. `body` must not block.
  func read<Result>(_ body: (State) -> Result) -> Result { state.withLock { body($0) } }

  /// Adds tags, unless they are from before a cut, such as a pause.
  func append(_ tags: [FLVTag]) {
    state.withLock { state in
      for var tag in tags where !state.scenes.hides(tag.kind, of: tag.scene) {
        tag.number = state.next
        state.next += 1
        state.bytes += tag.body.count
        state.kept.append(tag)
      }
      state.evict()
    }
  }

  /// Begins new scenes at a cut, such as a pause or a mute: removes the tags of earlier scenes.
  func cut(video: UInt32, audio: UInt32) {
    state.withLock { state in
      _ = state.scenes.begin(video: video, audio: audio)
      let scenes = state.scenes
      state.kept.removeAll { scenes.hides($0.kind, of: $0.scene) }
      state.bytes = state.kept.reduce(0) { $0 + $1.body.count }
    }
  }

  /// Removes all tags, and ends all readers.
  func clear() {
    state.withLock { state in
      state.kept = []
      state.bytes = 0
      state.scenes = PresentScenes()
      state.stream += 1
    }
  }
}

extension FLVTags.State {
  /// Removes the oldest tags until the kept ones are within `windowNanos` and `maxBytes`.
  fileprivate mutating func evict() {
    guard let newest = kept.last else { return }
    var count = 0
    for tag in kept.dropLast() {
      guard
        newest.storedAt - tag.storedAt > FLVTags.windowNanos || bytes > FLVTags.maxBytes
      else { break }
      bytes -= tag.body.count
      evicted = tag.number
      count += 1
    }
    kept.removeFirst(count)
  }
}
