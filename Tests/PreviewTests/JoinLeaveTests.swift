// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import Testing

@testable import Preview

/// In a process of its own, whose descriptors and threads can be counted.
struct JoinLeaveTests {
  /// The threads with one of these names.
  static func threads(_ names: Set<String>) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
      return names.contains((name ?? "").trimmingCharacters(in: .newlines))
    }
  }

  /// The event descriptors, of which each of the preview's threads has one.
  static var descriptors: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(name)")
      return target?.contains("eventfd") == true
    }
  }

  /// Resident memory in KiB.
  static var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
  }

  @Test func threeHundredJoinsAndLeaves() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let before = JoinLeaveTests.descriptors
      let feeder = try Feeder()
      feeder.start()
      var memory = 0
      for round in 0..<300 {
        // Each has a preview of its own, so that its sink joins and leaves at once.
        let preview = feeder.preview
        let reader = try preview.reader()
        if round % 10 == 0 {
          #expect(await reader.next()?.isInitialization == true)
          _ = try await preview.snapshot()
        }
        #expect(preview.close(by: .now() + .seconds(60)))
        // Memory that is kept for reuse is no loss: it counts from the hundredth on.
        if round == 100 { memory = JoinLeaveTests.memory }
      }
      let more = JoinLeaveTests.memory - memory
      feeder.stop()
      #expect(feeder.begins == 300 && feeder.ends == 300)
      let isBack = eventually {
        JoinLeaveTests.threads(["preview", "preview users", "snapshot", "feeder"]) == 0
      }
      #expect(isBack)
      print("descriptors \(JoinLeaveTests.descriptors) of \(before), \(more) KiB more")
      #expect(JoinLeaveTests.descriptors <= before + 1, "the feeder's worker is still there")
      #expect(more < 8_192)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
  }
}
