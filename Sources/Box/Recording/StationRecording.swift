// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Recording
internal import Synchronization

// Commands for the recording, from the command line, HTTP and the buttons.

extension Station {
  /// The job thread on which `startRecording` is to be called, since it waits for the disk.
  package var recordingJobs: JobThread { recordings.jobs }

  /// Begins to record. Waits for the disk with the recordings.
  /// - Parameters:
  ///   - title: the text after the time in the names of the files; empty for none.
  ///   - mayOpenCamera: whether the caller may open camera and microphone off air.
  package func startRecording(
    _ title: String, mayOpenCamera: Bool, by origin: String
  ) -> ControlReply {
    let before = recordings.state.withLock { $0 }
    if !before.isOnAir, !mayOpenCamera {
      return ControlReply(
        fault: "scope_too_small",
        "Off air this opens the camera, which needs the scope \"control\".")
    }
    guard before.rules.cause(isOnAir: before.isOnAir) == nil else {
      return ControlReply(fault: "recording", "It is being recorded already.")
    }
    guard let folder = before.folder else { return ControlReply(RecordingObstacle.noPlace) }
    if let obstacle = RecordingKeeper.look(at: folder).obstacle { return ControlReply(obstacle) }
    let rules = recordings.state.withLock { state in
      state.rules.begin(.init(title: title, isOffAir: !state.isOnAir))
      state.origin = origin
      return state.rules
    }
    if rules.request?.isOffAir == false { recordings.save(rules) }
    return ControlReply(changed: true, "The recording begins.")
  }

  /// Ends the recording, whatever has begun it.
  package func stopRecording(by origin: String) -> ControlReply {
    let (rules, isOnAir) = recordings.state.withLock { state in
      guard state.rules.cause(isOnAir: state.isOnAir) != nil else {
        return (nil as RecordingRules?, false)
      }
      state.rules.stop()
      return (state.rules, state.isOnAir)
    }
    guard let rules else { return .notRecording }
    if isOnAir { recordings.save(rules) }
    events.note(.notice, "The recording was ended \(origin).")
    return ControlReply(changed: true, "The recording ends.")
  }

  /// Sets a mark in the recording.
  package func markRecording(by origin: String) -> ControlReply {
    guard let recorder = recordings.state.withLock({ $0.session?.recorder }),
      recorder.status.state != .waiting
    else { return .notRecording }
    recorder.mark()
    events.report(
      .recordMarked, subject: "record", "A mark was set in the recording \(origin).")
    return ControlReply(changed: true, "A mark is set.")
  }

  /// Ends the recording on the stick, and asks for the stick to be unmounted.
  package func ejectStick(by origin: String) -> ControlReply {
    guard let stick = recordings.stick.status, ["ready", "checking"].contains(stick.state) else {
      return ControlReply(fault: "no_stick", "No stick is plugged in that could be removed.")
    }
    recordings.remove(stick.id)
    events.note(.notice, "The stick is to be removed, \(origin).")
    return ControlReply(changed: true, "The stick is being removed: wait until the box says so.")
  }
}

extension ControlReply {
  fileprivate static let notRecording = ControlReply(
    fault: "not_recording", "Nothing is being recorded.")

  fileprivate init(_ obstacle: RecordingObstacle) {
    self.init(fault: obstacle.code, obstacle.sentence)
  }
}
