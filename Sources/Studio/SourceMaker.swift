// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Encode
internal import Glibc
internal import Media
internal import Publish
internal import RateControl
internal import Settings
internal import Video

/// Creates the sources that the settings ask for.
struct SourceMaker {
  private let listener: @Sendable (StudioReport.Input, SourceReport) -> Void
  private let beat = SecondBeat()
  private let clock: MediaClock
  /// When the first frame and the first sample of files are due.
  private let epoch: MediaTime

  /// - Parameter listener: receives what each source reports, with its input.
  init(
    clock: MediaClock = .system,
    listener: @escaping @Sendable (StudioReport.Input, SourceReport) -> Void
  ) {
    self.clock = clock
    epoch = clock.now + .milliseconds(200)
    self.listener = listener
  }

  func videoSources(_ video: VideoSettings, into frames: FrameQueue) -> [any Source] {
    let size = video.size
    let listener = self.listener
    let report: SourceListener = { listener(.video, $0) }
    return switch video.sourceRequest {
    case .camera(let request):
      [Camera(request: request, frames: frames, clock: clock, report: report)]
    case .pattern:
      [
        TestPattern(
          size: size, framesPerSecond: video.fps, beat: beat, frames: frames, clock: clock,
          report: report)
      ]
    case .pipe:
      [
        RawPipe(
          descriptor: STDIN_FILENO, size: size, colour: .bt709, frames: frames, clock: clock,
          report: report)
      ]
    case .file(let path):
      [FileVideo(path: path, epoch: epoch, frames: frames, clock: clock, report: report)]
    case .none: []
    }
  }

  func audioSources(_ audio: AudioSettings, into queue: PCMQueue) -> [any Source] {
    let listener = self.listener
    let report: SourceListener = { listener(.audio, $0) }
    return switch audio.source {
    case .microphone(let pcm):
      [Microphone(pcm: pcm, queue: queue, clock: clock, report: report)]
    case .tone: [Tone(beat: beat, queue: queue, clock: clock, report: report)]
    case .file(let path):
      [FileAudio(path: path, epoch: epoch, queue: queue, clock: clock, report: report)]
    // The mixer writes silence while no source delivers.
    case .silence, .none: []
    }
  }
}

/// What is asked of a video source. A source is opened again when this changes.
enum VideoSourceRequest: Equatable {
  case camera(CameraRequest)
  case pattern(PictureSize, framesPerSecond: Int)
  /// Its frames keep the size that `video.size` had when it was opened.
  case pipe
  case file(path: String)
  case none
}

// MARK: Conversion of the settings to the types of other modules

extension VideoSettings {
  /// The frame size to request of a camera, so that the rotated frame has the broadcast's size.
  var sizeBeforeRotation: PictureSize {
    rotate.swapsSides ? PictureSize(width: size.height, height: size.width) : size
  }
}

extension VideoSettings {
  var sourceRequest: VideoSourceRequest {
    switch source {
    case .camera(let path):
      .camera(
        CameraRequest(
          path: path, size: sizeBeforeRotation, framesPerSecond: fps,
          format: CameraRequest.Format(cameraFormat)))
    case .pattern: .pattern(size, framesPerSecond: fps)
    case .pipe: .pipe
    case .file(let path): .file(path: path)
    case .none: .none
    }
  }
}

extension EncodingPlan {
  /// What the settings ask for.
  init(asked settings: Settings) {
    let (video, audio) = (settings.video, settings.audio)
    self.init(
      videoKbps: video.targetKbps, framesPerSecond: video.fps, size: video.size,
      speed: video.speed ?? .veryfast, gopNanos: Int64(video.gopSeconds * 1e9),
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
  /// Bytes of a destination's queue.
  var queueBytes: Int {
    Destination.queueBytes(bitrateKbps: video.targetKbps + audio.bitrateKbps)
  }
}

extension NetworkSettings {
  var behindNanos: Int64 { Int64(maxBehindSeconds * 1e9) }
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
        size: video.size, framesPerSecond: video.fps, bitrateKbps: video.targetKbps,
        speed: video.speed ?? .veryfast, colour: .bt709),
      gopNanos: Int64(video.gopSeconds * 1e9),
      rotation: video.rotate, mirror: video.mirror,
      fit: video.fit)
  }
}
