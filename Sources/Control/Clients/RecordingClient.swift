// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box
internal import Figures
internal import NIOCore

// Recordings, for the command line.

extension ControlClient {
  /// The most recordings that one request asks for.
  private static let mostListed = 1_000
  /// The time to wait for a list: the first one of a slow stick reads a part of each file.
  private static let listTimeout = TimeAmount.seconds(120)

  /// All recordings, the newest first.
  package static func recordings(directory: String) throws(ControlError) -> RecordingsReply {
    var all = try recordings(after: nil, directory: directory)
    while all.more, let last = all.recordings.last {
      let part = try recordings(after: last.id, directory: directory)
      all.recordings += part.recordings
      all.more = part.more
    }
    return all
  }

  private static func recordings(
    after id: String?, directory: String
  ) throws(ControlError) -> RecordingsReply {
    let after = id.map { "&after=\($0)" } ?? ""
    let bytes = try request(
      .GET, "/api/recordings?limit=\(mostListed)\(after)", within: listTimeout,
      directory: directory)
    try refuse(bytes)
    return try decode(RecordingsReply.self, bytes)
  }

  /// Begins to record.
  /// - Parameter name: follows the time in the name of the file; `nil` for none.
  package static func startRecording(
    _ name: String?, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Start: Encodable { var name: String? }
    return try post("record/start", Start(name: name), directory: directory)
  }

  /// - Parameter word: "stop", "mark" or "eject".
  package static func record(
    _ word: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.POST, "/api/record/\(word)", directory: directory))
  }

  /// Gives a recording another name, or says whether it is kept; `nil` leaves each as it is.
  package static func changeRecording(
    _ id: String, name: String? = nil, kept: Bool? = nil, directory: String
  ) throws(ControlError) -> RecordingReply {
    struct Change: Encodable { var name: String?, kept: Bool? }
    let bytes = try request(
      .PATCH, "/api/recordings/\(id)", JSON.encode(Change(name: name, kept: kept)),
      directory: directory)
    try refuse(bytes)
    return try decode(RecordingReply.self, bytes)
  }

  /// Deletes a recording.
  package static func deleteRecording(
    _ id: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.DELETE, "/api/recordings/\(id)", directory: directory))
  }

  /// Brings a deleted recording back.
  package static func restoreRecording(
    _ id: String, directory: String
  ) throws(ControlError) -> RecordingReply {
    let bytes = try request(.POST, "/api/recordings/\(id)/undo", directory: directory)
    try refuse(bytes)
    return try decode(RecordingReply.self, bytes)
  }

  /// Throws the sentence of an answer that refuses the request.
  private static func refuse(_ bytes: [UInt8]) throws(ControlError) {
    guard let reply = try? JSON.decode(ControlReply.self, bytes), !reply.ok else { return }
    throw ControlError(reason: reply.sentence ?? "It is refused.", isRefusal: true)
  }
}
