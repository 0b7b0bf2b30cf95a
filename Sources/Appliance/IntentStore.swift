// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Glibc
internal import Media
internal import Synchronization

/// Keeps what is wanted over a power cut: one line in a file, written by a thread of its own, since a disk may
/// take its time.
final class IntentStore: Sendable {
  private static let retryPause = Int64.seconds(5)

  private struct State {
    /// What is to be written; `nil` when it is.
    var due: Intent?
    /// What was last written, or could not be, with nothing newer waiting; `nil` while something is under way.
    var settled: Intent?
    /// The last attempt failed.
    var isFailing = false
    var isStopping = false
  }

  /// What the box was at when it was last on; off air if it never was.
  let found: Intent
  private let directory: String
  private let state: Mutex<State>
  private let work = Signal()
  private let notice: @Sendable (String) -> Void
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter notice: receives what is wrong with the file, or why it could not be written.
  init(directory: String, notice: @escaping @Sendable (String) -> Void) {
    self.directory = directory
    self.notice = notice
    switch IntentStore.read("\(directory)/intent") {
    case .success(let intent):
      found = intent ?? Intent()
    case .failure:
      // It was something; what is private may not be shown by mistake.
      found = Intent(broadcast: .paused)
      notice("What the box was at cannot be read in \(directory)/intent: it begins paused.")
    }
    state = Mutex(State(settled: found))
  }

  /// Whether what is wanted has been written, or has been tried to: then it was told.
  func isSettled(_ intent: Intent) -> Bool { state.withLock { $0.settled == intent } }

  /// It is on the disk.
  func isKept(_ intent: Intent) -> Bool {
    state.withLock { $0.settled == intent && !$0.isFailing }
  }

  func start() {
    thread.withLock {
      $0 = MediaThread(name: "state", urgency: .ordinary) { [self] in run() }
    }
  }

  /// Has it written soon.
  func save(_ intent: Intent) {
    state.withLock { state in
      state.due = intent
      state.settled = nil
    }
    work.signal()
  }

  /// Writes what is due, and ends.
  func stop(by deadline: MediaTime) -> Bool {
    state.withLock { $0.isStopping = true }
    work.signal()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    var told: String?
    while true {
      let (intent, isStopping) = state.withLock { state in
        defer { state.due = nil }
        return (state.due, state.isStopping)
      }
      guard let intent else {
        if isStopping { return }
        _ = work.wait(until: .distantFuture)
        continue
      }
      let reason = write(intent)
      state.withLock { state in
        state.isFailing = reason != nil
        guard state.due == nil else { return }
        state.settled = intent
        // Until it is on the disk, it is tried again.
        if reason != nil, !state.isStopping { state.due = intent }
      }
      if let reason, reason != told {
        notice(
          "What the box is to go on with after a power cut cannot be kept in \(directory) "
            + "(\(reason)): free some space there, or make it writable.")
      }
      told = reason
      if reason != nil, !isStopping { _ = work.wait(until: .now() + IntentStore.retryPause) }
    }
  }

  /// - Returns: the system's reason when it failed.
  private func write(_ intent: Intent) -> String? {
    // Always as long, so that it can also be written over.
    let text = "\(intent.broadcast.rawValue)\(intent.isMuted ? " muted" : "")"
    let line = Array("\(text)\(String(repeating: " ", count: 15 - text.utf8.count))\n".utf8)
    let path = "\(directory)/intent"
    guard let reason = replace(path, by: line) else { return nil }
    // A full disk still has the place of the old one.
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { return reason }
    defer { close(file) }
    let isWritten = unsafe pwrite(file, line, line.count, 0) == line.count
    return isWritten && fsync(file) == 0 ? nil : reason
  }

  /// A new file takes the old one's place whole, and both it and its name are on the disk: rename(2), fsync(2).
  private func replace(_ path: String, by line: [UInt8]) -> String? {
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

  private struct Unreadable: Error {}

  /// - Returns: `nil` when there is no such file.
  private static func read(_ path: String) -> Result<Intent?, Unreadable> {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard file >= 0 else { return errno == ENOENT ? .success(nil) : .failure(Unreadable()) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split { $0 == " " || $0 == "\n" }
    guard let first = words.first, let broadcast = Intent.Broadcast(rawValue: String(first))
    else { return .failure(Unreadable()) }
    return .success(
      Intent(broadcast: broadcast, isMuted: broadcast != .off && words.dropFirst().first == "muted")
    )
  }
}
