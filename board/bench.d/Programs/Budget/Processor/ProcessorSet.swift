// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// The processors that a program may use, with all of its threads and those that it starts later.
struct ProcessorSet: Sendable {
  private enum Way {
    /// A cgroup with a cpuset (cgroups(7)): its folder.
    case cgroup(String)
    /// sched_setaffinity(2) of each thread, by taskset(1).
    case affinity
  }

  /// The processors that this process may use.
  static let all: [Int] = {
    let status = TextFile.read("/proc/self/status") ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") } ?? ""
    let numbers = line.split(separator: "\t").last.map { list in
      list.split(separator: ",").flatMap { range in
        let ends = range.split(separator: "-").compactMap { Int($0) }
        return ends.isEmpty ? [] : Array(ends[0]...max(ends[0], ends[ends.count - 1]))
      }
    }
    return numbers.flatMap { $0.isEmpty ? nil : $0 } ?? [0]
  }()

  private let pid: pid_t
  private let way: Way
  private let log: String

  /// - Parameter log: for the output of taskset(1).
  init(of pid: pid_t, log: String) {
    self.pid = pid
    self.log = log
    way = ProcessorSet.group(for: pid).map { .cgroup($0) } ?? .affinity
  }

  var name: String {
    switch way {
    case .cgroup: "cpuset cgroup"
    case .affinity: "affinity"
    }
  }

  /// Whether threads that are started later escape, so that `allow` has to be repeated.
  var needsRepeating: Bool {
    if case .affinity = way { true } else { false }
  }

  func allow(_ processors: [Int]) {
    let list = processors.map(String.init).joined(separator: ",")
    switch way {
    case .cgroup(let folder): TextFile.write(list, to: "\(folder)/cpuset.cpus")
    case .affinity:
      guard
        let taskset = try? Child(["taskset", "-a", "-p", "-c", list, "\(pid)"], log: log)
      else { return }
      close(taskset.input)
      while taskset.isRunning { usleep(1_000) }
      taskset.end()
    }
  }

  /// Removes the cgroup. The program must have ended.
  func remove() {
    guard case .cgroup(let folder) = way else { return }
    unsafe rmdir(folder)
  }

  /// Makes a cgroup with all processors, and moves the process there.
  private static func group(for pid: pid_t) -> String? {
    for line in (TextFile.read("/proc/mounts") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 3 else { continue }
      let isOld = words[2] == "cgroup" && words[3].split(separator: ",").contains("cpuset")
      guard isOld || words[2] == "cgroup2" else { continue }
      if !isOld, !enable(in: words[1]) { continue }
      let folder = "\(words[1])/onair-bench-\(pid)"
      guard unsafe mkdir(folder, 0o755) == 0 else { continue }
      let list = all.map(String.init).joined(separator: ",")
      // The old kind has no memory nodes until some are set.
      let nodes = isOld ? TextFile.read("\(words[1])/cpuset.mems") : nil
      if nodes.map({ TextFile.write($0, to: "\(folder)/cpuset.mems") }) ?? true,
        TextFile.write(list, to: "\(folder)/cpuset.cpus"),
        TextFile.write("\(pid)", to: "\(folder)/cgroup.procs")
      {
        return folder
      }
      unsafe rmdir(folder)
    }
    return nil
  }

  /// Enables cpusets in a cgroup2.
  private static func enable(in folder: String) -> Bool {
    let controllers = TextFile.read("\(folder)/cgroup.controllers") ?? ""
    return controllers.split { " \n".contains($0) }.contains("cpuset")
      && TextFile.write("+cpuset", to: "\(folder)/cgroup.subtree_control")
  }
}
