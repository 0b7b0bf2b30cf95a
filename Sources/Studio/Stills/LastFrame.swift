// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Synchronization
internal import Video

/// Keeps a copy of the newest frame of live video that was offered to sinks, for a pause that shows it. It is the
/// picture that viewers get: with mask, filters and layers.
final class LastFrame: Sendable {
  /// The copy, and whether copies are made.
  private struct State {
    var isKept = false
    /// The copy, or memory for the next one.
    var frame: FrozenFrame?
    /// The scene of the copy; `nil` while `frame` holds no copy.
    var scene: UInt32?
  }

  private let state = Mutex(State())

  /// Sets whether copies are made. If not, the copy is discarded.
  func keep(_ isKept: Bool) {
    state.withLock { $0 = isKept == $0.isKept ? $0 : State(isKept: isKept) }
  }

  /// Copies a picture whose packet was offered to sinks. Allocates only for another size or colour, and after `take`.
  /// - Parameter picture: `nil` to discard the copy, because black was sent.
  @unsafe func note(_ picture: PlanarPicture?, _ colour: Colour, of scene: UInt32) {
    state.withLock { state in
      guard state.isKept else { return }
      state.scene = nil
      guard let picture = unsafe picture else { return }
      let old = state.frame
      let isUsable = unsafe old?.format.size == picture.size && old?.format.colour == colour
      let frame = unsafe isUsable ? old : FrozenFrame(size: picture.size, colour: colour)
      unsafe frame?.copy(picture)
      (state.frame, state.scene) = (frame, scene)
    }
  }

  /// Whether there is a copy of a frame of this scene.
  func has(of scene: UInt32) -> Bool { state.withLock { $0.scene == scene } }

  /// Takes the copy of the newest frame of this scene; `nil` if there is none.
  func take(of scene: UInt32) -> FrozenFrame? {
    state.withLock { state in
      guard state.scene == scene else { return nil }
      state.scene = nil
      return state.frame.take()
    }
  }

  /// Discards the copy.
  func forget() { state.withLock { ($0.frame, $0.scene) = (nil, nil) } }
}
