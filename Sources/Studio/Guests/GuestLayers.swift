// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

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
    let source: FrameLayerSource
  }

  private let lines: GuestLines
  /// Whether another thread composes pictures with the same guests, and has taken their queues. This one gets copies.
  private let takesCopies: Bool
  /// Keyed by the guest's name. A guest keeps his layer source for as long as he is in the picture.
  private let shown = Mutex<[String: Shown]>([:])

  init(_ lines: GuestLines, takesCopies: Bool = false) {
    (self.lines, self.takesCopies) = (lines, takesCopies)
  }

  /// The layers of the same guests for another thread.
  func copy() -> GuestLayers { GuestLayers(lines, takesCopies: true) }

  /// The layer sources of the guests in these panes, keyed by name. A guest who is not read has none.
  func sources(_ panes: [GuestScene.Pane]) -> [String: FrameLayerSource] {
    shown.withLock { shown in
      let before = shown
      shown = panes.reduce(into: [:]) { shown, pane in
        guard let name = pane.guest, let line = lines[name] else { return }
        if let old = before[name], old.line === line, old.mirror == pane.mirror {
          shown[name] = old
        } else {
          shown[name] = Shown(
            line: line, mirror: pane.mirror,
            source: FrameLayerSource(
              frames: frames(of: line), mirror: pane.mirror, filters: SourceFilters()))
        }
      }
      for (name, old) in before where shown[name]?.source !== old.source { release(old) }
      return shown.mapValues(\.source)
    }
  }

  /// Shows nothing of a guest from the next picture on, whatever composition is used, or shows his frames again.
  func hide(_ name: String, _ isHidden: Bool) {
    shown.withLock { $0[name]?.source.hide(isHidden) }
  }

  /// Takes no frames of guests any more.
  func stop() {
    shown.withLock { shown in
      for one in shown.values { release(one) }
      shown = [:]
    }
  }

  /// The queue from which this thread takes the frames of a guest.
  private func frames(of line: GuestLine) -> FrameQueue {
    guard takesCopies else { return line.frames }
    let copies = FrameQueue()
    line.frames.copyFrames(into: copies)
    return copies
  }

  private func release(_ old: Shown) {
    if takesCopies { old.line.frames.copyFrames(into: nil) }
  }
}
