// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media
internal import Posix

/// The file with the record. Only a missing file means that there is no password: one that cannot be used never does.
struct AccessFile: Sendable {
  enum Contents: Sendable {
    case missing
    case record(AccessRecord)
    case unreadable(AccessError)
  }

  static let name = "access.json"
  /// Where a reset puts a file that cannot be used.
  static let asideName = "access.json.unreadable"
  /// Bytes of the file at most: several times what 64 sessions, 32 tokens and 32 browsers need.
  private static let longest = 65_536

  let directory: String
  let clock: MediaClock
  let wallClock: WallClock

  func load() -> Contents {
    do throws(PrivateFileError) {
      // One byte more shows that it is too long.
      let bytes = try File.readPrivate(Self.name, in: directory, limit: Self.longest + 1)
      guard bytes.count <= Self.longest else { return unreadable("is too long") }
      do throws(AccessRecord.Malformed) {
        return .record(
          try AccessRecord(json: bytes, now: clock.now, wall: wallClock.seconds))
      } catch {
        return unreadable("is damaged, or of another version of OnAir")
      }
    } catch {
      return error == .missing ? .missing : unreadable(error.sentence)
    }
  }

  /// Replaces the file as a whole: after a power cut it is either the old or the new one.
  func save(_ record: AccessRecord) throws(AccessError) {
    do throws(SystemError) {
      try File.replace(
        Self.name, in: directory, with: record.json(now: clock.now, wall: wallClock.seconds))
    } catch {
      throw notSaved(error)
    }
  }

  /// Removes the file. That works on a full disk, too.
  func remove() throws(AccessError) {
    do throws(SystemError) {
      try File.remove(Self.name, in: directory)
    } catch {
      // Somebody has removed it by hand.
      guard error.code == ENOENT else { throw notSaved(error) }
    }
  }

  /// Gives the file another name, so that a person can examine it.
  func setAside() throws(AccessError) {
    do throws(SystemError) {
      try File.rename(Self.name, to: Self.asideName, in: directory)
    } catch {
      guard error.code == ENOENT else { throw notSaved(error) }
    }
  }

  private func unreadable(_ reason: String) -> Contents {
    .unreadable(.unreadable(directory: directory, reason: reason))
  }

  private func notSaved(_ error: SystemError) -> AccessError {
    .notSaved(directory: directory, reason: error.description)
  }
}
