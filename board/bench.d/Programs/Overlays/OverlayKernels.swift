// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media
internal import Overlay
internal import Video

/// What overlays cost the thread that composes the picture: its processor time for each frame, measured in this process with
/// OnAir's own painters. The copy of the camera's frame on which they are drawn is part of it.
enum OverlayKernels {
  private static let chunks = 40
  private static let framesPerChunk = 30

  /// Microseconds of a frame in each case, the median of many seconds of video.
  static func measure(_ cases: [OverlayWork], folder: String) throws -> [OverlayWork: Double] {
    var results: [OverlayWork: Double] = [:]
    for work in cases where work != .none {
      let keeper = OverlayKeeper()
      defer { keeper.stop() }
      results[work] = try microseconds(composition(work, keeper, folder: folder))
    }
    return results
  }

  /// The layers of a case.
  /// - Parameter plays: whether a sticker plays in real time, or else has all its images ready.
  static func composition(
    _ work: OverlayWork, _ keeper: OverlayKeeper, folder: String, plays: Bool = false
  ) throws -> Composition {
    var composition = Composition()
    func add(_ name: String, z: Int, x: Int, y: Int, width: Int, _ source: (any LayerSource)?) {
      let size = Scene.size
      var layer = Layer(name, z: z)
      layer.area = LayerArea(
        x: Double(x) / Double(size.width), y: Double(y) / Double(size.height),
        width: Double(width) / Double(size.width), height: 1)
      layer.alignment = LayerAlignment(.start, .start)
      composition.add(layer, source)
    }
    switch work {
    case .none: break
    case .watermark:
      let (x, y) = OverlayWork.watermarkPlace
      let sources = keeper.sources(["logo": .image(path: "\(folder)/watermark.png")])
      add("logo", z: 1, x: x, y: y, width: OverlayWork.watermarkSize.width, sources["logo"])
    case .lowerThird:
      let (x, y) = OverlayWork.clockPlace
      let style = TextStyle(
        font: "DejaVu Sans",
        size: Double(OverlayWork.fontHeight) / Double(Scene.size.height),
        colour: OverlayColour(red: 255, green: 255, blue: 255))
      let sources = keeper.sources([
        "band": .image(path: "\(folder)/band.png"),
        "who": .text("\(OverlayWork.name) {time:%H:%M:%S}", style),
      ])
      add("band", z: 1, x: 0, y: OverlayWork.bandTop, width: Scene.size.width, sources["band"])
      add("who", z: 2, x: x, y: y, width: Scene.size.width, sources["who"])
    case .sticker:
      let (x, y) = OverlayWork.stickerPlace
      let source: (any LayerSource)? =
        plays
        ? keeper.sources(["fun": .sticker(path: "\(folder)/sticker.png")])["fun"]
        : try Flipbook(folder)
      add("fun", z: 1, x: x, y: y, width: OverlayWork.stickerSide, source)
    }
    return composition
  }

  private static func microseconds(_ composition: Composition) throws -> Double {
    let size = Scene.size
    let composer = VideoComposer(Layout(size: size, colour: .bt709), composition)
    let pool = FramePool(count: 1, capacity: Scene.frameBytes)
    guard let blank = pool.borrow() else { return .nan }
    try composer.take(
      blank.finish(
        format: FrameFormat(pixelFormat: .i420, size: size, colour: .bt709), capturedAt: .now()))
    let interval = Int64.seconds(1) / Int64(Scene.framesPerSecond)
    var time = MediaTime.now()
    func compose() {
      time = time + interval
      _ = unsafe composer.compose(at: time)
    }
    // Until the painters have drawn, and the layers have come.
    let ready = MediaTime.now() + .milliseconds(500)
    while .now() < ready { compose() }
    let means = (0..<chunks).map { _ in
      let before = Processors.usedByThreadNanos
      for _ in 0..<framesPerChunk { compose() }
      return Double(Processors.usedByThreadNanos - before) / Double(framesPerChunk) / 1_000
    }
    return percentile(means, 50)
  }
}

/// Shows one image after another, 25 a second, all of which are ready.
private final class Flipbook: LayerSource {
  private let pages: [BlendPlanes]

  init(_ folder: String) throws {
    pages = try (0..<OverlayWork.stickerFrames).map { index in
      let image = try ImagePixels(
        path: OverlayWork.frame(folder, index), longest: OverlayWork.stickerSide)
      return unsafe image.withPixels { pixels in
        unsafe BlendPlanes(
          bgra: UnsafeRawBufferPointer(
            start: pixels, count: image.size.width * image.size.height * 4),
          size: image.size, colour: .bt709)
      }
    }
  }

  @unsafe func picture(
    _ target: LayerTarget, at time: MediaTime, since: MediaTime
  ) -> LayerPicture? {
    let page = time.nanos / (.seconds(1) / Int64(OverlayWork.stickerRate))
    return unsafe pages[Int(page % Int64(pages.count))].picture
  }
}
