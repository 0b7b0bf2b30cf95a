// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Media
internal import Posix
internal import Synchronization

/// Keeps the intent (off, live or paused, and muted) over a power cut: one line in a file. A thread of its own
/// writes it, since a disk may be slow.
final class IntentStore: Sendable {
  /// What the store reports, on its own thread; `unusable` in the initialiser.
  enum Report: Sendable, Equatable {
    /// The file that was found is not used: why, and what follows.
    case unusable(String)
    /// The intent cannot be written: why, and what to do. Reported once for each reason.
    case notSaved(String)
    /// It is written after all.
    case saved
  }

  private static let retryPause = Int64.seconds(5)
  private static let fileName = "intent"

  private struct State {
    /// What has to be written; `nil` when nothing has.
    var due: Intent?
    /// The intent that the last attempt wrote, or could not write; `nil` while a newer one is being written.
    var settled: Intent?
    /// The last attempt failed.
    var isFailing = false
  }

  /// The intent when the program last ran; off if it never did.
  let found: Intent
  private let directory: String
  private let clock: MediaClock
  private let state: Mutex<State>
  private let worker: Worker
  private let report: @Sendable (Report) -> Void
  private let foundIsUnusable: Bool

  init(
    directory: String, clock: MediaClock = .system, report: @escaping @Sendable (Report) -> Void
  ) {
    self.directory = directory
    self.clock = clock
    self.report = report
    worker = Worker(name: "state", clock: clock)
    do throws(Unusable) {
      found = try IntentStore.read(directory) ?? Intent()
      foundIsUnusable = false
      state = Mutex(State(settled: found))
    } catch {
      // The box may have been paused: what is private must not be shown by mistake.
      found = Intent(broadcast: .paused)
      foundIsUnusable = true
      state = Mutex(State(due: found))
      report(
        .unusable(
          "\(directory)/\(IntentStore.fileName) \(error.reason) and is not used: whether the box was live or "
            + "paused is unknown, so it starts paused."))
    }
  }

  /// Whether the last attempt to write was for this intent and no newer one is due: it is on the disk, or the
  /// failure has been reported.
  func isSettled(_ intent: Intent) -> Bool { state.withLock { $0.settled == intent } }

  /// Whether this intent is on the disk.
  func isSaved(_ intent: Intent) -> Bool {
    state.withLock { $0.settled == intent && !$0.isFailing }
  }

  func start() { worker.start { [self] in run() } }

  /// Writes it soon.
  func save(_ intent: Intent) {
    state.withLock { state in
      state.due = intent
      state.settled = nil
    }
    worker.wake()
  }

  /// Writes what is due, and ends.
  /// - Returns: `false` when it was still writing at `deadline`.
  func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private func run() {
    var reported: String?
    var isTroubled = foundIsUnusable
    while true {
      // Read first: what was saved before the stop is then seen below.
      let isStopping = worker.isStopping
      let due = state.withLock { $0.due.take() }
      guard let intent = due else {
        if isStopping { return }
        worker.wait(until: .distantFuture)
        continue
      }
      let reason = write(intent)
      state.withLock { state in
        state.isFailing = reason != nil
        guard state.due == nil else { return }
        state.settled = intent
        if reason != nil, !isStopping { state.due = intent }
      }
      if let reason {
        if reason != reported {
          report(
            .notSaved(
              "What the box should go on with after a power cut cannot be saved in \(directory) "
                + "(\(reason)): free some space there, or make it writable."))
        }
        isTroubled = true
        if !isStopping { worker.wait(until: clock.now + IntentStore.retryPause) }
      } else if isTroubled {
        isTroubled = false
        report(.saved)
      }
      reported = reason
    }
  }

  /// - Returns: the reason when it failed.
  private func write(_ intent: Intent) -> String? {
    // Always of the same length, so that it can also be overwritten in place.
    let text = "\(intent.broadcast.rawValue)\(intent.isMuted ? " muted" : "")"
    let line = Array("\(text)\(String(repeating: " ", count: 15 - text.utf8.count))\n".utf8)
    do throws(SystemError) {
      try File.replace(IntentStore.fileName, in: directory, with: line)
      return nil
    } catch {
      let overwritten: Void? = try? File.overwritePrivate(
        IntentStore.fileName, in: directory, with: line)
      return overwritten == nil ? error.description : nil
    }
  }

  private struct Unusable: Error { var reason: String }

  /// - Returns: `nil` when there is no such file.
  private static func read(_ directory: String) throws(Unusable) -> Intent? {
    let bytes: [UInt8]
    do throws(PrivateFileError) {
      bytes = try File.readPrivate(fileName, in: directory, limit: 64)
    } catch {
      if error == .missing { return nil }
      throw Unusable(reason: error.sentence)
    }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
    guard let first = words.first, let broadcast = Intent.Broadcast(rawValue: String(first))
    else { throw Unusable(reason: "holds something else than off, live or paused") }
    return Intent(
      broadcast: broadcast, isMuted: broadcast != .off && words.dropFirst().first == "muted")
  }
}
