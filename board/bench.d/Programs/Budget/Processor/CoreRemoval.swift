// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Takes half of the processors from the program in the middle of the measurement, and gives them back after a quarter of
/// it. On two cores that is one.
final class CoreRemoval: Companion {
  /// Processor time of the program until an instant.
  private struct Mark {
    var time: MediaTime
    var processorSeconds: Double
  }

  private struct State {
    var processors: ProcessorSet?
    var thread: MediaThread?
    /// At the begin, when the processors are taken, when they are back, and at the end.
    var marks: [Mark] = []
  }

  private let length: Int64
  private let log: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - seconds: of the measurement.
  ///   - log: a file for the output of tools.
  init(seconds: Int, log: String) {
    length = .seconds(Int64(seconds))
    self.log = log
  }

  func begin(with child: Child, at begun: MediaTime) {
    let processors = ProcessorSet(of: child.pid, log: log)
    let all = ProcessorSet.all
    let pid = child.pid
    mark(pid)
    let thread = MediaThread(name: "core removal", urgency: .device) { [self] in
      (begun + length / 2).sleepUntil()
      mark(pid)
      let left = Array(all.prefix(max(1, all.count / 2)))
      processors.allow(left)
      let over = begun + length / 2 + length / 4
      while processors.needsRepeating, .now() + .seconds(1) < over {
        (MediaTime.now() + .seconds(1)).sleepUntil()
        processors.allow(left)
      }
      over.sleepUntil()
      mark(pid)
      processors.allow(all)
      (begun + length).sleepUntil()
      mark(pid)
    }
    state.withLock { state in
      state.processors = processors
      state.thread = thread
    }
  }

  func end() { _ = state.withLock { $0.thread }?.join(until: .now() + .seconds(5)) }

  /// Cleans up. The program must have ended.
  func clean() { state.withLock { $0.processors }?.remove() }

  /// What was done.
  func removal() throws -> Removal {
    let (processors, marks) = state.withLock { ($0.processors, $0.marks) }
    guard let processors, marks.count == 4 else {
      throw Child.FailedError(description: "the processors could not be taken")
    }
    let shares = zip(marks, marks.dropFirst()).map { from, to in
      (to.processorSeconds - from.processorSeconds) / (Double(to.time - from.time) / 1e9)
    }
    return Removal(
      span: marks[1].time..<marks[2].time, way: processors.name, coresUsed: shares)
  }

  private func mark(_ pid: pid_t) {
    let seconds = CoreRemoval.processorSeconds(of: pid)
    state.withLock { $0.marks.append(Mark(time: .now(), processorSeconds: seconds)) }
  }

  /// utime and stime of proc(5).
  private static func processorSeconds(of pid: pid_t) -> Double {
    let text = TextFile.read("/proc/\(pid)/stat") ?? ""
    // The name before may contain spaces.
    let words = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 12, let user = Double(words[11]), let system = Double(words[12]) else {
      return .nan
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// A `CoreRemoval` that has happened.
struct Removal: Sendable {
  var span: Range<MediaTime>
  /// How it was done: "cpuset cgroup" or "affinity".
  var way: String
  /// The processor time that the program had, in cores: before, during and after.
  var coresUsed: [Double]
}
