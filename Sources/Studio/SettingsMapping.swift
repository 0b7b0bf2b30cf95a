// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Encode
internal import Media
internal import Overlay
internal import Publish
internal import RateControl
internal import Settings
internal import Video

// Converts the settings into the types of other modules.

extension VideoSettings {
  /// The frame size to request from the camera. After rotation, its frames have the broadcast's size.
  var sizeBeforeRotation: PictureSize {
    look.rotation.swapsSides ? PictureSize(width: size.height, height: size.width) : size
  }

  /// The kind of the video source and its parameters.
  var sourceRequest: VideoSourceRequest {
    switch source {
    case .camera(let path):
      .camera(
        CameraRequest(
          path: path, size: sizeBeforeRotation, framesPerSecond: fps,
          format: CameraRequest.Format(cameraFormat)))
    case .pattern: .pattern(size, framesPerSecond: fps)
    case .pipe(nil): .standardInput
    case .pipe(let path?): .pipe(path: path, pipeFormat)
    case .file(let path): .file(path: path)
    case .guest(let name): .guest(name: name)
    case .none: .none
    }
  }
}

extension VideoSettings {
  var pipeFormat: VideoPipeFormat {
    VideoPipeFormat(
      pixels: pipe.format, size: size, isFramed: pipe.isFramed, framesPerSecond: fps)
  }
}

extension AudioSource {
  var isPipe: Bool { if case .pipe = self { true } else { false } }
}

extension AudioSettings {
  var pipeFormat: AudioPipeFormat {
    AudioPipeFormat(samples: pipe.format, rate: pipe.rate, channels: pipe.channels)
  }
}

extension EncodingPlan {
  /// The encoding in the settings, before any limit of the link or the processor.
  init(asked settings: Settings) {
    let (video, audio) = (settings.video, settings.audio)
    self.init(
      videoKbps: video.targetKbps, framesPerSecond: video.fps, size: video.size,
      speed: video.speed, gopNanos: Int64(video.gopSeconds * 1e9),
      audioKbps: audio.source == .none ? 0 : audio.bitrateKbps)
  }
}

extension CameraRequest.Format {
  fileprivate init(_ format: CameraFormat) {
    switch format {
    case .auto: self = .automatic
    case .other: self = .other
    case .yuyv, .uyvy, .nv12, .nv21, .yu12, .mjpeg:
      self = PixelFormat(rawValue: format.rawValue).map { .straight($0) } ?? .automatic
    }
  }
}

extension Settings {
  /// The size of a destination's packet queue in bytes, from the bit rates in the settings.
  var queueBytes: Int {
    Destination.queueBytes(bitrateKbps: video.targetKbps + audio.bitrateKbps)
  }
}

extension SlowNetworkSettings {
  /// The age at which queued packets are dropped, in nanoseconds.
  var behindNanos: Int64 { Int64(maxBehindSeconds * 1e9) }
}

extension RTMPDeadlines {
  init(_ publish: PublishSettings) {
    self.init()
    retryPause = Int64(publish.reconnectSeconds * 1e9)
  }
}

extension VideoPlan {
  init(_ settings: Settings) {
    let video = settings.video
    self.init(
      format: VideoFormat(
        size: video.size, framesPerSecond: video.fps, bitrateKbps: video.targetKbps,
        speed: video.speed, colour: .bt709),
      gopNanos: Int64(video.gopSeconds * 1e9), adjustment: VideoPipeline.Adjustment(settings))
  }
}

extension Settings {
  /// What is cut off from the frames of the main video source: that of a guest who takes the camera's place.
  var cropOfSource: Crop {
    guard case .guest(let name) = video.source else { return .none }
    return guests.first { $0.name == name }?.crop ?? .none
  }
}

extension VideoPipeline.Adjustment {
  init(_ settings: Settings) {
    look = settings.video.look
    look.crop = settings.cropOfSource
    processorShare = settings.video.processorShare
    allowsResize = settings.network.dynamicResolution
  }
}

extension OverlaySettings {
  /// What the overlay shows; `nil` if the overlay has no kind, which the checks of the settings reject.
  /// - Parameter framesPerSecond: the frame rate of the broadcast.
  func content(framesPerSecond: Int) -> OverlayContent? {
    switch kind {
    case .image: .image(path: file)
    case .sticker: .sticker(path: file)
    case .text: .text(text, style(framesPerSecond))
    case nil: nil
    }
  }

  /// The style of a text overlay.
  /// - Parameter framesPerSecond: the frame rate of the video, used for a text that scrolls.
  private func style(_ framesPerSecond: Int) -> TextStyle {
    var style = TextStyle(font: font, size: size, colour: OverlayColour(colour))
    style.outline = outline.map { OverlayColour($0) } ?? .none
    style.box = box.map { OverlayColour($0) } ?? .none
    style.alignment =
      switch align {
      case .left: .left
      case .centre: .centre
      case .right: .right
      }
    style.secondSize = secondSize
    style.wraps = width > 0
    if scroll != 0 { style.scroll = TextScroll(speed: scroll, framesPerSecond: framesPerSecond) }
    return style
  }
}

