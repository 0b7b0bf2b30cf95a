// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Posix

/// Where the state is kept: the state directory, or for a box that has to stay up although that cannot be used, a copy in
/// memory.
struct StatePlace {
  /// Whole files of at most this size are copied. Others are no state.
  private static let longest = 1 << 20
  /// Password, and whether the box is paused. One that cannot be read must not count as none: whoever comes first would
  /// set a password, and the camera would be shown. An empty file stands for it.
  private static let guardedFiles = ["access.json", "intent"]

  let directory: StateDirectory
  /// Why nothing is kept, as a sentence for users; `nil` if it is.
  let trouble: String?

  /// - Parameter memory: a directory below /run, which lasts until the box is switched off; `nil` if the program may end
  ///   instead.
  init(path: String, inMemory memory: String?) throws(StateDirectoryError) {
    do throws(StateDirectoryError) {
      directory = try StateDirectory(path: path)
      trouble = nil
      // What came after the copy was made.
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

  /// Copies the state as far as it can be read. A file that is there is newer: it was copied at an earlier start.
  private static func copy(from source: String, to target: String) {
    let present = Set(File.names(in: target))
    // The folder itself may be unreadable.
    let names = Set(File.names(in: source) + guardedFiles)
    for name in names where !present.contains(name) && isState(name) {
      if let contents = try? File.read("\(source)/\(name)", limit: longest, followsLinks: false) {
        try? File.replace(name, in: target, with: contents.bytes)
      } else if guardedFiles.contains(name), !File.isAbsent(name, from: source) {
        try? File.replace(name, in: target, with: [])
      }
    }
  }

  /// Moves what a start without the state directory has left in memory.
  private static func move(from source: String, to target: String) {
    for name in File.names(in: source) where isState(name) {
      guard let contents = try? File.read("\(source)/\(name)", limit: longest, followsLinks: false),
        // Empty: it stands for one that could not be read.
        contents.bytes.isEmpty
          || (try? File.replace(name, in: target, with: contents.bytes)) != nil
      else { continue }
      try? File.remove(name, in: source)
    }
  }

  /// Whether it is no file that is being written.
  private static func isState(_ name: String) -> Bool { !name.hasSuffix(".new") }
}

extension StateDirectoryError {
  /// Whether another directory may be used instead: not while another OnAir runs.
  fileprivate var allowsAnother: Bool {
    if case .inUse = self { false } else { true }
  }
}
