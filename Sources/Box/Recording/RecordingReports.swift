// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Events
internal import Figures
internal import Recording
internal import Settings
internal import Synchronization

// What is told of recordings: events, and the status.

extension RecordingKeeper {
  /// Reports what begins or ends to be wrong with the recording, its disk and the stick.
  func report(_ now: MediaTime) {
    let stickStatus = stick.status
    let refusal = studio.secondVideoRefusal
    let (reports, sticks) = state.withLock { state in
      var reading = state.reading
      if let session = state.session, session.video == .programme {
        reading.programme = .recorded
      } else if state.session != nil, let refusal {
        reading.programme = .refused(refusal)
      }
      return (
        state.watch.check(reading, now: now),
        state.stickRules.check(stickStatus, isUsed: state.settings.record.directory.isEmpty)
      )
    }
    for report in sticks {
      events.report(
        report.code, level: report.cause == nil ? .notice : .warning, subject: "stick",
        cause: report.cause, report.sentence)
    }
    for report in reports { handle(report) }
  }

  private func handle(_ report: RecordingWatch.Report) {
    switch report {
    case .failed(let obstacle, let isLater):
      events.report(
        .recordFailed, level: .warning, subject: "record", cause: obstacle.code,
        isLater ? obstacle.laterSentence : obstacle.sentence)
    case .back: events.report(.recordBack, subject: "record", "It can be recorded again.")
    case .forgotten: events.endTrouble("record")
    case .gap(let nanos, let frames):
      let seconds = Int((nanos + 500_000_000) / 1_000_000_000)
      events.report(
        .recordGap, level: .warning, subject: "record",
        "The recording has a gap of \(Phrase.duration(max(1, seconds))) (\(Phrase.count(frames, "frame"))): the disk was too slow or failed."
      ) { $0.seconds = seconds }
    case .roomLow(let seconds):
      events.report(
        .recordRoomLow, level: .warning, subject: "record room",
        "The disk for recordings has room for \(Phrase.duration(seconds)) only: delete recordings, or take another disk."
      )
    case .asSent(let reason):
      events.report(
        .recordAsSent, subject: "record video",
        reason == .filter
          ? "The recording has the picture that viewers get: a filter runs as a program of its own, which takes one picture only."
          : "The recording has the picture that viewers get: the processor has no time for a second one."
      )
    case .asProgramme:
      events.report(
        .recordAsProgramme, subject: "record video",
        "The recording has the full picture again, whatever the network can carry.")
    case .removed(let count):
      events.report(
        .recordingsRemoved, subject: "record",
        "\(Phrase.count(count, "recording")) \(count == 1 ? "was" : "were") deleted to make room, the oldest first (record.remove_oldest)."
      )
    case .roomBack:
      events.report(
        .recordRoomBack, subject: "record room", "There is enough room for recordings again.")
    }
  }

  /// What is recorded now, and where.
  func status() -> Status.Record {
    let stickStatus = stick.status
    return state.withLock { state in
      var record = Status.Record()
      let reading = state.reading
      record.offAir = state.isOffAir
      record.place = state.place.word
      record.directory = state.place.directory
      record.stick = stickStatus
      if reading.isWanted || reading.isExpected || state.place != .none {
        record.cause = reading.obstacle?.code
        record.sentence = reading.obstacle?.sentence
      }
      record.freeBytes = reading.recorder?.freeBytes ?? state.look.freeBytes
      record.totalBytes = state.look.totalBytes
      record.roomSeconds = reading.room?.seconds
      record.roomLow = state.watch.isRoomLow ? true : nil
      if reading.isWanted { record.state = reading.obstacle == nil ? "waiting" : "failed" }
      guard let session = state.session, let recorder = reading.recorder else { return record }
      record.state = recorder.state.word
      record.by = session.cause.rawValue
      record.what = session.video.rawValue
      record.id = recorder.id
      record.name = recorder.shownName
      record.began = WallClock.text(recorder.beganAt)
      record.seconds = Int(recorder.nanos / 1_000_000_000)
      record.bytes = recorder.bytes
      record.files = recorder.files
      record.gaps = recorder.gaps
      record.gapSeconds = Double(recorder.gapNanos / 100_000_000) / 10
      return record
    }
  }
}

