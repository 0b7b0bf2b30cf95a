// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// Chooses the directory for the state: the state directory or, if it cannot be used and the box must run in any case,
/// a copy in memory.
struct StatePlace {
  /// Maximum size of a file that is copied, in bytes. Larger files are not part of the state.
  private static let longest = 1 << 20
  /// The files with the password and with whether the box is paused. If one of them exists but cannot be read, an empty
  /// file takes its place, since it must not count as missing: otherwise the first visitor could set a password, or the
  /// camera of a paused box would be shown.
  private static let guardedFiles = ["access.json", "intent"]

  let directory: StateDirectory
  /// If the state is kept only in memory, a sentence for users that says so; `nil` if it is saved.
  let trouble: String?

  /// - Parameters:
  ///   - path: the state directory.
  ///   - memory: a directory below /run, which lasts until the box is switched off; `nil` if the program may end
  ///     instead.
  init(path: String, inMemory memory: String?) throws(StateDirectoryError) {
    do throws(StateDirectoryError) {
      directory = try StateDirectory(path: path)
      trouble = nil
      // Save what changed while the state was kept in memory.
      if let memory, memory != path { Self.move(from: memory, to: path) }
    } catch {
      guard let memory, error.allowsAnother else { throw error }
      directory = try StateDirectory(path: memory)
      Self.copy(from: path, to: memory)
      trouble =
        "Nothing is kept: what is changed now is forgotten when the box is switched off. \(error.sentence) Then "
        + "restart OnAir."
    }
  }

  /// Copies the files of the state that can be read. A file that is already in `target` stays: it is newer, from an
  /// earlier start.
  private static func copy(from source: String, to target: String) {
    let present = Set(File.names(in: target))
    // Name the guarded files, too: the folder itself may be unreadable.
    let names = Set(File.names(in: source) + guardedFiles)
    for name in names where !present.contains(name) && isState(name) {
      if let contents = try? File.read("\(source)/\(name)", limit: longest, followsLinks: false) {
        try? File.replace(name, in: target, with: contents.bytes)
      } else if guardedFiles.contains(name), !File.isAbsent(name, from: source) {
        try? File.replace(name, in: target, with: [])
      }
    }
  }

  /// Moves the state that was kept in memory during an earlier start into the state directory.
  private static func move(from source: String, to target: String) {
    for name in File.names(in: source) where isState(name) {
      guard let contents = try? File.read("\(source)/\(name)", limit: longest, followsLinks: false),
        // An empty file stands for one that could not be read: remove it without saving it.
        contents.bytes.isEmpty
          || (try? File.replace(name, in: target, with: contents.bytes)) != nil
      else { continue }
      try? File.remove(name, in: source)
    }
  }

  /// Whether a file is part of the state, and not a temporary file that is being written.
  private static func isState(_ name: String) -> Bool { !name.hasSuffix(".new") }
}

extension StateDirectoryError {
  /// Whether another directory may be used instead: not if another OnAir uses this one.
  fileprivate var allowsAnother: Bool {
    if case .inUse = self { false } else { true }
  }
}
