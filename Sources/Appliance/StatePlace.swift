// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
internal import Posix
internal import Settings

/// Chooses the directory for OnAir's state (passwords, settings, intent): the state directory or, if this cannot be
/// used and the box must run in any case, a directory in memory with a copy of its files.
struct StatePlace {
  /// Maximum size of a file that is copied, in bytes. Larger files are not part of the state.
  private static let maxSize = 1 << 20
  /// The files that contain the password, the intent (such as a pause), and the settings that were made on the page. If
  /// one of these files exists but cannot be read, an empty file takes its place in memory. If the file were missing
  /// there, the first visitor could set a password, or viewers could see the camera of a paused box or the area behind
  /// a privacy mask.
  private static let guardedFiles = [passwordFile, "intent", RunTimeSettings.fileName]
  /// The name of the file with the page's passwords and tokens.
  private static let passwordFile = "access.json"

  /// The directory that was chosen.
  let directory: StateDirectory
  /// If the state is kept only in memory, a sentence that tells users about it; `nil` if the state is saved.
  let trouble: String?
  /// Whether the settings in `directory` may differ from those that were read from the state directory before.
  private(set) var hasOtherSettings = false

  /// - Parameters:
  ///   - path: the state directory.
  ///   - memory: a directory below /run, whose files last until the box is switched off; `nil` to throw if the state
  ///     directory cannot be used.
  ///   - environment: the environment variables. `ONAIR_MARKS` names the folder with the `PasswordMark`, the file
  ///     outside of the state directory which says that the box has a password.
  init(
    path: String, inMemory memory: String?, environment: [String: String] = [:],
    mounts: MountTable = .system
  ) throws(StateDirectoryError) {
    do throws(StateDirectoryError) {
      directory = try StateDirectory(path: path, mounts: mounts)
      trouble = nil
      // Save the state that was kept in memory.
      if let memory, memory != path { hasOtherSettings = Self.move(from: memory, to: path) }
    } catch {
      guard let memory, error.allowsAnother else { throw error }
      directory = try StateDirectory(path: memory, mounts: mounts)
      Self.copy(from: mounts.missingMount(above: path) == nil ? path : nil, to: memory)
      hasOtherSettings = true
      trouble =
        "Nothing is kept: what is changed now is forgotten when the box is switched off. \(error.sentence) Then "
        + "restart OnAir."
    }
    if Self.hasLostState(in: directory.path, environment) {
      try? File.replace(RunTimeSettings.fileName, in: directory.path, with: [])
      hasOtherSettings = true
    }
  }

  /// Whether the box has had a password and now has neither a password nor settings, as on a card whose file system was
  /// made anew. Then nobody knows whether there were privacy masks.
  static func hasLostState(in directory: String, _ environment: [String: String]) -> Bool {
    PasswordMark(environment: environment, directory: directory)?.isSet == true
      && [passwordFile, RunTimeSettings.fileName].allSatisfy { File.isAbsent($0, from: directory) }
  }

  /// Copies the readable files of the state to `target`, a directory in memory. A file that is already in `target`
  /// stays: it is newer, from an earlier start.
  /// - Parameter source: the state directory; `nil` if it is not mounted, so that the files at its path are not the
  ///   state.
  private static func copy(from source: String?, to target: String) {
    let present = Set(File.names(in: target))
    // Add the guarded files: if the folder cannot be read, they are missing from its listing.
    let names = Set((source.map { File.names(in: $0) } ?? []) + guardedFiles)
    for name in names where !present.contains(name) && isState(name) {
      if let source,
        let contents = try? File.read("\(source)/\(name)", limit: maxSize, followsLinks: false)
      {
        try? File.replace(name, in: target, with: contents.bytes)
      } else if guardedFiles.contains(name), source.map({ File.isAbsent(name, from: $0) }) != true {
        try? File.replace(name, in: target, with: [])
      }
    }
  }

  /// Moves the state that was kept in memory during an earlier start into the state directory.
  /// - Returns: whether any state was kept in memory.
  private static func move(from source: String, to target: String) -> Bool {
    let names = File.names(in: source).filter(isState)
    // Settings that could not be read were replaced by an empty file, which the first change then renamed to
    // `unreadableName`.
    let lacksSettings = File.size("\(source)/\(RunTimeSettings.unreadableName)") == 0
    for name in names {
      guard let contents = try? File.read("\(source)/\(name)", limit: maxSize, followsLinks: false),
        // An empty file stands for a file that could not be read: remove the empty file without saving it.
        contents.bytes.isEmpty
          || name == RunTimeSettings.fileName && lacksSettings
            && addSettings(from: source, to: target)
          || (try? File.replace(name, in: target, with: contents.bytes)) != nil
      else { continue }
      try? File.remove(name, in: source)
    }
    return !names.isEmpty
  }

  /// Merges the saved settings with the settings that were made while the saved ones could not be read. The saved
  /// privacy masks stay.
  /// - Returns: whether that was possible.
  private static func addSettings(from source: String, to target: String) -> Bool {
    guard let new = try? RunTimeSettings(directory: source) else { return false }
    let kept = try? RunTimeSettings(directory: target)
    let all = new.adding(kept ?? RunTimeSettings())
    return (try? all.save(in: target, keepsOld: kept == nil)) != nil
  }

  /// Whether a file is part of the state, and not a temporary file that is being written.
  private static func isState(_ name: String) -> Bool { !name.hasSuffix(".new") }
}

extension StateDirectoryError {
  /// Whether another directory may be used instead of a directory with this error: yes, unless another OnAir uses the
  /// directory.
  fileprivate var allowsAnother: Bool {
    if case .inUse = self { false } else { true }
  }
}
