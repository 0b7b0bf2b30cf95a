// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment of a recording that a person may look for.
public struct RecordingMark: Codable, Equatable, Sendable {
  /// What happened.
  public enum Kind: String, Codable, Sendable {
    /// A person set the mark.
    case hand
    /// The broadcast was paused.
    case pause
    /// Packets are missing: the disk did not keep up.
    case gap
  }

  /// What happened.
  public var kind: Kind
  /// The position in the recording in seconds.
  public var seconds: Double

  public init(_ kind: Kind, seconds: Double) {
    self.kind = kind
    self.seconds = seconds
  }
}

/// A recording in a folder.
public struct Recording: Equatable, Sendable {
  /// The name of the file.
  public var name: String
  /// The size of the file in bytes.
  public var bytes: Int
  /// When the file was last written to, in seconds since 1970-01-01 UTC.
  public var modifiedAt: Int64
  /// The length in seconds; `nil` if the file is being written or cannot be read.
  public var seconds: Double?
  /// The picture size; `nil` if there is no video or the file cannot be read.
  public var width: Int?, height: Int?
  /// Pauses, gaps and what was marked by hand, in their order.
  public var marks: [RecordingMark] = []
  /// Whether the recording is to be kept: it is never removed to make room.
  public var isKept = false
  /// Whether the file is being written now.
  public var isRunning = false

  /// Identifies the recording for programs: 16 hexadecimal digits made of its name. A new name makes a new ID.
  public var id: String { RecordingName.id(of: name) }
}

/// Why a recording cannot be listed, read or changed.
public enum RecordingError: Error, Hashable, Sendable {
  /// There is no recording of this ID.
  case missing
  /// The recording is being written.
  case isRunning
  /// The new name is empty, too long, or has characters that file systems refuse.
  case badName
  /// Another recording has the new name.
  case nameTaken
  /// The recording cannot be decoded.
  case undecodable
  /// The folder cannot be used.
  case folder(RecordingTrouble)
}
