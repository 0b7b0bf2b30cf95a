// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Director
internal import Glibc
internal import Media
internal import Settings

/// Creates a camera for a request. Tests replace this function to create a fake camera.
typealias CameraMaker =
  @Sendable (CameraRequest, FrameQueue, MediaClock, @escaping SourceListener) -> any Source

/// Creates the video and audio sources that the settings name.
struct SourceMaker {
  /// Creates a real camera.
  static let camera: CameraMaker = { Camera(request: $0, frames: $1, clock: $2, report: $3) }

  /// Receives the reports of each source, with the input that the source is for.
  private let listener: @Sendable (StudioReport.Input, SourceReport) -> Void
  /// Receives the reports of the sources of audio tracks besides the main one, with the track's name.
  private let trackListener: @Sendable (String, SourceReport) -> Void
  /// Finds when each second of the wall clock starts: at these moments the test pattern flashes and the test tone
  /// beeps.
  private let beat = SecondBeat()
  /// The clock from which sources take the capture times.
  private let clock: MediaClock
  /// For each media file that is played, the time at which its playback starts: the same for video and audio.
  private let starts: FileStarts
  /// Records which media files have made the program crash.
  private let openings: FileOpenings
  /// Creates a camera: a real one, or a fake one in tests.
  private let cameras: CameraMaker
  /// Reads the guests, of whom one may take the place of the camera.
  private let guests: GuestLines
  /// The format of the audio that comes through pipes.
  private let pipeFormat: AudioPipeFormat

  /// - Parameters:
  ///   - trackListener: receives the reports of the sources of other audio tracks than the main one, by their names.
  ///   - listener: receives the reports of each other source, with the input that the source is for.
  init(
    clock: MediaClock = .system, openings: FileOpenings,
    cameras: @escaping CameraMaker = SourceMaker.camera, guests: GuestLines = GuestLines(),
    pipeFormat: AudioPipeFormat,
    trackListener: @escaping @Sendable (String, SourceReport) -> Void = { _, _ in },
    listener: @escaping @Sendable (StudioReport.Input, SourceReport) -> Void
  ) {
    self.trackListener = trackListener
    self.openings = openings
    self.cameras = cameras
    self.guests = guests
    self.pipeFormat = pipeFormat
    self.clock = clock
    starts = FileStarts(clock.now + .milliseconds(200))
    self.listener = listener
  }

  /// Creates the video source that the settings name.
  /// - Returns: `nil` if `video.source` is "none".
  func videoSource(_ video: VideoSettings, into frames: FrameQueue) -> (any Source)? {
    let listener = self.listener
    let report: SourceListener = { listener(.video, $0) }
    return switch video.sourceRequest {
    case .camera(let request): cameras(request, frames, clock, report)
    case .pattern(let size, let framesPerSecond):
      TestPattern(
        size: size, framesPerSecond: framesPerSecond, beat: beat, frames: frames, clock: clock,
        report: report)
    case .standardInput:
      VideoPipe(
        .standardInput(STDIN_FILENO), video.pipeFormat, frames: frames, clock: clock,
        report: report)
    case .pipe(let path, let format):
      VideoPipe(.path(path), format, frames: frames, clock: clock, report: report)
    case .file(let path):
      FileVideo(
        path: path, starts: starts, openings: openings, frames: frames, clock: clock,
        report: report)
    case .guest(let name):
      GuestCamera(name, of: guests, frames: frames, clock: clock, report: report)
    case .none: nil
    }
  }

  /// Creates the source of an audio track.
  /// - Parameter track: the name of the track.
  /// - Returns: `nil` if `source` is `.none`.
  func audioSource(
    _ source: AudioSource, track: String = SilencedTracks.main, into queue: PCMQueue
  ) -> (any Source)? {
    let (listener, trackListener) = (self.listener, self.trackListener)
    let report: SourceListener = {
      track == SilencedTracks.main ? listener(.audio, $0) : trackListener(track, $0)
    }
    return switch source {
    case .microphone(let pcm):
      Microphone(pcm: pcm, queue: queue, clock: clock, report: report)
    case .tone: Tone(beat: beat, queue: queue, clock: clock, report: report)
    case .file(let path):
      FileAudio(
        path: path, starts: starts, openings: openings, queue: queue, clock: clock, report: report)
    case .pipe(let path):
      AudioPipe(path: path, pipeFormat, queue: queue, clock: clock, report: report)
    case .silence: Silence(report: report)
    case .none: nil
    }
  }
}

/// The kind of a video source and its parameters, from the settings. When this value changes, the source is closed and
/// another one is opened.
enum VideoSourceRequest: Equatable {
  /// A camera and the mode that it is asked for.
  case camera(CameraRequest)
  /// A test pattern in this size.
  case pattern(PictureSize, framesPerSecond: Int)
  /// Raw frames from standard input. Their size and format stay those that the settings had when the source was opened.
  case standardInput
  /// Raw frames from a named pipe.
  case pipe(path: String, VideoPipeFormat)
  /// A media file that is played in a loop.
  case file(path: String)
  /// The frames of the guest with this name.
  case guest(name: String)
  /// No video.
  case none
}
