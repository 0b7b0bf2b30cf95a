// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// A reader's place in the stream. Pure: the state of the store in, a step out.
struct ReaderCursor {
  enum Step {
    case give(Chunk)
    /// There is nothing to give before the store has another version than this.
    case wait(version: Int)
    case end
  }

  /// The number of the next fragment; `nil` to begin at the newest keyframe.
  private var next: Int?
  /// The initialization that the reader has.
  private var initialization = 0

  mutating func step(_ state: Fragments.State) -> Step {
    if state.isClosed || state.trouble != nil { return .end }
    // It has been so slow that what it needs is kept no more, or a cut has hidden it.
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
    if fragment.initialization.number != initialization {
      initialization = fragment.initialization.number
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

/// A viewer of the preview. It counts from `Preview.reader()` to its end.
///
/// It begins at the newest keyframe, before which it gets the initialization segment, and gets a new one where the
/// format changes. If it falls behind by more than the store holds, it goes on at the newest keyframe. It holds up
/// nobody.
public final class PreviewReader: AsyncSequence, Sendable {
  public typealias Element = Chunk
  public typealias Failure = Never

  private let fragments: Fragments
  private let cursor = Mutex(ReaderCursor())
  private let leave: @Sendable () -> Void

  /// - Parameter leave: called once, at its end.
  init(fragments: Fragments, leave: @escaping @Sendable () -> Void) {
    self.fragments = fragments
    self.leave = leave
  }

  deinit { leave() }

  /// The next piece of the stream, for which it waits. Used by one task.
  /// - Returns: `nil` when the preview is closed or cannot be made, or when the task is cancelled.
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

  /// Calls `next`.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: PreviewReader

    public mutating func next() async -> Chunk? { await reader.next() }
    public mutating func next(isolation: isolated (any Actor)?) async -> Chunk? {
      await reader.next()
    }
  }
}
