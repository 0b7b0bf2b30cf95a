// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// What the programme's picture is composed of: its layers, and the sources that they show. A value: a change is another
/// composition, which replaces the one before as a whole.
public struct Composition: Sendable, Equatable {
  /// The source whose frames set the programme's pace. Its layer is the base, and a pause hides it.
  public static let camera = "camera"

  /// The lowest is first.
  public private(set) var layers: [Layer]
  private var sources: [String: Named] = [:]

  /// Two sources are the same if they are one object: one whose content changes for good is a new object.
  private struct Named: Sendable, Equatable {
    var source: any LayerSource
    static func == (one: Named, other: Named) -> Bool { one.source === other.source }
  }

  /// The camera alone.
  public init() { layers = [Layer(Composition.camera, z: 0)] }

  /// - Parameter camera: where the camera is; `nil` for a picture without it.
  public init(camera: Layer?) { layers = camera.map { [$0] } ?? [] }

  /// Adds a layer.
  /// - Parameter source: what it shows; `nil` for a source that was added before, or for the camera.
  public mutating func add(_ layer: Layer, _ source: (any LayerSource)? = nil) {
    if let source { sources[layer.source] = Named(source: source) }
    layers.insert(layer, at: layers.firstIndex { $0.z > layer.z } ?? layers.count)
  }

  func source(of layer: Layer) -> (any LayerSource)? { sources[layer.source]?.source }

  /// The layers that stills have, too. An image takes the place of the camera below them.
  public var onStills: Composition {
    var stills = Composition(camera: Layer(Composition.camera, z: .min))
    for layer in layers where layer.isEnabled && layer.onStills {
      if let source = source(of: layer) { stills.add(layer, source) }
    }
    return stills
  }

  /// Whether there is something besides the camera.
  public var hasLayers: Bool { layers.contains { $0.source != Composition.camera } }

  /// The same for one still, with what its sources have to show on stills. May take long.
  public func drawn(size: PictureSize, colour: Colour) -> Composition {
    var still = Composition(camera: nil)
    for layer in layers {
      guard let source = source(of: layer), let area = layer.area.pixels(of: size) else {
        if layer.source == Composition.camera { still.add(layer) }
        continue
      }
      let target = LayerTarget(size: area.size, fit: layer.fit, colour: colour)
      guard let planes = source.still(target) else { continue }
      // Layers of one source may have several sizes.
      var own = layer
      own.source = "\(still.layers.count)"
      still.add(own, FixedSource(planes))
    }
    return still
  }
}
