// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// A stick or a card that is plugged in, as the root unit of the box reports it (systemd/onair-media).
public struct Stick: Hashable, Sendable {
  /// Why a stick cannot be used. The raw values are those of the unit.
  public enum Problem: String, CaseIterable, Sendable {
    /// It has a file system that OnAir does not write to, such as NTFS.
    case format
    case encrypted
    /// It cannot be mounted, or for reading only.
    case damaged
    /// Its switch forbids writing.
    case readOnly = "read_only"
    /// Another stick has the same UUID: one is a copy of the other.
    case sameID = "same_id"
    /// The folder for OnAir's files cannot be made, since something else has its name.
    case folder
    /// There is no room for a folder.
    case full
  }

  public enum State: Hashable, Sendable {
    /// Its file system is being checked or mounted.
    case checking
    /// OnAir's files go into the folder `directory`.
    case ready(directory: String)
    /// It is unmounted and can be pulled.
    case removed
    case unusable(Problem)
  }

  /// The name of its device: "sda1". It has another one when it is plugged in again.
  public let device: String
  /// The UUID of its file system, or `device` if it has none.
  public let id: String
  /// The name that a person gave it; empty if it has none.
  public let label: String
  /// The type of its file system, as blkid(8) calls it: "exfat".
  public let fileSystem: String
  public let sizeBytes: Int
  /// The free bytes when it was mounted; `nil` if it is not.
  public let freeBytes: Int?
  public let state: State
  /// How often it could not be unmounted on request since it was plugged in.
  public let refusals: Int

  /// The folder for OnAir's files; `nil` unless the stick is ready.
  public var directory: String? {
    guard case .ready(let directory) = state else { return nil }
    return directory
  }

  /// Parses the file of a device.
  /// - Returns: `nil` if `text` lacks what each stick has.
  init?(device: String, text: String, in media: String) {
    var values: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    guard let id = values["id"], !id.isEmpty, let state = values["state"] else { return nil }
    switch state {
    case "checking": self.state = .checking
    case "ready":
      guard let directory = values["directory"], directory.hasPrefix("\(media)/\(id)/") else {
        return nil
      }
      self.state = .ready(directory: String(directory))
    case "removed": self.state = .removed
    case "unusable":
      self.state = .unusable(
        values["problem"].flatMap { Problem(rawValue: String($0)) } ?? .damaged)
    default: return nil
    }
    self.device = device
    self.id = String(id)
    label = Stick.decoded(values["label"] ?? "")
    fileSystem = String(values["type"] ?? "")
    sizeBytes = values["size"].flatMap { Int($0) } ?? 0
    freeBytes = values["free"].flatMap { Int($0) }
    refusals = values["refused"].flatMap { Int($0) } ?? 0
  }

  /// Decodes what udev encodes: "\x20" for a byte that is unusual in a name.
  private static func decoded(_ label: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(label.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3,
        let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self).onOneLine
  }
}

extension Stick {
  /// Why it cannot be used and what to do, as a sentence for people; `nil` if nothing is wrong with it.
  public var sentence: String? {
    guard case .unusable(let problem) = state else { return nil }
    return problem.sentence(fileSystem)
  }
}

extension Stick.Problem {
  /// The problem and what to do, as a sentence for people.
  /// - Parameter fileSystem: the type of the stick's file system.
  public func sentence(_ fileSystem: String) -> String {
    switch self {
    case .format:
      "The stick has a format that OnAir cannot write (\(fileSystem)): format it as exFAT."
    case .encrypted: "The stick is encrypted: format it as exFAT."
    case .damaged: "The stick is damaged: format it as exFAT, or take another one."
    case .readOnly: "The stick can only be read: move its switch, or take another one."
    case .sameID: "The stick is a copy of another one that is plugged in: use one of them."
    case .folder: "Something on the stick has the name OnAir and is no folder: rename it."
    case .full: "The stick is full: delete something on it."
    }
  }
}
