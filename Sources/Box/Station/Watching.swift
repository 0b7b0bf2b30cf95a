// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
package import Figures
package import Studio
internal import Synchronization

// Who sees the room off air. That is never without a trace: in the status, as an event and on the lamp.

/// That somebody looks off air.
struct Watch {
  let since: MediaTime
  var viewers: [String] = []
  /// Those of whom an event has told.
  package var told: Set<String> = []
}

extension Station {
  /// - Parameters:
  ///   - mayAim: whether the caller may open camera and microphone.
  ///   - isOwn: not perhaps of a page of another site.
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

  /// The preview opens camera and microphone, or leaves them.
  package func notePreview(isOpen: Bool) { state.withLock { $0.hasPreview = isOpen } }

  /// Notes that somebody begins to look off air, or ends it. Called with the supervisor's looks.
  func lookForWatching(_ now: MediaTime) {
    let (new, hasEnded) = state.withLock { state -> ([String], Bool) in
      guard state.hasPreview, !state.isOnAir else {
        defer { state.watch = nil }
        return ([], state.watch != nil)
      }
      let viewers = state.aiming.viewers(now)
      // After a broadcast the preview stays open for a moment, and shows nobody anything.
      guard !viewers.isEmpty || state.watch != nil else { return ([], false) }
      var watch = state.watch ?? Watch(since: now)
      if !viewers.isEmpty { watch.viewers = viewers }
      let new = viewers.filter { !watch.told.contains($0) }
      watch.told.formUnion(new)
      state.watch = watch
      return (new, false)
    }
    for viewer in new {
      events.report(
        .watchingStarted, subject: "room",
        "Off air, camera and microphone are open for \(viewer).")
    }
    if hasEnded {
      events.report(
        .watchingEnded, subject: "room", "Nobody looks any more: camera and microphone are closed.")
    }
  }

  /// For the status.
  func watched(_ state: State, now: MediaTime) -> Status.Watched? {
    state.watch.map { watch in
      let wall = events.wallClock.milliseconds - (now - watch.since) / .milliseconds(1)
      return Status.Watched(
        by: watch.viewers.joined(separator: ", "), since: WallClock.text(wall))
    }
  }

  /// The levels of the sound. Off air they tell what happens in the room.
  package func levels(_ reader: inout LevelReader, mayAim: Bool) -> Levels? {
    guard mayAim || state.withLock({ $0.isOnAir && $0.director.intent.broadcast != .off }) else {
      return nil
    }
    return levels(&reader)
  }
}

extension Station.State {
  /// A person has made the room private, and the box is off air only because it has no server: that counts on.
  func wasPaused(_ saved: Intent) -> Bool { isStandIn && saved.broadcast == .paused }
}
