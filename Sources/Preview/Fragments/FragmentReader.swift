// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// The position of a reader in the stream of fragments. Reads no clock and does no I/O: `step` decides by the state of
/// the store alone.
struct ReaderCursor {
  /// The next action of the reader.
  enum Step {
    /// Returns this chunk.
    case give(Chunk)
    /// Waits until the store has a version other than this one.
    case wait(version: Int)
    /// Ends: the store is closed, or the preview cannot be made.
    case end
  }

  /// The number of the next fragment to return; `nil` to begin at the newest keyframe.
  private var next: Int?
  /// The number of the initialization segment that the reader has returned last; 0 for none.
  private var initializationNumber = 0

  /// Decides what the reader does next, and advances the position.
  mutating func step(_ state: Fragments.State) -> Step {
    if state.isClosed || state.trouble != nil { return .end }
    // Continue at the newest keyframe if the store no longer has the next fragment.
    if let next, next < (state.kept.first?.number ?? state.next) { self.next = nil }
    let found: Int? =
      if let next {
        state.kept.first.map { next - $0.number }
      } else {
        state.kept.lastIndex { $0.beginsWithKeyframe }
      }
    guard let index = found, state.kept.indices.contains(index) else {
      return .wait(version: state.version)
    }
    let fragment = state.kept[index]
    next = fragment.number
    if fragment.initialization.number != initializationNumber {
      initializationNumber = fragment.initialization.number
      return .give(
        Chunk(
          codecs: fragment.initialization.codecs, beginsWithKeyframe: false,
          bytes: fragment.initialization.bytes))
    }
    next = fragment.number + 1
    return .give(
      Chunk(
        codecs: nil, beginsWithKeyframe: fragment.beginsWithKeyframe, bytes: fragment.bytes))
  }
}

/// The stream of MP4 chunks for one viewer of the preview. The reader counts as a viewer until it is released.
///
/// The stream begins with an initialization segment and the newest keyframe. Where the format changes, the stream
/// contains a new initialization segment. A reader that falls behind by more than the store contains continues at the
/// newest keyframe. A slow reader delays nobody else.
public final class PreviewReader: AsyncSequence, Sendable {
  public typealias Element = Chunk
  public typealias Failure = Never

  /// The store that the chunks come from.
  private let fragments: Fragments
  /// The reader's position in the stream of fragments.
  private let cursor = Mutex(ReaderCursor())
  /// Called once, when the reader is released.
  private let leave: @Sendable () -> Void

  /// - Parameter leave: called once, when the reader is released.
  init(fragments: Fragments, leave: @escaping @Sendable () -> Void) {
    self.fragments = fragments
    self.leave = leave
  }

  deinit { leave() }

  /// Waits for the next chunk of the stream. To be called by one task only.
  /// - Returns: `nil` if the preview is closed or cannot be made, or if the task is cancelled.
  public func next() async -> Chunk? {
    while !Task.isCancelled {
      let step = fragments.state.withLock { state in cursor.withLock { $0.step(state) } }
      switch step {
      case .give(let chunk): return chunk
      case .end: return nil
      case .wait(let version): await fragments.wait(beyond: version)
      }
    }
    return nil
  }

  public func makeAsyncIterator() -> Iterator { Iterator(reader: self) }

  /// An iterator that calls `PreviewReader.next()`.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: PreviewReader

    public mutating func next() async -> Chunk? { await reader.next() }
    public mutating func next(isolation: isolated (any Actor)?) async -> Chunk? {
      await reader.next()
    }
  }
}
