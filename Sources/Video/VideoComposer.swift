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
/// It keeps the last frame, covered, converted, placed and filtered, but without layers: this is called the base. Each
/// frame that is encoded, a repeat included, is composed anew from the base, so that layers can change over a frozen
/// source. While nothing else is drawn, the base itself is encoded. Used by one thread.
@safe public final class VideoComposer {
  /// A layer that is drawn, with its area in pixels.
  private struct Drawn {
    var name: String
    var z: Int
    var fadeNanos: Int64
    /// The factor by which `opacity` is multiplied while the layer fades: 0 to 1.
    var fadeFactor = 1.0
    /// Whether the layer was disabled or removed, and fades out.
    var isLeaving = false
    /// Whether the layer's source has delivered a picture. Before that, the layer does not begin to fade in.
    var isReady = false
    /// The source of the layer's picture; `nil` for the camera.
    var source: (any LayerSource)?
    var area: Rectangle
    var alignment: LayerAlignment
    var target: LayerTarget
    /// The opacity of the layer while it does not fade, from 0 to 255.
    var opacity: Double
  }

  /// How the camera's picture is placed on the frames of the broadcast.
  private var layout: Layout
  /// The present layers and their sources, and the camera's filters.
  private var composition: Composition
  /// Keeps the last frame of the camera, without layers.
  private let camera: Pane
  /// Whether the camera fills the picture below all layers.
  private var cameraIsBase = true
  /// The layers to draw, from the lowest to the highest. The camera's layer is included only if `cameraIsBase` is
  /// false.
  private var drawn: [Drawn] = []
  /// The samples of the background: Y', Cb and Cr.
  private var background = SIMD3<UInt8>()
  /// When the layers were composed last; `nil` before the first time.
  private var composedAt: MediaTime?
  /// The arguments of the last call of `compose`; `nil` if the arrangement of that picture has been replaced, or the
  /// base was discarded.
  private var lastComposed: (time: MediaTime, since: MediaTime)?
  /// The fade from the last arrangement to this one; `nil` while there is none.
  private var crossfade: Crossfade?
  /// The buffer in which each frame is composed: the camera's picture with the layers on it. `nil` until a layer is
  /// drawn.
  private var canvas: PlaneBuffer?
  /// Detects cuts between successive pictures of the camera.
  private var cuts = CutDetector()

  public init(_ layout: Layout, _ composition: Composition = Composition()) {
    (self.layout, self.composition) = (layout, composition)
    camera = Pane(layout, composition.filters)
    arrange()
  }

  /// Whether there is a base (a last frame). Without a base, `compose` returns a black picture.
  public var hasPicture: Bool { unsafe camera.picture != nil }

  /// Whether the camera is a part of the picture.
  public var showsCamera: Bool { composition.showsCamera }

  /// The colour description that the last frame had when it came, before its conversion; `nil` without a base.
  public var frameColour: Colour? { camera.frameColour }

  /// Covers, converts, places and filters a frame, which becomes the base (the picture that layers are drawn on). If
  /// the frame cannot be decoded, the earlier base stays.
  public func take(_ frame: consuming Frame) throws(PictureError) { try camera.take(frame) }

