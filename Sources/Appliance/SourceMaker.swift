// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Encode
internal import Glibc
internal import Media
internal import Picture
internal import Publish
internal import Settings

/// Makes the sources that the settings ask for.
struct SourceMaker {
  private let settings: Settings
  private let listener: @Sendable (String, SourceReport) -> Void
  private let beat = SecondBeat()
  /// When a file's first picture and first sound are due: the same moment for both.
  private let epoch = MediaTime.now() + .milliseconds(200)

  /// - Parameter listener: receives what each source reports, with the event's subject: "video" or "audio".
  init(settings: Settings, listener: @escaping @Sendable (String, SourceReport) -> Void) {
    self.settings = settings
    self.listener = listener
  }

  func pictures(into frames: NewestFrame) -> [any Source] {
    let video = settings.video
    let size = video.size
    let listener = self.listener
    let report: SourceListener = { listener("video", $0) }
    return switch video.source {
    case .camera(let path):
      [
        Camera(
          request: CameraRequest(
            path: path, size: video.sizeBeforeRotation, framesPerSecond: video.fps,
            format: CameraRequest.Format(video.cameraFormat)), frames: frames, report: report)
      ]
    case .pattern:
      [
        TestPattern(
          size: size, framesPerSecond: video.fps, beat: beat, frames: frames, report: report)
      ]
    case .pipe:
      [
        RawPipe(
          descriptor: STDIN_FILENO, size: size, colour: .bt709, frames: frames, report: report)
      ]
    case .file(let path):
      [FileVideo(path: path, epoch: epoch, frames: frames, report: report)]
    case .none: []
    }
  }

  func sound(into queue: PCMQueue) -> [any Source] {
    let listener = self.listener
    let report: SourceListener = { listener("audio", $0) }
    return switch settings.audio.source {
    case .microphone(let pcm):
      [Microphone(pcm: pcm, queue: queue, report: report)]
    case .tone: [Tone(beat: beat, queue: queue, report: report)]
    case .file(let path): [FileAudio(path: path, epoch: epoch, queue: queue, report: report)]
    // The mixer makes silence by itself where there is no source.
    case .silence, .none: []
    }
  }
}

// MARK: The settings' words in those of the modules that they are for

extension VideoSettings {
  /// The size to request from a camera: it becomes the broadcast's size after the rotation.
  var sizeBeforeRotation: PictureSize {
    rotate.swapsSides ? PictureSize(width: size.height, height: size.width) : size
  }
}

extension CameraRequest.Format {
  fileprivate init(_ wish: CameraFormat) {
    switch wish {
    case .auto: self = .automatic
    case .other: self = .other
    case .yuyv, .uyvy, .nv12, .nv21, .yu12, .mjpeg:
      self = PixelFormat(rawValue: wish.rawValue).map { .straight($0) } ?? .automatic
    }
  }
}

extension RTMPTarget {
  init(_ address: RTMPAddress, caFile: String) throws(Invalid) {
    try self.init(
      transport: address.isSecure ? .tls(authorities: caFile) : .plain, host: address.host,
      port: Int(address.port), app: address.app.reveal(),
      streamKey: address.playpath.reveal(), tcURL: address.tcURL.reveal())
  }
}

extension RTMPDeadlines {
  init(_ publish: PublishSettings) {
    self.init()
    retryPause = Int64(publish.reconnectSeconds * 1e9)
  }
}

extension VideoPlan {
  init(_ video: VideoSettings) {
    self.init(
      format: VideoFormat(
        size: video.size, framesPerSecond: video.fps, bitrateKbps: video.bitrateKbps,
        speed: video.speed ?? .veryfast, colour: .bt709),
      gopNanos: Int64(video.gopSeconds * 1e9),
      rotation: video.rotate, mirror: video.mirror,
      fit: video.fit)
  }
}
