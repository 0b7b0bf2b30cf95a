// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
package import Base
public import Posix
internal import Settings
internal import Synchronization

/// Resets a box to its factory state: removes settings, passwords, sessions, images, measurements and the saved intent
/// (off, live or paused).
///
/// A request is a file in the state directory. The program then restarts, and removes the files before it reads any, so
/// a power cut in between only delays the reset.
public enum FactoryReset {
  /// The name of the file in the state directory that requests a factory reset: while this file exists, all other files
  /// there are to be removed.
  static let requestName = "factory-reset"
  /// The name of a file in the state directory that requests the removal of NetworkManager's connections. A systemd
  /// unit of the OnAir image with root's rights (onair-reset.path) removes them, also after a power cut.
  static let networkRequestName = "reset-network"
  /// The time from the request to the restart of the program, in nanoseconds: enough for the answer to reach the
  /// caller.
  fileprivate static let restartDelayNanos = Int64.milliseconds(500)
  /// The most levels of nested folders that OnAir makes in the state directory.
  private static let maxFolderDepth = 3

  /// Writes the file that requests a factory reset. The reset is carried out at the next start of the program.
  static func request(in directory: String) throws(SystemError) {
    try File.replace(requestName, in: directory, with: [])
  }

  /// Whether a factory reset was requested before this start of the program, and has still to be carried out.
  /// - Parameter directory: the state directory.
  public static func isDue(in directory: String) -> Bool {
    File.names(in: directory).contains(requestName)
  }

  /// Carries out the factory reset that was requested before this start of the program.
  /// - Parameters:
  ///   - directory: the state directory, which this process has locked.
  ///   - forgetsNetwork: whether the network connections belong to the box, so that they are removed, too.
  ///   - environment: the environment variables. `ONAIR_MARKS` names the folder with the `PasswordMark`, the file
  ///     outside of the state directory which says that the box has a password.
  public static func finish(
    in directory: String, forgetsNetwork: Bool, environment: [String: String] = [:]
  ) throws(SystemError) {
    if forgetsNetwork { try File.replace(networkRequestName, in: directory, with: []) }
    PasswordMark(environment: environment, directory: directory)?.remove()
    let kept = [requestName, networkRequestName, Seed.appliedName, PasswordMark.requestName]
    for name in File.names(in: directory) where !kept.contains(name) {
      File.removeAll("\(directory)/\(name)", depth: maxFolderDepth)
    }
    // Remove the request last. This also flushes the folder: if the power is cut before, the reset is carried out
    // again.
    try File.remove(requestName, in: directory)
  }
}

extension Station {
  /// Requests a factory reset. After `restartDelayNanos` `isResetDue` becomes true; the program then ends the
  /// broadcast, restarts and removes the files.
  /// - Throws: `.settingsNotSaved`; then nothing is removed.
  package func resetToFactory(by origin: String) throws(StationError) {
    guard store.isLasting else {
      throw .settingsNotSaved(
        "The state directory cannot be used, so nothing in it can be removed: repair the disk first."
      )
    }
    do throws(SystemError) {
      try FactoryReset.request(in: directory)
    } catch {
      throw .settingsNotSaved(
        "The reset cannot be prepared in \(directory) (\(error)), and nothing has changed."
      )
    }
    events.note(
      .notice, "Everything is forgotten, \(origin): OnAir begins as it came from the factory.")
    state.withLock { $0.resetAt = clock.now + FactoryReset.restartDelayNanos }
  }

  /// Whether the program has to restart now for a factory reset.
  package func isResetDue(_ now: MediaTime) -> Bool {
    state.withLock { $0.resetAt.map { now >= $0 } ?? false }
  }
}
