// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Director
internal import Posix
internal import Synchronization

/// Saves the intent (off, live or paused, and what is muted or off) as one line in a file, so that it survives a power cut. A separate
/// thread writes the file, since a disk may be slow.
package final class IntentStore: Sendable {
  /// A report of the store, made by the thread that writes, or by the initialiser (`unusable`).
  package enum Report: Sendable, Equatable {
    /// The existing file is not used. The value is a sentence with the reason and the consequence.
    case unusable(String)
    /// The intent cannot be written. The value is a sentence with the reason and what to do. Not reported again while
    /// the reason stays the same.
    case notSaved(String)
    /// The intent has been written, for the first time since `unusable` or `notSaved`.
    case saved
  }

  /// The time from a failed attempt to write the intent until the next attempt, in nanoseconds.
  private static let retryNanos = Int64.seconds(5)
  /// The file with the intent, as words: "off", "live" or "paused", and those of `marks` that apply.
  private static let file = StateFile<Intent>(
    "intent", limit: 64,
    encode: { intent in
      // The text always has the same length, so that it can also be overwritten in place.
      let words =
        [intent.broadcast.rawValue]
        + IntentStore.marks.filter { intent[keyPath: $0.isSet] }.map { $0.word }
      let text = words.joined(separator: " ")
      return Array("\(text)\(String(repeating: " ", count: 39 - text.utf8.count))\n".utf8)
    },
    decode: { bytes in
      let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
      return words.first.flatMap { Intent.Broadcast(rawValue: String($0)) }.map { broadcast in
        var intent = Intent(broadcast: broadcast)
        guard broadcast != .off else { return intent }
        for mark in IntentStore.marks where words.dropFirst().contains(mark.word[...]) {
          intent[keyPath: mark.isSet] = true
        }
        return intent
      }
    })

  /// The words that follow the first one in the file, and what each of them says.
  private static var marks: [(word: String, isSet: WritableKeyPath<Intent, Bool>)] {
    [("muted", \.isMuted), ("video_off", \.isVideoOff), ("audio_off", \.isAudioOff)]
  }

  /// The mutable state of the store, guarded by the mutex `state`.
  private struct State {
    /// The intent that waits to be written; `nil` if none waits.
    var due: Intent?
    /// The intent of the last attempt to write, successful or not; `nil` while a newer intent waits or is being
    /// written.
    var settled: Intent?
    /// Whether the last attempt to write has failed.
    var isFailing = false
  }

  /// The intent that the last run saved: off if it saved none, paused if the file cannot be used.
  let lastRunIntent: Intent
  /// The state directory.
  private let directory: String
  /// Whether the state directory survives a power cut. If not, no intent counts as saved.
  let isLasting: Bool
  /// The clock for the pauses between failed attempts to write.
  private let clock: MediaClock
  /// The intent that waits to be written, and the outcome of the last attempt to write.
  private let state: Mutex<State>
  /// The thread that writes the file.
  private let worker: Worker
  /// Receives the reports of the store.
  private let report: @Sendable (Report) -> Void
  /// Whether the file with the intent of the last run existed at the start, but could not be used.
  private let foundIsUnusable: Bool

  package init(
    directory: String, isLasting: Bool = true, clock: MediaClock = .system,
    report: @escaping @Sendable (Report) -> Void
  ) {
    self.directory = directory
    self.isLasting = isLasting
    self.clock = clock
    self.report = report
    worker = Worker(name: "state", clock: clock)
    do throws(PrivateFileError) {
      lastRunIntent = try Self.file.read(in: directory) ?? Intent()
      foundIsUnusable = false
      state = Mutex(State(settled: lastRunIntent))
    } catch {
      // The box may have been paused, so it must not show the camera.
      lastRunIntent = Intent(broadcast: .paused)
      foundIsUnusable = true
      state = Mutex(State(due: lastRunIntent))
      let reason =
        error == .malformed ? "holds something else than off, live or paused" : error.sentence
      report(
        .unusable(
          "\(directory)/\(Self.file.name) \(reason) and is not used: whether the box was live or "
            + "paused is unknown, so it starts paused."))
    }
  }

  /// Whether the last attempt to write was for `intent`, and no newer intent waits: `intent` is on the disk, or the
  /// failure has been reported.
  func isSettled(_ intent: Intent) -> Bool { state.withLock { $0.settled == intent } }

  /// Whether this intent is on the disk, in a directory that survives a power cut.
  func isSaved(_ intent: Intent) -> Bool {
    isLasting && state.withLock { $0.settled == intent && !$0.isFailing }
  }

  /// Starts the thread that writes the file.
  package func start() { worker.start { [self] in run() } }

  /// Schedules the intent to be written, and does not wait.
  func save(_ intent: Intent) {
    state.withLock { state in
      state.due = intent
      state.settled = nil
    }
    worker.wake()
  }

  /// Writes an intent that still waits, and ends the thread.
  /// - Returns: `false` when the thread was still writing at `deadline`.
  package func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  /// The body of the thread: writes each intent that is passed to `save`, until `stop`.
  private func run() {
    var reported: String?
    var isTroubled = foundIsUnusable
    while true {
      // Read `isStopping` before `due`: an intent for which `save` was called before the stop is then still written.
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
        if !isStopping { worker.wait(until: clock.now + IntentStore.retryNanos) }
      } else if isTroubled {
        isTroubled = false
        report(.saved)
      }
      reported = reason
    }
  }

  /// - Returns: the reason if writing failed; `nil` if the intent is on the disk.
  private func write(_ intent: Intent) -> String? {
    do throws(SystemError) {
      try Self.file.write(intent, in: directory)
      return nil
    } catch {
      let overwritten: Void? = try? Self.file.overwrite(intent, in: directory)
      return overwritten == nil ? error.description : nil
    }
  }
}
