// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Access
package import Base
public import Posix
internal import Settings
internal import Synchronization

/// Forgets all that a box was told and has learnt: settings, passwords, sessions, images, what it was doing, what it has
/// measured.
///
/// A request is a file in the state directory. The program then begins anew, and removes everything before it reads
/// anything: a power cut in between delays that, and undoes nothing.
public enum FactoryReset {
  /// In the state directory: everything else in it is to be removed.
  static let requestName = "factory-reset"
  /// In the state directory: NetworkManager's connections are to be removed. A unit with root's rights, which an image has,
  /// does it (onair-reset.path), also after a power cut.
  static let networkName = "reset-network"
  /// Until the program begins anew: whoever asked for it gets the answer.
  fileprivate static let delay = Int64.milliseconds(500)
  /// Folders in folders, as deep as OnAir makes them.
  private static let deepest = 3

  static func request(in directory: String) throws(SystemError) {
    try File.replace(requestName, in: directory, with: [])
  }

  /// Whether the last run was asked for it.
  public static func isDue(in directory: String) -> Bool {
    File.names(in: directory).contains(requestName)
  }

  /// Does what the last run was asked for.
  /// - Parameters:
  ///   - directory: the state directory, locked.
  ///   - forgetsNetwork: whether the network belongs to the box, too.
  ///   - environment: names the place where an image marks that there was a password.
  public static func finish(
    in directory: String, forgetsNetwork: Bool, environment: [String: String] = [:]
  ) throws(SystemError) {
    if forgetsNetwork { try File.replace(networkName, in: directory, with: []) }
    PasswordMark(environment: environment, directory: directory)?.remove()
    let kept = [requestName, networkName, Seed.takenName, PasswordMark.requestName]
    for name in File.names(in: directory) where !kept.contains(name) {
      File.removeAll("\(directory)/\(name)", depth: deepest)
    }
    // It is flushed with the folder: all is gone before the request is.
    try File.remove(requestName, in: directory)
  }
}

extension Station {
  /// Ends the broadcast, and lets the program begin anew without anything that it knows: see `isResetDue`.
  /// - Throws: `.settingsNotSaved`; then nothing is forgotten.
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
    state.withLock { $0.resetAt = clock.now + FactoryReset.delay }
  }

  /// Whether the program is to begin anew.
  package func isResetDue(_ now: MediaTime) -> Bool {
    state.withLock { $0.resetAt.map { now >= $0 } ?? false }
  }
}
