// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Posix

/// The file with the access record. If the file is missing, the box has no password yet. If the file is there but
/// cannot be used, nobody may set a password.
struct AccessFile: Sendable {
  /// What the file contains, or why it cannot be used.
  enum Contents: Sendable {
    case missing
    case record(AccessRecord)
    case unreadable(AccessError)
  }

  /// The name that a reset gives to a file that cannot be used.
  static let asideName = "access.json.unreadable"
  /// The name of the file in the state directory.
  static var name: String { file.name }
  /// The name and the size limit of the file. The limit is several times what 64 sessions, 32 tokens and 32 browsers
  /// need.
  private static let file = StateFile<AccessEnvelope>("access.json", limit: 65_536)

  /// The path of the state directory, which holds the file.
  let directory: String
  /// The clock on which sessions' times of last use are measured while the program runs.
  let clock: MediaClock
  /// The time of day, in which the file states when sessions were last used.
  let wallClock: WallClock

  /// Reads the file.
  func load() -> Contents {
    do throws(PrivateFileError) {
      guard let envelope = try Self.file.read(in: directory) else { return .missing }
      let record = AccessRecord(envelope, now: clock.now, wall: wallClock.seconds)
      guard let record else { throw .malformed }
      return .record(record)
    } catch {
      return .unreadable(.unreadable(directory: directory, reason: error.sentence))
    }
  }

  /// Replaces the file atomically: after a power cut, either the old or the new file is there.
  func save(_ record: AccessRecord) throws(AccessError) {
    do throws(SystemError) {
      try Self.file.write(
        record.envelope(now: clock.now, wall: wallClock.seconds), in: directory)
    } catch {
      throw notSaved(error)
    }
  }

  /// Removes the file. That works on a full disk, too.
  func remove() throws(AccessError) {
    do throws(SystemError) {
      try Self.file.remove(in: directory)
    } catch {
      // With ENOENT, somebody has removed the file by hand already.
      guard error.code == ENOENT else { throw notSaved(error) }
    }
  }

  /// Renames the file to `asideName`, so that a person can examine it.
  func setAside() throws(AccessError) {
    do throws(SystemError) {
      try File.setAside(Self.name, as: Self.asideName, in: directory)
    } catch {
      throw notSaved(error)
    }
  }

  /// Makes the error for a failed change of the file.
  private func notSaved(_ error: SystemError) -> AccessError {
    .notSaved(directory: directory, reason: error.description)
  }
}
