// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Control

/// How the threads of a box that is on air are scheduled: nothing comes before the media path.
@Suite struct PriorityTests {
  /// SCHED_BATCH of linux/sched.h, which Swift does not import.
  private static let batch: Int32 = 3

  /// A thread of this process, as proc(5) shows it.
  private struct Task: Hashable, CustomStringConvertible {
    var name: String
    var nice: Int
    var policy: Int32

    init?(_ folder: String) {
      guard let name = Task.read("\(folder)/comm"), let text = Task.read("\(folder)/stat"),
        let end = text.lastIndex(of: ")")
      else { return nil }
      // From the third field on: 19 is the nice value, 41 the policy.
      let fields = text[end...].split(separator: " ").dropFirst().map(String.init)
      guard fields.count > 38, let nice = Int(fields[16]), let policy = Int32(fields[38]) else {
        return nil
      }
      self.name = name.trimmingCharacters(in: .newlines)
      self.nice = nice
      self.policy = policy
    }

    private static func read(_ path: String) -> String? {
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    static var all: Set<Task> {
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return Set(numbers.compactMap { Task("/proc/self/task/\($0)") })
    }

    var description: String { "\(name): policy \(policy), nice \(nice)" }
  }

  /// What this machine grants.
  private static func granted(_ urgency: MediaThread.Urgency) -> Task? {
    let name = "grant"
    let (begun, mayEnd) = (Signal(), Signal())
    let thread = MediaThread(name: name, urgency: urgency) {
      begun.signal()
      _ = mayEnd.wait(until: .distantFuture)
    }
    _ = begun.wait(until: .distantFuture)
    defer {
      mayEnd.signal()
      _ = thread.join(until: .now() + .seconds(60))
    }
    return Task.all.first { $0.name == name }
  }

  @Test func nothingComesBeforeTheMediaPath() async {
    await #expect(processExitsWith: .success) {
      try await PreviewRouteTests.run { box, _ in
        let usual = Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid())))
        let device = try #require(PriorityTests.granted(.device))
        let sending = try #require(PriorityTests.granted(.sending))
        // As the page does it: these threads are started by ones that answer requests.
        let answer = box.tcp(ServedStation.request("POST", "/api/start"), box.token("admin"))
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        #expect(eventually { box.station.status.destinations.first?.state == "delivering" })
        var seen: Set<Task> = []
        let wanted: Set = [
          "video", "audio", "pattern", "tone", "rtmp main", "preview", "snapshot", "state",
        ]
        #expect(
          eventually {
            _ = box.tcp(ServedStation.get("/api/snapshot.jpg?again=1"), box.token("admin"))
            seen.formUnion(Task.all)
            return wanted.isSubset(of: seen.map(\.name))
          }, "\(seen)")
        for task in seen {
          switch task.name {
          case "pattern", "tone": #expect(task.policy == device.policy, "\(task)")
          case "rtmp main": #expect(task.policy == sending.policy, "\(task)")
          // x264's threads have the name of the one that has started them.
          case "video", "audio":
            #expect(task.policy == SCHED_OTHER && task.nice == usual, "\(task)")
          case "snapshot", "password":
            #expect(task.policy == PriorityTests.batch && task.nice == 19, "\(task)")
          case "grant": break
          // Of Swift concurrency: those of the box, and others of this test, whose nice values libdispatch chooses.
          case "oot.utility-qos": #expect(task.nice >= usual, "\(task)")
          case let name where name.contains("-qos"): break
          default:
            #expect(task.policy == SCHED_OTHER || task.policy == PriorityTests.batch, "\(task)")
            #expect(task.nice >= usual, "\(task)")
            // But not those of the client that the test uses.
            if task.name.hasPrefix("NIO-ELT") || task.name.hasPrefix("TP-") {
              #expect(task.nice >= max(usual, 10), "\(task)")
            }
          }
        }
      }
    }
  }
}