extension RecordingKeeper {
  /// The recording for the metrics; `nil` if there is no place for recordings and none is wanted.
  var figures: FigureReading.Recording? {
    let (reading, place, look) = state.withLock { ($0.reading, $0.place, $0.look) }
    guard place != .none || reading.isWanted else { return nil }
    var figures = FigureReading.Recording()
    figures.isFailing = reading.isWanted && reading.obstacle != nil
    figures.freeBytes = reading.recorder?.freeBytes ?? look.freeBytes
    figures.roomSeconds = reading.room?.seconds
    guard let recorder = reading.recorder else { return figures }
    figures.isRunning = recorder.state == .recording
    figures.seconds = Double(recorder.nanos) / 1e9
    (figures.bytes, figures.gaps) = (recorder.bytes, recorder.gaps)
    figures.gapSeconds = Double(recorder.gapNanos) / 1e9
    return figures
  }
}

extension RecordingObstacle {
  /// The reason as a sentence, while nothing is to be recorded yet.
  fileprivate var laterSentence: String { "Broadcasts cannot be recorded: \(reason)." }
}

extension RecorderState {
  /// The value of `Status.Record.state`.
  fileprivate var word: String {
    switch self {
    case .waiting: "waiting"
    case .recording: "recording"
    case .paused: "paused"
    case .failed: "failed"
    case .stopped: "off"
    }
  }
}

extension RecordingKeeper.State {
  /// What the rules about reports have to know.
  var reading: RecordingWatch.Reading {
    var reading = RecordingWatch.Reading()
    reading.isWanted = rules.cause(isOnAir: isOnAir) != nil
    reading.isExpected = settings.record.start != .hand
    let recorder = session?.recorder.status
    reading.recorder = recorder
    reading.obstacle =
      folder == nil
      ? .noPlace
      : session == nil
        ? look.obstacle : recorder?.state.trouble.map { RecordingObstacle($0) }
    reading.room = room(recorder)
    return reading
  }

  /// The free space and the time for which it lasts: at the present rate, or at the bit rates of the settings.
  private func room(_ recorder: RecorderStatus?) -> RecordingWatch.Room? {
    guard let total = look.totalBytes, let free = recorder?.freeBytes ?? look.freeBytes else {
      return nil
    }
    let usable = max(0, free - settings.record.keepFreeMB * 1_000_000)
    let seconds = recorder?.secondsLeft ?? usable / max(1, settings.bytesPerSecond)
    return RecordingWatch.Room(usableBytes: usable, totalBytes: total, seconds: seconds)
  }

  /// The sentence of the event that a recording begins.
  func beginning(of cause: RecordingRules.Cause) -> String {
    let start =
      switch cause {
      case .hand: "A recording was started \(origin)."
      case .broadcast: "The broadcast is recorded."
      case .always: "The box records, since record.start is \"always\"."
      }
    guard !isOnAir, let devices = settings.roomDevices else { return start }
    return "\(start) Off air, \(devices) open for it."
  }
}

extension Settings {
  /// The bytes of a second of a recording, at the bit rates of the settings.
  var bytesPerSecond: Int { (video.targetKbps + audio.bitrateKbps) * 1_000 / 8 }
}

extension RecorderStatus {
  /// The sentence of the event that a recording has ended.
  func ending(isFinished: Bool) -> String {
    guard files > 0 else { return "The recording has ended: nothing was recorded." }
    let figures = [
      Phrase.count(files, "file"), Phrase.duration(Int(nanos / 1_000_000_000)),
      "\(bytes / 1_000_000) MB",
    ].joined(separator: ", ")
    return "The recording has ended: \(figures)."
      + (gaps > 0 ? " Parts are missing in it (\(Phrase.count(gaps, "gap")))." : "")
      + (isFinished
        ? "" : " The disk does not respond: the last file is finished when it does.")
  }
}
