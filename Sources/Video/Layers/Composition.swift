// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The composition of the programme's picture: its layers, and the sources that they show. It is a value: to change the
/// picture, another composition replaces this one as a whole.
public struct Composition: Sendable, Equatable {
  /// The name of the camera as a source. Its frames set the frame rate of the programme, its layer is the base, and a
  /// pause hides it.
  public static let camera = "camera"

  /// The layers of the picture, from the lowest to the highest.
  public private(set) var layers: [Layer]
  /// What is seen where no layer is: red, green and blue.
  public var background = SIMD3<UInt8>()
  /// The privacy mask and the filters of the camera's picture.
  public var filters = SourceFilters()
  /// How long the picture takes to pass over to this arrangement from another one, in nanoseconds; 0 for a cut.
  public var crossfadeNanos: Int64 = 0
  /// The sources of the layers other than the camera, keyed by name.
  private var sources: [String: SourceReference] = [:]

  /// A source, compared by identity: a change inside the same object is not noticed. To show other content for good,
  /// replace the source by a new object.
  private struct SourceReference: Sendable, Equatable {
    var source: any LayerSource
    static func == (one: SourceReference, other: SourceReference) -> Bool {
      one.source === other.source
    }
  }

  /// Makes a composition of the camera alone, which fills the picture.
  public init() { layers = [Layer(Composition.camera, z: 0)] }

  /// - Parameter camera: the layer that shows the camera; `nil` for a picture without the camera.
  public init(camera: Layer?) { layers = camera.map { [$0] } ?? [] }

  /// Adds a layer above all others that have the same or a lower `z`.
  /// - Parameter source: the source that the layer shows; `nil` for a source that was added before, or for the camera.
  public mutating func add(_ layer: Layer, _ source: (any LayerSource)? = nil) {
    if let source { sources[layer.source] = SourceReference(source: source) }
    layers.insert(layer, at: layers.firstIndex { $0.z > layer.z } ?? layers.count)
  }

  /// The source that a layer shows; `nil` for the camera, or if no source has this name.
  func source(of layer: Layer) -> (any LayerSource)? { sources[layer.source]?.source }

  /// Whether another composition has the same layers, sources and background. Its filters may differ.
  func hasSameLayers(as other: Composition) -> Bool {
    layers == other.layers && sources == other.sources && background == other.background
  }

  /// The arrangement of the sources in the picture: the layers below `Layer.lowestOverlay`.
  private var arrangement: some Collection<Layer> & Equatable { layers.prefix { $0.isArranged } }

  /// Whether another composition arranges its sources as this one does.
  func hasSameArrangement(as other: Composition) -> Bool { arrangement == other.arrangement }

  /// Whether the filters and the sources of frames that are in both compositions are the same. If not, a source is
  /// shown in another way, as when it is cropped now.
  func looks(like other: Composition) -> Bool {
    filters == other.filters
      && arrangement.allSatisfy { layer in
        guard let source = other.sources[layer.source], source.source is FrameLayerSource else {
          return true
        }
        return source == sources[layer.source]
      }
  }

  /// Whether nothing may be shown of a source of the arrangement.
  var hidesSomething: Bool { arrangement.contains { source(of: $0)?.isHidden == true } }

  /// The composition for stills: only those layers that are also drawn on stills. Below them, the image of the still
  /// takes the place of the camera.
  public var onStills: Composition {
    var stills = Composition(camera: Layer(Composition.camera, z: .min))
    for layer in layers where layer.isEnabled && layer.onStills {
      if let source = source(of: layer) { stills.add(layer, source) }
    }
    return stills
  }

  /// The `stillVersion` of each layer's source, in the order of the layers: a number that rises when the source's
  /// picture on stills changes.
  public var stillVersions: [Int] { layers.map(stillVersion) }

  /// Whether `stillVersions` equals `versions`, so that a still that was prepared with these versions is up to date.
  /// Allocates nothing.
  public func hasStillVersions(_ versions: [Int]) -> Bool {
    versions.count == layers.count && zip(versions, layers).allSatisfy { $0 == stillVersion($1) }
  }

  /// The `stillVersion` of a layer's source; 0 for the camera.
  private func stillVersion(_ layer: Layer) -> Int { source(of: layer)?.stillVersion ?? 0 }

  /// Whether a layer shows the camera.
  var showsCamera: Bool { layers.contains { $0.source == Composition.camera } }

  /// Whether there are layers that do not show the camera.
  public var hasLayers: Bool { layers.contains { $0.source != Composition.camera } }

  /// A copy of this composition for one still, in which a fixed picture replaces each source: the picture that the
  /// source shows on stills. May take long, because sources paint these pictures.
  public func paintedForStill(size: PictureSize, colour: Colour) -> Composition {
    var still = Composition(camera: nil)
    for layer in layers {
      guard let source = source(of: layer), let area = layer.area.pixels(of: size) else {
        if layer.source == Composition.camera { still.add(layer) }
        continue
      }
      let target = LayerTarget(
        size: area.size, fit: layer.fit, alignment: layer.alignment, picture: size, colour: colour)
      guard let planes = source.still(target) else { continue }
      // Each layer gets a source name of its own: layers of the same source may differ in size.
      var own = layer
      own.source = "\(still.layers.count)"
      still.add(own, FixedSource(planes))
    }
    return still
  }
}
