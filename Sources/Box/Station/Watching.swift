// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Settings
internal import Studio
internal import Synchronization

// Who watches the preview off air, and so sees the room with the camera. The status, an event and the lamp always show
// that somebody watches.

/// A period in which somebody watches the preview off air, and so sees the room with the camera.
struct Watch {
  /// When the period began.
  let since: MediaTime
  /// The names of the present viewers or, if nobody looks at the moment, of the last viewers.
  var viewers: [String] = []
  /// The names of the viewers whom an event has reported.
  package var reported: Set<String> = []

  /// The sentence of the event that somebody begins to watch the preview off air.
  /// - Parameter devices: the open devices in words, from `Settings.roomDevices`; `nil` for none.
  static func beginning(of viewer: String, _ devices: String?) -> String {
    devices.map { "Off air, \($0) open for \(viewer)." }
      ?? "Somebody watches the preview off air: \(viewer). Neither camera nor microphone is open."
  }

  /// The sentence of the event that the period has ended.
  /// - Parameters:
  ///   - isOnAir: whether a broadcast has begun, so that the devices stay open.
  ///   - devices: the open devices in words, from `Settings.roomDevices`; `nil` for none.
  static func ending(isOnAir: Bool, _ devices: String?) -> String {
    if isOnAir { return "Nobody watches the preview off air any more: the broadcast has begun." }
    let ended = "Nobody watches the preview off air any more"
    return devices.map { "\(ended): \($0) closed." } ?? "\(ended)."
  }
}

extension Settings {
  /// The devices by which people in the room are seen or heard, with a verb: "camera and microphone are", "the camera
  /// is"; `nil` if there is none, as with a test picture and a file.
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
  ///   - mayViewOffAir: whether the caller's scope allows it to open camera and microphone off air.
  ///   - isSameOrigin: `false` if a page of another site may have made the request.
  package func viewVerdict(
    _ request: OffAirViewing.Request, by viewer: OffAirViewing.Viewer, mayViewOffAir: Bool,
    isSameOrigin: Bool
  ) -> ViewVerdict {
    state.withLock { state in
      // Once a stop is requested, the camera is not shown to viewers any more, even if the broadcast has not ended yet.
      if state.isOnAir, state.director.intent.broadcast != .off { return .open }
      guard mayViewOffAir else { return .needsControl }
      let now = clock.now
      if !isSameOrigin, !state.viewing.isRunning(now) { return .needsPage }
      return state.viewing.verdict(
        isSameOrigin ? request : .more, by: viewer,
        needsExplicitRequest: state.wasPaused(store.lastRunIntent), now: now)
    }
  }

  /// Notes that the preview has opened camera and microphone, or does not use them any more.
  package func notePreview(isOpen: Bool) { state.withLock { $0.hasPreview = isOpen } }

  /// Reports that somebody begins to watch the preview off air, or that nobody watches any more. Called by `supervise`.
  func reportWatching(_ now: MediaTime) {
    let (new, ending) = state.withLock { state -> ([String], String?) in
      let devices = state.settings.roomDevices
      guard state.hasPreview, !state.isOnAir else {
        defer { state.watch = nil }
        return ([], state.watch.map { _ in Watch.ending(isOnAir: state.isOnAir, devices) })
      }
      let viewers = state.viewing.viewers(now)
      // After a broadcast the preview stays open for a moment, although nobody sees it.
      guard !viewers.isEmpty || state.watch != nil else { return ([], nil) }
      var watch = state.watch ?? Watch(since: now)
      if !viewers.isEmpty { watch.viewers = viewers }
      let new = viewers.filter { !watch.reported.contains($0) }
      watch.reported.formUnion(new)
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
}

extension Station.State {
  /// Whether the box was paused in the last run of the program, and is off air now only because it has no server. Then
  /// the room stays private, as the person who paused the broadcast wanted.
  func wasPaused(_ saved: Intent) -> Bool { isOffWithoutServer && saved.broadcast == .paused }
}
