// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Status {
  /// What is recorded now, and where.
  public struct Record: Codable, Sendable, Equatable {
    /// The stick that is plugged in.
    public struct Stick: Codable, Sendable, Equatable {
      public var id: String
      /// The name that a person has given it; may be empty.
      public var label: String
      /// "vfat", "exfat", "ext4", "ntfs" and others.
      public var fileSystem: String
      /// The size, and the free space if it is known, in bytes.
      public var bytes: Int
      public var freeBytes: Int?
      public var readOnly: Bool
      /// "checking", "ready", "removing", "removed" (it can be pulled) or "unusable".
      public var state: String
      /// "fast", "slow", "stalls" or "fake"; `nil` before it was measured.
      public var speed: String?
      /// Why it cannot be used, as a code; `nil` if it can.
      public var problem: String?
      /// What is wrong with it, and what to do; `nil` if nothing is.
      public var sentence: String?

      public init(
        id: String, label: String, fileSystem: String, bytes: Int, freeBytes: Int? = nil,
        readOnly: Bool = false, state: String, speed: String? = nil, problem: String? = nil,
        sentence: String? = nil
      ) {
        (self.id, self.label, self.fileSystem) = (id, label, fileSystem)
        (self.bytes, self.freeBytes, self.readOnly) = (bytes, freeBytes, readOnly)
        (self.state, self.speed, self.problem) = (state, speed, problem)
        self.sentence = sentence
      }
    }

    /// "off", "waiting" (for the first frame), "recording", "paused" (the pause is left out) or "failed".
    public var state = "off"
    /// What has begun it: "hand", "broadcast" or "always"; `nil` while it is off.
    public var by: String?
    /// Which video is recorded now: "sent" or "programme"; `nil` while it is off.
    public var what: String?
    /// Whether the camera is open for it without a broadcast.
    public var offAir = false
    /// The ID of the present file, and its name without ".mp4"; `nil` while there is none.
    public var id: String?
    public var name: String?
    /// When the recording began: UTC in ISO 8601; `nil` while it is off.
    public var began: String?
    /// The length in seconds, the size in bytes and the number of all files of this recording; `nil` while it is off.
    public var seconds: Int?
    public var bytes: Int?
    public var files: Int?
    /// How often frames are missing, and the length of these gaps in seconds; `nil` while it is off.
    public var gaps: Int?
    public var gapSeconds: Double?
    /// The free space and the size of the disk in bytes, and the time in seconds for which the space lasts; `nil` where
    /// they are not known.
    public var freeBytes: Int?
    public var totalBytes: Int?
    public var roomSeconds: Int?
    /// Whether the free space runs out; `nil` if not.
    public var roomLow: Bool?
    /// Where the box records: "none", "folder" or "stick".
    public var place = "none"
    /// The path of the folder; `nil` without a place.
    public var directory: String?
    /// Why it cannot record, as a code and as a sentence; `nil` if it can.
    public var cause: String?
    public var sentence: String?
    /// `nil` without a stick.
    public var stick: Stick?

    public init() {}

    /// Removes what changes all the time.
    mutating func forgetCounters() {
      (seconds, bytes, freeBytes, totalBytes) = (nil, nil, nil, nil)
      (roomSeconds, gapSeconds) = (nil, nil)
      stick?.freeBytes = nil
    }

    /// The recording as a line of `onair status`; `nil` if there is nothing to tell.
    var words: String? {
      let figures = [
        seconds.map { Phrase.duration($0) }, bytes.map { "\($0 / 1_000_000) MB" },
        gaps.flatMap { $0 > 0 ? Phrase.count($0, "gap") : nil },
        roomSeconds.map { "room for \(Phrase.duration($0))" },
      ].compactMap(\.self).joined(separator: ", ")
      let full = what == "programme" ? ", the full picture" : ""
      let air = offAir ? ", off air: the camera is open" : ""
      switch state {
      case "off": return nil
      case "failed": return sentence ?? "nothing can be recorded"
      default: return "\(state)\(air)\(full) (\(figures))"
      }
    }
  }
}
