// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Director
internal import Guests
internal import Settings
internal import Studio
internal import Video

extension GuestTable {
  /// The panes of the picture, from the lowest to the highest. Where the host is alone, there are none.
  var panes: [Pane] {
    let panes = layout.panes(shown, on: settings.video.size)
    if panes.count == 1, panes[0].source == .host, panes[0].area == .whole { return [] }
    return panes.enumerated().sorted { ($0.element.z, $0.offset) < ($1.element.z, $1.offset) }
      .map(\.element)
  }

  /// What there is of a broadcast.
  enum Audience {
    /// There is none, and none is asked for: nothing of a guest is shown or heard.
    case nobody
    /// It is paused: a still covers the guests, and none is heard, even if the pause keeps the sound of the room.
    case paused
    case live
  }

  /// Whether the picture shows a guest.
  var showsGuests: Bool { panes.contains { $0.source != .host } }

  /// The guests as the studio shows and plays them.
  /// - Parameter lacksCamera: whether a still takes the place of the host's camera.
  func scene(for audience: Audience, lacksCamera: Bool = false) -> GuestScene {
    var scene = GuestScene()
    scene.unusedPictures = Set(settings.guests.filter { !$0.takesPicture }.map(\.name))
    scene.unusedSounds = Set(settings.guests.filter { !$0.takesSound }.map(\.name))
    guard audience != .nobody else { return scene }
    scene.panes = panes.map(pane)
    scene.lacksCamera = lacksCamera && showsGuests
    scene.onAir = Set(shown.map(\.name))
    guard audience == .live else { return scene }
    let programme = programme
    scene.sounds = shown.compactMap { guest in
      guard guest.hasSound, programme.hears(guest: guest.name), let own = own(guest.name) else {
        return nil
      }
      return GuestScene.Sound(
        guest.name, gain: TrackGain(volume: own.volume, isMuted: own.isMuted))
    }
    return scene
  }

  /// The host's own tracks, while a guest is heard alone.
  var silencedTracks: SilencedTracks {
    programme.hearsHost ? .none : .named(Set(settings.tracks.map(\.name) + [SilencedTracks.main]))
  }

  private func own(_ name: String) -> GuestSettings? {
    settings.guests.first { $0.name == name }
  }

  private func pane(_ pane: Pane) -> GuestScene.Pane {
    let area = LayerArea(
      x: pane.area.x, y: pane.area.y, width: pane.area.width, height: pane.area.height)
    guard case .guest(let name) = pane.source else { return GuestScene.Pane(.host, area) }
    var shown = GuestScene.Pane(.guest(name), area)
    let own = own(name)
    (shown.fit, shown.mirror) = (pane.fit, own?.mirror ?? false)
    shown.crop = own?.crop ?? .none
    shown.cardText = own?.shownName ?? name
    shown.label = pane.label == nil ? "" : shown.cardText
    shown.isCard = pane.isCard
    return shown
  }
}