  /// The mean of Y' in a part of the base, 0 to 1, from each fourth sample of each fourth row; `nil` without a base.
  public func meanLuma(in area: LumaArea) -> Double? {
    guard let base = unsafe camera.picture else { return nil }
    let size = unsafe base.size
    func part(_ start: Double, _ length: Double, _ side: Int) -> Range<Int> {
      let first = min(side - 1, max(0, Int(start * Double(side))))
      return first..<max(first + 1, min(side, Int((start + length) * Double(side))))
    }
    let columns = part(area.x, area.width, size.width)
    let rows = part(area.y, area.height, size.height)
    var (sum, count) = (0, 0)
    for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
      let samples = unsafe base.y + row * base.yStride
      for column in stride(from: columns.lowerBound, to: columns.upperBound, by: 4) {
        unsafe sum += Int(samples[column])
        count += 1
      }
    }
    return Double(sum) / Double(count) / 255
  }

  /// Whether a frame can be decoded. The frame is not kept; the last frame stays.
  public func canRead(_ frame: borrowing Frame) -> Bool { camera.canRead(frame) }

  /// Whether there is a cut between two bases (camera pictures without layers): the base at the last call of this
  /// method, and the current base.
  public func isCut() -> Bool {
    guard let base = unsafe camera.picture else { return false }
    return unsafe cuts.isCut(base)
  }

  /// Discards the base, which is the last frame.
  public func forget() {
    camera.forget()
    (crossfade, lastComposed) = (nil, nil)
    cuts = CutDetector()
  }

  /// Returns the memory of the last frame to its source, and keeps a copy of the frame.
  public func releaseFrame() { camera.releaseFrame() }

  /// Places the last frame and all following frames by another layout.
  public func change(_ layout: Layout) {
    guard layout != self.layout else { return }
    self.layout = layout
    crossfade = nil
    arrange()
  }

  /// Sets the camera's filters and the layers. Both apply from the next call of `compose` on, even if no new frame has
  /// arrived.
  public func change(_ composition: Composition) {
    guard composition != self.composition else { return }
    camera.change(composition.filters)
    let (before, old) = (drawn, self.composition)
    let isSame = composition.hasSameArrangement(as: old)
    // What is not to be seen any more is gone at once.
    if !composition.looks(like: old)
      || !isSame && (composition.crossfadeNanos == 0 || old.hidesSomething)
    {
      crossfade = nil
    } else if !isSame {
      crossfade = makeCrossfade(nanos: composition.crossfadeNanos) ?? crossfade
    }
    self.composition = composition
    guard !composition.hasSameLayers(as: old) else { return }
    arrange()
    // Layers do not fade in on the first picture.
    if composedAt != nil { fade(from: before) }
  }

  /// Makes the fade from the present arrangement to another one; `nil` if no frame of the present one has been
  /// composed.
  private func makeCrossfade(nanos: Int64) -> Crossfade? {
    guard let (time, since) = lastComposed else { return nil }
    lastComposed = nil
    var canvas = emptyCanvas()
    let count = arrangedCount
    draw(0..<count, on: &canvas, at: time, since: since)
    let earlier = crossfade.flatMap { $0.isSeen(at: time, since: since) ? $0 : nil }
    earlier?.draw(on: canvasOnCamera(&canvas), at: time)
    let picture = canvasOnCamera(&canvas)
    self.canvas = nil
    return Crossfade(
      picture, of: drawn[..<count].compactMap(\.source) + (earlier?.sources ?? []),
      startsAt: time, nanos: nanos, since: since)
  }

  /// How many of the layers to draw belong to the arrangement. They are the first ones.
  private var arrangedCount: Int {
    drawn.firstIndex { $0.z >= Layer.lowestOverlay } ?? drawn.count
  }

  /// Starts to fade in the layers that are not in `before`, and to fade out the layers that are in `before` alone.
  private func fade(from before: [Drawn]) {
    for index in drawn.indices {
      let old = before.first { $0.name == drawn[index].name }
      drawn[index].fadeFactor = drawn[index].fadeNanos > 0 ? old?.fadeFactor ?? 0 : 1
      drawn[index].isReady = old?.isReady ?? false
    }
    for old in before where old.fadeNanos > 0 && old.source != nil {
      guard !drawn.contains(where: { $0.name == old.name }) else { continue }
      var leaving = old
      leaving.isLeaving = true
      drawn.insert(leaving, at: drawn.firstIndex { $0.z > old.z } ?? drawn.count)
    }
  }

  /// Sets how far each fading layer has faded at `time`, and removes the layers that have faded out.
  private func fade(until time: MediaTime) {
    let nanos = max(0, time - (composedAt ?? time))
    composedAt = time
    for index in drawn.indices
    where drawn[index].isLeaving || drawn[index].fadeFactor < 1 && drawn[index].isReady {
      let step = Double(nanos) / Double(max(1, drawn[index].fadeNanos))
      drawn[index].fadeFactor =
        drawn[index].isLeaving
        ? max(0, drawn[index].fadeFactor - step) : min(1, drawn[index].fadeFactor + step)
    }
    drawn.removeAll { $0.isLeaving && $0.fadeFactor <= 0 }
  }

  /// Determines which layers are drawn, and where. Ends all fades immediately.
  private func arrange() {
    canvas = nil
    let (red, green, blue) = (
      composition.background.x, composition.background.y, composition.background.z
    )
    background = YCbCrScale(layout.colour).samples(red: red, green: green, blue: blue)
    var hasCamera = false
    drawn = composition.layers.compactMap { layer in
      let opacity = min(1, max(0, layer.opacity)) * 255
      let source = composition.source(of: layer)
      guard layer.isEnabled, opacity > 0, let area = layer.area.pixels(of: layout.size),
        source != nil || layer.source == Composition.camera && !hasCamera
      else { return nil }
      hasCamera = hasCamera || source == nil
      let target = LayerTarget(
        size: area.size, fit: layer.fit, alignment: layer.alignment, picture: layout.size,
        colour: layout.colour)
      return Drawn(
        name: layer.name, z: layer.z, fadeNanos: layer.fadeNanos, source: source, area: area,
        alignment: layer.alignment, target: target, opacity: opacity)
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

  /// Draws the layers on the base (the last frame), in the colour description of the layout.
  /// - Parameters:
  ///   - time: the timestamp of the frame that is encoded.
  ///   - since: layers must not show what was captured before this time.
  /// - Returns: planes that are valid until the next call of any method except `isCut`.
  @unsafe public func compose(
    at time: MediaTime, since: MediaTime = .distantPast
  ) -> PlanarPicture {
    fade(until: time)
    lastComposed = (time, since)
    if crossfade?.isSeen(at: time, since: since) == false { crossfade = nil }
    if cameraIsBase, drawn.isEmpty, crossfade == nil {
      return unsafe camera.picture ?? camera.black()
    }
    var canvas = emptyCanvas()
    let count = arrangedCount
    draw(0..<count, on: &canvas, at: time, since: since)
    crossfade?.draw(on: canvasOnCamera(&canvas), at: time)
    draw(count..<drawn.count, on: &canvas, at: time, since: since)
    return unsafe canvas?.picture ?? camera.picture ?? camera.black()
  }

  /// Draws layers.
  /// - Parameter canvas: what is drawn on; `nil` stands for the camera's picture, until a layer has something to show.
  private func draw(
    _ layers: Range<Int>, on canvas: inout PlaneBuffer?, at time: MediaTime, since: MediaTime
  ) {
    for index in layers {
      let layer = drawn[index]
      let picture =
        unsafe layer.source?.picture(layer.target, at: time, since: since)
        ?? (layer.source == nil ? camera.picture.map { unsafe LayerPicture($0) } : nil)
      guard let picture = unsafe picture else { continue }
      drawn[index].isReady = true
      let opacity = UInt8((layer.opacity * layer.fadeFactor).rounded())
      guard opacity > 0 else { continue }
      let out = canvasOnCamera(&canvas)
      unsafe Blender.draw(
        picture, on: out.planes(), size: out.size, in: layer.area, layer.alignment,
        opacity: opacity)
    }
  }

  /// The buffer with the background; `nil` if the camera's picture fills the frame.
  private func emptyCanvas() -> PlaneBuffer? {
    guard !cameraIsBase else { return nil }
    let canvas = buffer()
    canvas.fill(background)
    return canvas
  }

  /// The buffer to draw on. If there is none yet, it gets the camera's picture.
  private func canvasOnCamera(_ canvas: inout PlaneBuffer?) -> PlaneBuffer {
    if let canvas { return canvas }
    let new = buffer()
    unsafe new.copy(camera.picture ?? camera.black())
    canvas = new
    return new
  }

  /// The buffer `canvas`, which is allocated at the first call.
  private func buffer() -> PlaneBuffer {
    let buffer = canvas ?? PlaneBuffer(size: layout.size)
    canvas = buffer
    return buffer
  }
}