extension OverlayColour {
  fileprivate init(_ colour: RGBA) {
    self.init(red: colour.red, green: colour.green, blue: colour.blue, alpha: colour.alpha)
  }
}

extension Layer {
  init(_ overlay: OverlaySettings) {
    self.init("overlay.\(overlay.name)", z: overlay.z)
    alignment = LayerAlignment(overlay.anchor)
    area = LayerArea(
      x: overlay.x, y: overlay.y, width: overlay.width > 0 ? overlay.width : nil,
      height: overlay.height > 0 ? overlay.height : nil, alignment: alignment)
    opacity = overlay.opacity
    fadeNanos = .milliseconds(Int64(overlay.fadeMs))
    isEnabled = overlay.enabled
    onStills = overlay.onStills
  }
}

extension LayerAlignment {
  fileprivate init(_ anchor: OverlayAnchor) {
    switch anchor {
    case .topLeft: self.init(.start, .start)
    case .top: self.init(.centre, .start)
    case .topRight: self.init(.end, .start)
    case .left: self.init(.start, .centre)
    case .centre: self.init(.centre, .centre)
    case .right: self.init(.end, .centre)
    case .bottomLeft: self.init(.start, .end)
    case .bottom: self.init(.centre, .end)
    case .bottomRight: self.init(.end, .end)
    }
  }
}

extension SourceFilters {
  /// The filters on the camera's picture.
  init(_ settings: Settings, _ host: FilterHost) {
    let applied = settings.filters.filter(\.enabled)
    let processes = applied.count { $0.kind == .frei0r || $0.kind == .outside }
    self.init(
      mask: settings.mayLackMasks
        ? .everything : PrivacyMask(applied.compactMap { PrivacyMask.Region($0) }),
      steps: applied.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
        .compactMap { filter in
          (filter.plan ?? ProcessFilterPlan(filter, settings.video.fps, processes, host)).map {
            PictureFilterStep(filter.name, $0)
          }
        })
  }
}

extension Settings {
  /// Warnings for the box's owner: a sentence for each enabled filter that is an outside program. Empty if the kernel
  /// has Landlock, which confines such programs.
  package var unconfinedFilters: [String] {
    guard !FilterTools.kernelHasLandlock else { return [] }
    return filters.filter { $0.enabled && $0.kind == .outside }.map {
      FilterTools.unconfinedWarning($0.name)
    }
  }
}

extension FilterSettings {
  /// The plan of a filter that is applied within this process; `nil` for a filter that runs as a separate process, and
  /// for a privacy mask, which is not part of the chain of filters. A new kind of filter would be added here.
  fileprivate var plan: (any PictureFilterPlan)? {
    switch kind {
    case .colour: ColourFilterPlan(colour)
    case .sharpen: SharpenFilterPlan(sharpness: sharpness)
    case .skin: SkinFilterPlan(skin)
    case .mask, .frei0r, .outside, nil: nil
    }
  }
}

extension ColourFilterPlan {
  fileprivate init(_ colour: ColourSettings) {
    self.init()
    (brightness, contrast, saturation) = (colour.brightness, colour.contrast, colour.saturation)
    (temperature, tint) = (colour.temperature, colour.tint)
  }
}

extension SkinFilterPlan {
  fileprivate init(_ skin: SkinSettings) {
    let numbers = skin.effective
    self.init(white: numbers.white, buffing: numbers.buffing, ruddy: numbers.ruddy)
  }
}

extension ProcessFilterPlan {
  /// The plan of a filter that runs as a separate process; `nil` if this filter is of another kind.
  /// - Parameter sharers: how many filters run as separate processes, this one included.
  fileprivate init?(
    _ filter: FilterSettings, _ framesPerSecond: Int, _ sharers: Int, _ host: FilterHost
  ) {
    let (program, skin) = (filter.program, filter.skin.effective)
    let runs: FilterProgram
    switch (filter.kind, program.plugin) {
    case (.frei0r, let plugin?): runs = .frei0r(plugin.rawValue)
    case (.outside, _): runs = .outside(program.file)
    default: return nil
    }
    self.init(
      filter.name, runs, text: program.parameters,
      face: FaceParameters(
        white: skin.white, buffing: skin.buffing, ruddy: skin.ruddy, bigEye: program.bigEye,
        thinFace: program.thinFace, shortenFace: program.shortenFace, cheekPink: program.cheekPink),
      framesPerSecond: framesPerSecond, sharers: sharers, host: host)
  }
}

extension PrivacyMask.Region {
  fileprivate init?(_ filter: FilterSettings) {
    guard filter.kind == .mask else { return nil }
    let mask = filter.mask
    self.init(
      x: mask.x, y: mask.y, width: mask.width, height: mask.height,
      mask.style == .blocks
        ? .blocks
        : .solid(red: mask.cover.red, green: mask.cover.green, blue: mask.cover.blue))
  }
}
