// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// The position of a viewer of HTTP-FLV among the tags. Reads no clock and does no I/O: `step` decides by the store and
/// the time that is passed in.
struct FLVCursor {
  /// What the reader does next.
  enum Step: Equatable {
    /// Sends these bytes.
    case give([UInt8])
    /// Waits for further tags.
    case wait
    /// Ends: the stream is over, or the viewer has not read for too long.
    case end
  }

  /// A viewer begins with a keyframe, or goes on with one, that is not older than this, in nanoseconds: a player stays
  /// as far behind as it has begun.
  static let joinNanos: Int64 = .milliseconds(500)
  /// A viewer that is farther behind goes on with the next keyframe, in nanoseconds.
  static let skipNanos: Int64 = .seconds(2)
  /// A viewer that takes longer for one piece is given up, in nanoseconds.
  static let endNanos: Int64 = .seconds(5)
  /// The bytes after which a piece ends.
  private static let pieceBytes = 65_536

  /// The number of the stream that the viewer watches.
  private let stream: Int
  /// The number of the next tag; `nil` to begin at a keyframe.
  private var next: Int?
  /// When the last piece was given; `nil` while none is being sent.
  private var gaveAt: MediaTime?
  private var writer: FLVWriter

  init(stream: Int, encoder: String) {
    self.stream = stream
    writer = FLVWriter(encoder: encoder)
  }

  /// Decides what the reader does next, and advances the position. Each call tells that the last piece is sent.
  mutating func step(_ state: FLVTags.State, now: MediaTime) -> Step {
    guard state.stream == stream, now - (gaveAt ?? now) <= FLVCursor.endNanos else { return .end }
    gaveAt = nil
    if let next, next <= state.evicted { self.next = nil }
    var first = next.flatMap { next in state.kept.firstIndex { $0.number >= next } }
    if let index = first, now - state.kept[index].storedAt > FLVCursor.skipNanos {
      (next, first) = (nil, nil)
    }
    if next == nil {
      first = state.kept.lastIndex {
        $0.beginsStream && now - $0.storedAt <= FLVCursor.joinNanos
      }
    }
    guard let first else { return .wait }
    for tag in state.kept[first...] where writer.count < FLVCursor.pieceBytes {
      writer.write(tag)
      next = tag.number + 1
    }
    gaveAt = now
    return .give(writer.take())
  }
}

/// The bytes of HTTP-FLV for one viewer: an FLV file without an end. The reader counts as a viewer until it is released.
public final class FLVReader: Sendable {
  /// Nanoseconds between two looks for new tags.
  private static let pauseNanos: Int64 = .milliseconds(50)

  private let tags: FLVTags
  private let clock: MediaClock
  private let cursor: Mutex<FLVCursor>
  /// Called once, when the reader is released.
  private let leave: @Sendable () -> Void

  init(
    _ tags: FLVTags, encoder: String, clock: MediaClock, leave: @escaping @Sendable () -> Void
  ) {
    self.tags = tags
    self.clock = clock
    self.leave = leave
    let stream = tags.read { $0.stream }
    cursor = Mutex(FLVCursor(stream: stream, encoder: encoder))
  }

  deinit { leave() }

  /// Waits for the next piece. To be called by one task only, when it has sent the last piece.
  /// - Returns: `nil` if the broadcast is over, the viewer has not read for too long, or the task is cancelled.
  public func next() async -> [UInt8]? {
    while !Task.isCancelled {
      let now = clock.now
      switch tags.read({ state in cursor.withLock { $0.step(state, now: now) } }) {
      case .give(let bytes): return bytes
      case .wait: try? await Task.sleep(for: .nanoseconds(FLVReader.pauseNanos))
      case .end: return nil
      }
    }
    return nil
  }
}
