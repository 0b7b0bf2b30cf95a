// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Media
internal import Synchronization
internal import Video

/// The guests as layers of the pictures that one thread composes.
final class GuestLayers: Sendable {
  /// The frames of one guest.
  private struct Shown: Sendable {
    let line: GuestLine
    let mirror: Bool
    let crop: Crop
    let source: FrameLayerSource

    func isFor(_ line: GuestLine, _ pane: GuestScene.Pane) -> Bool {
      self.line === line && (mirror, crop) == (pane.mirror, pane.crop)
    }
  }

  private struct State: Sendable {
    /// Keyed by the guest's name. A guest keeps his layer source for as long as he is in the picture.
    var shown: [String: Shown] = [:]
    /// Keyed by the guest's name.
    var visibilities: [String: SourceVisibility] = [:]

    mutating func visibility(of name: String) -> SourceVisibility {
      let visibility = visibilities[name] ?? SourceVisibility()
      visibilities[name] = visibility
      return visibility
    }
  }

  private let lines: GuestLines
  /// Whether another thread composes pictures with the same guests, and has taken their queues. This one gets copies.
  private let takesCopies: Bool
  private let state = Mutex(State())

  init(_ lines: GuestLines, takesCopies: Bool = false) {
    (self.lines, self.takesCopies) = (lines, takesCopies)
  }

  /// The layers of the same guests for another thread.
  func copy() -> GuestLayers { GuestLayers(lines, takesCopies: true) }

  /// The layer sources of the guests in these panes, keyed by name. A guest who is not read has none.
  func sources(_ panes: [GuestScene.Pane]) -> [String: FrameLayerSource] {
    state.withLock { state in
      var wanted: [String: (line: GuestLine, pane: GuestScene.Pane)] = [:]
      for pane in panes {
        if let name = pane.guest, let line = lines[name] { wanted[name] = (line, pane) }
      }
      for (name, old) in state.shown
      where wanted[name].map({ old.isFor($0.line, $0.pane) }) != true {
        release(old)
        state.shown[name] = nil
      }
      for (name, (line, pane)) in wanted where state.shown[name] == nil {
        let source = FrameLayerSource(
          frames: frames(of: line), mirror: pane.mirror, crop: pane.crop, filters: SourceFilters(),
          visibility: state.visibility(of: name))
        state.shown[name] = Shown(
          line: line, mirror: pane.mirror, crop: pane.crop, source: source)
      }
      return state.shown.mapValues(\.source)
    }
  }

  /// Shows nothing of a guest from the next picture on, whatever composition is used, or shows his frames again.
  func hide(_ name: String, _ isHidden: Bool) {
    state.withLock { $0.visibility(of: name).hide(isHidden) }
  }

  /// Takes no frames of guests any more.
  func stop() {
    state.withLock { state in
      for one in state.shown.values { release(one) }
      state.shown = [:]
    }
  }

  /// The queue from which this thread takes the frames of a guest.
  private func frames(of line: GuestLine) -> FrameQueue {
    guard takesCopies else {
      // What waits is a small frame of the waiting room.
      line.frames.removeAll()
      return line.frames
    }
    let copies = FrameQueue()
    line.frames.copyFrames(into: copies)
    return copies
  }

  private func release(_ old: Shown) {
    if takesCopies { old.line.frames.endCopies(into: old.source.frames) }
  }
}
