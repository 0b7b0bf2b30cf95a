// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Recording
internal import Settings
internal import Studio
internal import Synchronization

/// One recording from its beginning to its end: a recorder, and the studio that it keeps open.
final class RecordingSession: Sendable {
  /// What has begun the recording.
  let cause: RecordingRules.Cause
  let folder: RecordingFolder
  let recorder: Recorder
  /// Keeps video and audio open.
  private let input: StudioUser
  /// Whether each audio track is recorded by itself, too.
  private let hasTracks = Atomic(false)
  /// Passes the video that `record.what` asks for to the recorder.
  private let videoSwitch: VideoSwitch
  /// Passes packets to the recorder. It needs nothing: while the recorder finishes, the camera may be closed, but a pause
  /// still has to reach what waits to be written.
  private let output: StudioUser

  /// Begins to record.
  /// - Parameter isPaused: whether the broadcast is paused.
  /// - Returns: `nil` if the system cannot create a thread.
  init?(
    _ cause: RecordingRules.Cause, _ recorder: Recorder, in folder: RecordingFolder,
    studio: Studio, settings: Settings, isPaused: Bool
  ) {
    guard recorder.start() else { return nil }
    (self.cause, self.folder, self.recorder) = (cause, folder, recorder)
    if isPaused { recorder.setPaused(true) }
    var needs: StudioNeeds = []
    if settings.video.source != .none { needs.insert(.video) }
    if settings.audio.source != .none { needs.insert(.audio) }
    input = studio.enter(needs)
    output = studio.enter([])
    videoSwitch = output.addSwitched(recorder)
    follow(settings)
  }

  /// Applies what has changed in the settings.
  func follow(_ settings: Settings) {
    videoSwitch.want(settings.record.what == .programme)
    let separates = settings.record.separatesTracks
    guard separates != hasTracks.exchange(separates, ordering: .relaxed) else { return }
    if separates {
      output.addTracks { [recorder] name in recorder.addAudioTrack(name) }
    } else {
      output.addTracks(nil)
      recorder.removeAudioTracks()
    }
  }

  /// What is recorded now.
  var video: RecordedVideo { videoSwitch.passesSecond ? .programme : .sent }

  /// Records nothing from now on.
  func silence() { output.silence() }

  /// Records nothing from now on, and lets the studio close what nobody else needs.
  func leave() {
    silence()
    input.leave()
  }

  /// Writes what waits, and finishes the file. To be called after `leave`.
  /// - Returns: `false` if the disk still hangs at `deadline`; the file is mended later.
  func finish(by deadline: MediaTime) -> Bool {
    defer { output.leave() }
    return recorder.stop(by: deadline)
  }
}

extension RecorderOptions {
  /// - Parameter title: the text after the time in the names of the files.
  init(_ settings: Settings, title: String) {
    let record = settings.record
    self.init(
      title: title, cutMinutes: record.cutMinutes, cutMB: record.cutMB,
      keepFreeMB: record.keepFreeMB, removesOldest: record.removesOldest,
      pauses: settings.pause.recording)
  }
}
