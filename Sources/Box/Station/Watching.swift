// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
package import Figures
package import Studio
internal import Synchronization

// Who sees the room off air. This always shows in the status, as an event and on the lamp.

/// A period in which somebody sees the room off air.
struct Watch {
  let since: MediaTime
  var viewers: [String] = []
  /// The names of the viewers whom an event has reported.
  package var told: Set<String> = []

  /// The sentence of the event that the period has ended.
  /// - Parameter isOnAir: whether a broadcast has begun, so that camera and microphone stay open.
  static func ending(isOnAir: Bool) -> String {
    isOnAir
      ? "Nobody looks off air any more: the broadcast has camera and microphone now."
      : "Nobody looks any more: camera and microphone are closed."
  }
}

extension Station {
  /// Decides whether a viewer may see the preview now.
  /// - Parameters:
  ///   - mayAim: whether the caller's scope allows to open camera and microphone.
  ///   - isOwn: `false` if a page of another site may have made the request.
  package func view(
    _ request: Aiming.Request, by viewer: Aiming.Viewer, mayAim: Bool, isOwn: Bool
  ) -> ViewVerdict {
    state.withLock { state in
      // From the word "stop" on, what the camera sees is not for viewers any more.
      if state.isOnAir, state.director.intent.broadcast != .off { return .open }
      guard mayAim else { return .needsControl }
      let now = clock.now
      if !isOwn, !state.aiming.isRunning(now) { return .needsPage }
      return state.aiming.verdict(
        isOwn ? request : .more, by: viewer, needsWord: state.wasPaused(store.found), now: now)
    }
  }

  /// Notes that the preview has opened camera and microphone, or has left them.
  package func notePreview(isOpen: Bool) { state.withLock { $0.hasPreview = isOpen } }

  /// Reports that somebody begins to see the room off air, or that nobody sees it any more. Called by `supervise`.
  func lookForWatching(_ now: MediaTime) {
    let (new, ending) = state.withLock { state -> ([String], String?) in
      guard state.hasPreview, !state.isOnAir else {
        defer { state.watch = nil }
        return ([], state.watch.map { _ in Watch.ending(isOnAir: state.isOnAir) })
      }
      let viewers = state.aiming.viewers(now)
      // After a broadcast the preview stays open for a moment, and shows nobody anything.
      guard !viewers.isEmpty || state.watch != nil else { return ([], nil) }
      var watch = state.watch ?? Watch(since: now)
      if !viewers.isEmpty { watch.viewers = viewers }
      let new = viewers.filter { !watch.told.contains($0) }
      watch.told.formUnion(new)
      state.watch = watch
      return (new, nil)
    }
    for viewer in new {
      events.report(
        .watchingStarted, subject: "room",
        "Off air, camera and microphone are open for \(viewer).")
    }
    if let ending { events.report(.watchingEnded, subject: "room", ending) }
  }

  /// The period of watching off air, as the status has it; `nil` for none.
  func watched(_ state: State, now: MediaTime) -> Status.Watched? {
    state.watch.map { watch in
      let wall = events.wallClock.milliseconds - (now - watch.since) / .milliseconds(1)
      return Status.Watched(
        by: watch.viewers.joined(separator: ", "), since: WallClock.text(wall))
    }
  }

  /// The levels of the sound. Off air they tell what happens in the room: a caller without `mayAim` then gets `nil`.
  package func levels(_ reader: inout LevelReader, mayAim: Bool) -> Levels? {
    guard mayAim || state.withLock({ $0.isOnAir && $0.director.intent.broadcast != .off }) else {
      return nil
    }
    return levels(&reader)
  }
}

extension Station.State {
  /// Whether the box was paused in the last run, and is off air now only because it has no server. What a person made
  /// private must stay private.
  func wasPaused(_ saved: Intent) -> Bool { isStandIn && saved.broadcast == .paused }
}
