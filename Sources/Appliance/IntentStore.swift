// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Glibc
internal import Media
internal import Synchronization

/// Keeps what is wanted over a power cut: one line in a file, written by a thread of its own, since a disk may
/// take its time.
final class IntentStore: Sendable {
  private struct State {
    /// What is to be written; `nil` when it is.
    var due: Intent?
    /// What would be found after a power cut, as far as can be known.
    var saved: Intent
    var isStopping = false
  }

  private let directory: String
  private let state: Mutex<State>
  private let work = Signal()
  private let notice: @Sendable (String) -> Void
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter notice: receives why it could not be written.
  init(directory: String, notice: @escaping @Sendable (String) -> Void) {
    self.directory = directory
    self.notice = notice
    state = Mutex(State(saved: IntentStore.read("\(directory)/intent") ?? Intent()))
  }

  /// What would be found after a power cut; of what could not be written, as if it had been.
  var saved: Intent { state.withLock { $0.saved } }

  func start() {
    thread.withLock {
      $0 = MediaThread(name: "state", urgency: .ordinary) { [self] in run() }
    }
  }

  /// Has it written soon.
  func save(_ intent: Intent) {
    state.withLock { $0.due = intent }
    work.give()
  }

  /// Writes what is due, and ends.
  func stop(by deadline: MediaTime) -> Bool {
    state.withLock { $0.isStopping = true }
    work.give()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    while true {
      let (intent, isStopping) = state.withLock { state in
        defer { state.due = nil }
        return (state.due, state.isStopping)
      }
      if let intent {
        if let reason = write(intent) {
          notice(
            "What the box is to go on with after a power cut cannot be kept in \(directory) "
              + "(\(reason)): free some space there, or make it writable.")
        }
        state.withLock { $0.saved = intent }
      } else if isStopping {
        return
      } else {
        _ = work.wait(until: .distantFuture)
      }
    }
  }

  /// A new file takes the old one's place whole, and both it and its name are on the disk: rename(2), fsync(2).
  /// - Returns: the system's reason when it failed.
  private func write(_ intent: Intent) -> String? {
    let line = Array("\(intent.broadcast.rawValue)\(intent.isMuted ? " muted" : "")\n".utf8)
    let path = "\(directory)/intent"
    let file = unsafe open("\(path).new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return systemError() }
    let isWritten = unsafe Glibc.write(file, line, line.count) == line.count && fsync(file) == 0
    let reason = isWritten ? nil : systemError()
    close(file)
    if let reason { return reason }
    guard unsafe rename("\(path).new", path) == 0 else { return systemError() }
    let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return systemError() }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : systemError()
  }

  private static func read(_ path: String) -> Intent? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let words = String(decoding: bytes.prefix(count), as: UTF8.self)
      .split { $0 == " " || $0 == "\n" }
    guard let first = words.first, let broadcast = Intent.Broadcast(rawValue: String(first))
    else { return nil }
    return Intent(
      broadcast: broadcast, isMuted: broadcast != .off && words.dropFirst().first == "muted")
  }
}
