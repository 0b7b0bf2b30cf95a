// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// Why a frame could not be decoded.
public enum PictureError: Error, Equatable {
  /// The JPEG is truncated or damaged, or is not Y'CbCr.
  case brokenJPEG
  /// The frame is smaller than 2x2, or has fewer bytes than its format needs.
  case malformed
}

/// Performs the steps of the video pipeline before the encoder: it converts and places frames, and draws layers.
///
/// It keeps the last frame that it took, converted and placed but without layers: the base. Each frame that is encoded,
/// a repeat included, is composed anew from the base, so that layers can change over a frozen source. While nothing
/// else is drawn, the base itself is encoded. Used by one thread.
@safe public final class VideoComposer {
  /// A layer that is drawn, with its area in pixels.
  private struct Drawn {
    /// The source of the layer's pictures; `nil` for the camera.
    var source: (any LayerSource)?
    var area: Rectangle
    var target: LayerTarget
    var opacity: UInt8
  }

  private var layout: Layout
  private var composition: Composition
  private let camera: Pane
  /// Whether the camera fills the picture below all layers.
  private var cameraIsBase = true
  /// The layers to draw, from the lowest to the highest. The camera is not among them if `cameraIsBase`.
  private var drawn: [Drawn] = []
  /// The buffer in which layers are drawn; `nil` until it is needed.
  private var composed: PlaneBuffer?
  private var cuts = CutDetector()

  public init(_ layout: Layout, _ composition: Composition = Composition()) {
    (self.layout, self.composition) = (layout, composition)
    camera = Pane(layout)
    arrange()
  }

  /// Whether there is a base, that is a last frame. Without one, `compose` gives black.
  public var hasPicture: Bool { unsafe camera.picture != nil }

  /// The colour description that the last frame had when it came, before its conversion; `nil` without a base.
  public var frameColour: Colour? { camera.frameColour }

  /// Converts and places a frame, which becomes the base. If it cannot be decoded, the base stays.
  public func take(_ frame: consuming Frame) throws(PictureError) { try camera.take(frame) }

  /// Whether a frame can be decoded. The frame is not shown; the base stays.
  public func canRead(_ frame: borrowing Frame) -> Bool { camera.canRead(frame) }

  /// Whether the base shows another scene than the base at the last call of this method.
  public func isCut() -> Bool {
    guard let base = unsafe camera.picture else { return false }
    return unsafe cuts.isCut(base)
  }

  /// Discards the base: there is no last frame then.
  public func forget() {
    camera.forget()
    cuts = CutDetector()
  }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  public func releaseFrame() { camera.releaseFrame() }

  /// Places the base and all following frames as another layout says.
  public func change(_ layout: Layout) {
    guard layout != self.layout else { return }
    self.layout = layout
    arrange()
  }

  /// Draws the layers of another composition from the next frame on.
  public func change(_ composition: Composition) {
    guard composition != self.composition else { return }
    self.composition = composition
    arrange()
  }

  /// Finds out which layers are drawn, and where, and how the camera is placed.
  private func arrange() {
    composed = nil
    var hasCamera = false
    drawn = composition.layers.compactMap { layer in
      let opacity = UInt8((min(1, max(0, layer.opacity)) * 255).rounded())
      let source = composition.source(of: layer)
      guard layer.isEnabled, opacity > 0, let area = layer.area.pixels(of: layout.size),
        source != nil || layer.source == Composition.camera && !hasCamera
      else { return nil }
      hasCamera = hasCamera || source == nil
      let target = LayerTarget(size: area.size, fit: layer.fit, colour: layout.colour)
      return Drawn(source: source, area: area, target: target, opacity: opacity)
    }
    let whole = Rectangle(x: 0, y: 0, size: layout.size)
    cameraIsBase =
      drawn.first.map { $0.source == nil && $0.area == whole && $0.opacity == 255 } ?? false
    var place = layout
    if cameraIsBase {
      drawn.removeFirst()
    } else if let camera = drawn.first(where: { $0.source == nil }) {
      (place.size, place.hasBars) = (camera.area.size, false)
    }
    camera.change(place)
  }

  /// Draws the layers on the base, in the layout's colour.
  /// - Parameters:
  ///   - time: the timestamp of the frame that is encoded.
  ///   - since: layers must not show what was captured before this time.
  /// - Returns: planes that are valid until the next call of any method except `isCut`.
  @unsafe public func compose(
    at time: MediaTime, since: MediaTime = .distantPast
  ) -> PlanarPicture {
    if cameraIsBase, drawn.isEmpty { return unsafe camera.picture ?? camera.black() }
    /// The buffer that layers are drawn on; `nil` until a layer has something to show.
    var canvas: PlaneBuffer?
    if !cameraIsBase {
      canvas = buffer()
      canvas?.blacken(fullRange: layout.colour.fullRange)
    }
    for layer in drawn {
      let picture =
        unsafe layer.source?.picture(layer.target, at: time, since: since)
        ?? (layer.source == nil ? camera.picture.map { unsafe LayerPicture($0) } : nil)
      guard let picture = unsafe picture else { continue }
      let out: PlaneBuffer
      if let canvas {
        out = canvas
      } else {
        out = buffer()
        unsafe out.copy(camera.picture ?? camera.black())
        canvas = out
      }
      unsafe Blender.draw(
        picture, on: out.planes(), size: out.size, in: layer.area, opacity: layer.opacity)
    }
    return unsafe canvas?.picture ?? camera.picture ?? camera.black()
  }

  private func buffer() -> PlaneBuffer {
    let buffer = composed ?? PlaneBuffer(size: layout.size)
    composed = buffer
    return buffer
  }
}
