// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Overlay
internal import Settings
internal import Video

/// What the picture shows at this time, besides what the settings say.
struct ShownLayers: Equatable, Sendable {
  /// The names of the overlays that are not shown at this time.
  var hiddenOverlays: Set<String> = []
  /// The guests in the picture.
  var guests = GuestScene()
}

/// Makes compositions for one thread that composes. The threads share no layer source.
struct CompositionMaker: Sendable {
  /// Holds the overlays, and repaints them when their content changes.
  let overlays: OverlayKeeper
  /// What the filters that run as separate processes share: the tools that start them, their clock, and the points (as
  /// of faces) that they have found in a frame.
  let host: FilterHost
  /// The guests that can be shown.
  let guests: GuestLayers

  /// The filters and layers of the video that viewers see. A new kind of layer would be added here.
  func composition(_ settings: Settings, _ shown: ShownLayers) -> Composition {
    let panes = shown.guests.panes
    var contents = settings.overlays.reduce(into: [String: OverlayContent]()) { contents, overlay in
      guard overlay.enabled, !shown.hiddenOverlays.contains(overlay.name) else { return }
      contents[overlay.name] = overlay.content(framesPerSecond: settings.video.fps)
    }
    let image = settings.allGuests.backgroundImage
    // The image stays painted while the host is alone, so that the next layout has it at once.
    if !image.isEmpty { contents[Layer.guestBackground.name] = .image(path: image) }
    if shown.guests.lacksCamera, panes.contains(where: { $0.content == .host }) {
      contents[Layer.lostCameraName] = .image(path: settings.slate.cameraImage, spare: .noCamera)
    }
    for caption in panes.flatMap(\.captions) { contents[caption.name] = caption.content }
    let sources = overlays.sources(contents)
    let frames = guests.sources(panes)

    var composition = panes.isEmpty ? Composition() : Composition(camera: nil)
    composition.filters = SourceFilters(settings, host)
    composition.crossfadeNanos = settings.allGuests.transition.nanos
    let background = settings.allGuests.background
    composition.background = SIMD3(background.red, background.green, background.blue)
    func add(_ caption: GuestScene.Pane.Caption?) {
      if let caption { composition.add(caption.layer, sources[caption.name]) }
    }
    if !panes.isEmpty, let source = sources[Layer.guestBackground.name] {
      composition.add(.guestBackground, source)
    }
    for pane in panes {
      // The guest's frames cover his name card.
      add(pane.card)
      if pane.content == .host, let still = sources[Layer.lostCameraName] {
        composition.add(.lostCamera(pane), still)
      } else if !pane.isCard {
        composition.add(Layer(pane), pane.guest.flatMap { frames[$0] })
      }
      add(pane.caption)
    }
    for overlay in settings.overlays {
      if let source = sources[overlay.name] { composition.add(Layer(overlay), source) }
    }
    return composition
  }

  /// Ends what runs for the compositions.
  func stop() {
    overlays.stop()
    guests.stop()
  }
}
