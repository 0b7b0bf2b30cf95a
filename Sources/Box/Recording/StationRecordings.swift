// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
package import Posix
internal import Recording
internal import Synchronization

/// A recording as the API writes it. The names of the fields are a contract.
public struct RecordingReply: Codable, Sendable, Equatable {
  /// A moment of a recording that a person may look for.
  public struct Mark: Codable, Sendable, Equatable {
    /// "hand", "pause" or "gap".
    public var kind: String
    public var seconds: Double
  }

  public var id: String
  /// The name without ".mp4".
  public var name: String
  /// The name of the file.
  public var file: String
  public var bytes: Int
  /// When the file was last written to: UTC in ISO 8601.
  public var modified: String
  /// The length; `nil` while it is recorded, and if the file cannot be read.
  public var seconds: Double?
  /// The picture size; `nil` without video.
  public var width: Int?, height: Int?
  public var marks: [Mark]
  /// Whether it is never removed to make room.
  public var kept: Bool
  /// Whether it is being recorded now.
  public var running: Bool

  init(_ recording: Recording) {
    id = recording.id
    file = recording.name
    name = recording.shownName
    bytes = recording.bytes
    modified = WallClock.text(recording.modifiedAt * 1_000)
    seconds = recording.seconds
    (width, height) = (recording.width, recording.height)
    marks = recording.marks.map { Mark(kind: $0.kind.rawValue, seconds: $0.seconds) }
    (kept, running) = (recording.isKept, recording.isRunning)
  }
}

/// The list of recordings as the API writes it. The names of the fields are a contract.
public struct RecordingsReply: Codable, Sendable, Equatable {
  public var recordings: [RecordingReply]
  /// Whether there are older ones.
  public var more: Bool
  /// The number and the size in bytes of all recordings.
  public var count: Int
  public var bytes: Int
  /// The free space and the size of the disk in bytes; `nil` if they are not known.
  public var freeBytes: Int?
  public var totalBytes: Int?
}

/// Why a request about recordings fails.
package struct RecordingFault: Error {
  package enum Kind { case missing, unfit, conflict }

  package let kind: Kind
  /// The reason as a code for programs, and as a sentence with what to do.
  package let code: String
  package let sentence: String

  init(_ error: RecordingError) {
    (kind, code, sentence) =
      switch error {
      case .missing: (.missing, "no_such_recording", "There is no such recording.")
      case .isRunning:
        (.conflict, "is_recorded", "It is still being recorded: end the recording first.")
      case .badName: (.unfit, "unfit_name", "A recording cannot have this name.")
      case .nameTaken: (.conflict, "name_taken", "There is a recording of this name already.")
      case .undecodable:
        (.missing, "no_picture", "There is no picture of this recording.")
      case .folder(let trouble):
        (.conflict, trouble.code, RecordingObstacle(trouble).sentence)
      }
  }

  fileprivate init(_ obstacle: RecordingObstacle) {
    (kind, code, sentence) = (.conflict, obstacle.code, obstacle.sentence)
  }
}

// The recordings of the present place. Each call waits for the disk, so it belongs on `recordingJobs`.

extension Station {
  /// Most recordings of a list.
  package static let mostListed = 1_000

  /// The newest recordings.
  /// - Parameter id: lists only those older than this one; `nil` for all.
  package func listRecordings(
    most: Int, after id: String?
  ) throws(RecordingFault) -> RecordingsReply {
    try withFolder { (folder) throws(RecordingError) in
      let all = try folder.list()
      var rest = all[...]
      if let id { rest = all.drop { $0.id != id }.dropFirst() }
      let space = try? folder.space()
      return RecordingsReply(
        recordings: rest.prefix(most).map { RecordingReply($0) }, more: rest.count > most,
        count: all.count, bytes: all.reduce(0) { $0 + $1.bytes }, freeBytes: space?.free,
        totalBytes: space?.total)
    }
  }

  package func recording(_ id: String) throws(RecordingFault) -> RecordingReply {
    try withFolder { (folder) throws(RecordingError) in RecordingReply(try folder.recording(id)) }
  }

  /// Changes the name of a recording, and whether it is kept; `nil` leaves each as it is.
  package func changeRecording(
    _ id: String, name: String?, kept: Bool?, by origin: String
  ) throws(RecordingFault) -> RecordingReply {
    let (old, new) = try withFolder { (folder) throws(RecordingError) in
      let old = try folder.recording(id)
      var new = old
      if let kept { new = try folder.keep(id, kept) }
      if let name { new = try folder.rename(id, to: name) }
      return (old, new)
    }
    if new.name != old.name {
      tell(new, "The recording \(old.quotedName) is called \(new.quotedName) now, \(origin).")
    }
    if new.isKept != old.isKept {
      tell(
        new,
        "The recording \(new.quotedName) is \(new.isKept ? "kept" : "not kept") now, \(origin)."
      )
    }
    return RecordingReply(new)
  }

  /// Deletes a recording. For a minute, `restoreRecording` brings it back.
  package func deleteRecording(_ id: String, by origin: String) throws(RecordingFault) {
    let old = try withFolder { (folder) throws(RecordingError) in
      let old = try folder.recording(id)
      try folder.delete(id)
      return old
    }
    recordings.noteDeletion()
    tell(old, "The recording \(old.quotedName) was deleted \(origin).")
  }

  package func restoreRecording(
    _ id: String, by origin: String
  ) throws(RecordingFault) -> RecordingReply {
    let old = try withFolder { (folder) throws(RecordingError) in try folder.undoDelete(id) }
    tell(old, "The recording \(old.quotedName) was brought back \(origin).")
    return RecordingReply(old)
  }

  /// Opens the file of a recording.
  package func openRecording(
    _ id: String
  ) throws(RecordingFault) -> (recording: RecordingReply, file: OpenFile) {
    try withFolder { (folder) throws(RecordingError) in
      (RecordingReply(try folder.recording(id)), try folder.open(id))
    }
  }

  /// A picture of a recording as JPEG.
  package func recordingPicture(_ id: String) throws(RecordingFault) -> [UInt8] {
    try withFolder { (folder) throws(RecordingError) in try folder.thumbnail(id) }
  }

  private func withFolder<Result>(
    _ body: (RecordingFolder) throws(RecordingError) -> Result
  ) throws(RecordingFault) -> Result {
    guard let folder = recordings.state.withLock({ $0.folder }) else {
      throw RecordingFault(RecordingObstacle.noPlace)
    }
    do throws(RecordingError) { return try body(folder) } catch { throw RecordingFault(error) }
  }

  private func tell(_ recording: Recording, _ sentence: String) {
    events.report(.recordingsChanged, subject: recording.id, sentence)
  }
}

extension Recording {
  /// The name in quotes, without ".mp4".
  fileprivate var quotedName: String { "\"\(shownName.onOneLine)\"" }
}
