// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Audio
public import Base
internal import Overlay
public import Video

/// The guests in the programme: where each is in the picture, and how loud each is in the sound.
public struct GuestScene: Equatable, Sendable {
  /// A part of the picture with the host or a guest in it.
  public struct Pane: Equatable, Sendable {
    /// Whom the pane shows.
    public enum Content: Hashable, Sendable {
      /// The box's own camera.
      case host
      /// The guest with this name.
      case guest(String)
    }

    public var content: Content
    public var area: LayerArea
    /// How a guest's frames are fitted into the area. The host's are fitted as the settings say for the camera.
    public var fit = Fit.fill
    /// Whether a guest's frames are mirrored left to right.
    public var mirror = false
    /// What is cut off from a guest's frames as they are shown.
    public var crop = Crop.none
    /// What the name card of a guest says, which is shown while there are no frames of him.
    public var cardText = ""
    /// Whether the name card is shown although there are frames.
    public var isCard = false
    /// What is written on the lower edge of the pane; empty for nothing.
    public var label = ""

    public init(_ content: Content, _ area: LayerArea) {
      (self.content, self.area) = (content, area)
    }
  }

  /// A guest who is heard.
  public struct Sound: Equatable, Sendable {
    public var guest: String
    public var gain: TrackGain

    public init(_ guest: String, gain: TrackGain) { (self.guest, self.gain) = (guest, gain) }
  }

  /// Whether a still takes the place of the host's camera.
  public var lacksCamera = false
  /// From the lowest to the highest. Without panes the host is alone and fills the picture.
  public var panes: [Pane] = []
  public var sounds: [Sound] = []
  /// The guests on air, also those whom the layout does not show.
  public var onAir: Set<String> = []
  /// The guests whose frames are not used, apart from small ones for the box's owner.
  public var unusedPictures: Set<String> = []
  /// The guests whose audio is not used.
  public var unusedSounds: Set<String> = []

  public init() {}

  /// The guests whom viewers see, or would see with another layout.
  var visible: Set<String> {
    Set(panes.compactMap(\.guest)).union(onAir).subtracting(unusedPictures)
  }

  /// The name of the audio track of a guest.
  public static func track(_ guest: String) -> String { "guest.\(guest)" }

  /// Whether an audio track is that of a guest. Tracks of the settings have no dot in their names.
  static func isTrack(_ name: String) -> Bool { name.hasPrefix(track("")) }
}

extension GuestScene.Pane {
  /// A text that is drawn for a pane.
  struct Caption: Equatable {
    /// Differs from the names of all overlays.
    var name: String
    var content: OverlayContent
    var layer: Layer
  }

  /// Guests are below all overlays, whose lowest `z` is 1.
  fileprivate static let z = 0
  private static let font = "DejaVu Sans Bold"
  private static let white = OverlayColour(red: 255, green: 255, blue: 255)
  private static let shade = OverlayColour(red: 0, green: 0, blue: 0, alpha: 160)

  /// The guest's name; `nil` for the host.
  var guest: String? {
    if case .guest(let name) = content { name } else { nil }
  }

  /// The card with the guest's name in the middle of the pane; `nil` for the host.
  var card: Caption? {
    guard let guest, !cardText.isEmpty else { return nil }
    return text(cardText, as: "guest:\(guest):card", height: 0.12)
  }

  /// The label in the lower left corner of the pane; `nil` for none.
  var caption: Caption? {
    guard !label.isEmpty else { return nil }
    var caption = text(label, as: "guest:\(guest ?? ""):label", height: 0.07)
    caption.layer.alignment = LayerAlignment(.start, .end)
    return caption
  }

  /// The frame size that the guest's reader has to deliver: that of the pane before the crop.
  func frameSize(on picture: PictureSize) -> PictureSize? {
    Layer(self).size(on: picture)?.uncropped(crop)
  }

  var captions: [Caption] { [card, caption].compactMap(\.self) }

  /// - Parameter height: the height of the letters, as a fraction of the pane's height.
  private func text(_ text: String, as name: String, height: Double) -> Caption {
    var style = TextStyle(
      font: Self.font, size: max(0.02, height * area.height), colour: Self.white)
    style.box = Self.shade
    style.wraps = true
    style.alignment = .centre
    var layer = Layer(name, z: Self.z)
    layer.area = area
    return Caption(name: name, content: .text(text, style), layer: layer)
  }
}

extension PictureSize {
  /// The frame size that has this size after a crop.
  func uncropped(_ crop: Crop) -> PictureSize {
    PictureSize(
      width: Int(Double(width) / crop.rest.width), height: Int(Double(height) / crop.rest.height))
  }
}

extension Layer {
  /// The layer with the image behind all panes.
  static let guestBackground = {
    // No overlay has such a name.
    var layer = Layer("guests:background", z: GuestScene.Pane.z)
    (layer.area, layer.fit) = (.whole, .fill)
    return layer
  }()

  /// The layer with the still of a lost camera, in the host's pane.
  static func lostCamera(_ pane: GuestScene.Pane) -> Layer {
    var layer = Layer(lostCameraName, z: GuestScene.Pane.z)
    layer.area = pane.area
    return layer
  }
  /// No overlay has such a name.
  static let lostCameraName = "guests:camera"

  /// The layer with the frames of the host or of a guest.
  init(_ pane: GuestScene.Pane) {
    self.init(
      pane.guest.map { "guest:\($0)" } ?? Composition.camera, z: GuestScene.Pane.z)
    area = pane.area
    fit = pane.fit
  }
}
