// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Posix
internal import Recording
internal import Synchronization

/// Runs the program of `record.after` for each finished recording, one after the other.
final class FollowUpProgram: Sendable {
  /// A recording that is to be passed to the program.
  private struct Handover {
    var program: String
    var folder: RecordingFolder
    var name: String
  }

  /// Time that the program may take for one recording, in nanoseconds.
  private static let patienceNanos = Int64.seconds(3_600)
  /// The most recordings that wait. Further ones are skipped, which is told.
  private static let mostWaiting = 100

  private let events: EventLog
  private let thread = JobThread(name: "record.after", urgency: .request, mostWaiting: 1)
  private let tasks = Mutex<[Handover]>([])

  init(_ events: EventLog) { self.events = events }

  /// Passes a recording to the program once it is finished.
  /// - Parameters:
  ///   - name: the name of the file; `nil` for none.
  ///   - program: the path of the program; empty for none.
  func add(_ name: String?, of session: RecordingSession, _ program: String) {
    guard let name, !program.isEmpty else { return }
    let isFull = tasks.withLock { tasks in
      guard tasks.count < Self.mostWaiting else { return true }
      tasks.append(Handover(program: program, folder: session.folder, name: name))
      return false
    }
    if isFull { fail(name, "too many recordings wait for it") }
  }

  /// Begins with the next recording, unless the program runs.
  func runDue() {
    guard thread.unfinished == 0, tasks.withLock({ !$0.isEmpty }) else { return }
    thread.submit { [self] in
      guard let task = tasks.withLock({ $0.first }) else { return }
      // A file that is still being finished is tried again.
      let recording = try? task.folder.recording(named: task.name)
      if recording?.isRunning == true {
        (MediaTime.now() + .milliseconds(200)).sleepUntil()
        return
      }
      tasks.withLock { _ = $0.removeFirst() }
      guard let recording else { return fail(task.name, "it is not there any more") }
      run(recording.name, task)
    }
  }

  private func run(_ name: String, _ task: Handover) {
    let deadline = MediaTime.now() + Self.patienceNanos
    do throws(SystemError) {
      let ending = try ChildProcess.run(
        task.program, ["\(task.folder.directory)/\(name)"], until: { .now() >= deadline })
      switch ending {
      case .exited(0): events.note(.info, "record.after has taken \(name.onOneLine).")
      case .exited(let status): fail(name, "it ended with status \(status)")
      case .killed(let signal): fail(name, "signal \(signal) ended it")
      case .late: fail(name, "it took longer than an hour")
      }
    } catch {
      fail(name, "\(task.program) cannot be started (\(error))")
    }
  }

  private func fail(_ name: String, _ reason: String) {
    events.report(
      .recordAfterFailed, level: .warning, subject: name,
      "The program of record.after has not taken \(name.onOneLine): \(reason).")
  }
}
