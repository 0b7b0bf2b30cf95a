// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
package import Figures
internal import Settings
package import Studio
internal import Synchronization

// Who sees the room off air. This always shows in the status, as an event and on the lamp.

/// A period in which somebody sees the room off air.
struct Watch {
  let since: MediaTime
  var viewers: [String] = []
  /// The names of the viewers whom an event has reported.
  package var told: Set<String> = []

  /// The sentence of the event that somebody begins to look.
  /// - Parameter devices: what is open of the room, as `Settings.roomDevices` says it.
  static func beginning(of viewer: String, _ devices: String?) -> String {
    devices.map { "Off air, \($0) open for \(viewer)." }
      ?? "Off air, \(viewer) looks at what is not from the room: neither camera nor microphone is open."
  }

  /// The sentence of the event that the period has ended.
  /// - Parameters:
  ///   - isOnAir: whether a broadcast has begun, so that what is open stays open.
  ///   - devices: what is open of the room, as `Settings.roomDevices` says it.
  static func ending(isOnAir: Bool, _ devices: String?) -> String {
    if isOnAir { return "Nobody looks off air any more: the broadcast has begun." }
    return devices.map { "Nobody looks any more: \($0) closed." } ?? "Nobody looks any more."
  }
}

extension Settings {
  /// The sources from which people are seen or heard, with their verb: "camera and microphone are", "the camera is"; `nil`
  /// if there is none, as with a test picture and a file.
  var roomDevices: String? {
    let (sees, hears): (Bool, Bool)
    if case .camera = video.source { sees = true } else { sees = false }
    if case .microphone = audio.source { hears = true } else { hears = false }
    return sees && hears
      ? "camera and microphone are" : sees ? "the camera is" : hears ? "the microphone is" : nil
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
      let devices = state.settings.roomDevices
      guard state.hasPreview, !state.isOnAir else {
        defer { state.watch = nil }
        return ([], state.watch.map { _ in Watch.ending(isOnAir: state.isOnAir, devices) })
      }
      let viewers = state.aiming.viewers(now)
      // After a broadcast the preview stays open for a moment, and shows nobody anything.
      guard !viewers.isEmpty || state.watch != nil else { return ([], nil) }
      var watch = state.watch ?? Watch(since: now)
      if !viewers.isEmpty { watch.viewers = viewers }
      let new = viewers.filter { !watch.told.contains($0) }
      watch.told.formUnion(new)
      state.watch = watch
      return (new.map { Watch.beginning(of: $0, devices) }, nil)
    }
    for sentence in new { events.report(.watchingStarted, subject: "room", sentence) }
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
