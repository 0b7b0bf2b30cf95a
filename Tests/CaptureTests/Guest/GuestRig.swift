// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Tests with processes run one after the other: each looks at which processes there are.
@Suite(.serialized) struct GuestProcessTests {}

/// A guest whose reader is `Tests/GuestProbe`.
final class GuestRig: Sendable {
  let line: GuestLine
  private let reported = Reports()
  private let ticker = Ticker()

  /// What the line has reported.
  private final class Reports: Sendable {
    let all = Mutex<[GuestReport]>([])
  }

  /// The probe lies beside the program of the tests.
  static let probe = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "guest-probe").path

  /// These tests have only the loopback interface. Apart from this address all of it is refused, as in the program.
  static let rules = AddressRules(own: { [] }, verdict: { $0 == [127, 0, 0, 1] ? .global : nil })

  /// - Parameters:
  ///   - what: the argument of the probe.
  ///   - service: the socket of what starts readers in the place of the service manager.
  ///   - time: a virtual clock; `nil` for the system's.
  ///   - speed: how many times as fast as the real one it runs by itself.
  init(
    _ what: String, address: String = "http://127.0.0.1:9/", allowsOwn: Bool = false,
    rules: AddressRules = rules, program: String = probe, service: String? = nil,
    hasLandlock: Bool = true, time: VirtualClock? = nil, speed: Int64 = 5
  ) {
    var tools = GuestTools()
    tools.program = program
    tools.arguments = ["guest-probe", what]
    (tools.service, tools.rules) = (service.map(GuestService.init), rules)
    tools.hasLandlock = tools.hasLandlock && hasLandlock
    let request = GuestRequest(name: "anna", address: address, allowsOwn: allowsOwn)
    let reported = reported
    line = GuestLine(request, clock: time?.clock ?? .system, tools: tools) { report in
      reported.all.withLock { $0.append(report) }
    }
    if let time, speed > 0 { ticker.start(time, speed: speed) }
    line.start()
  }

  var reports: [GuestReport] { reported.all.withLock { $0 } }

  /// Waits for a report.
  func waits(for isMeant: (GuestReport) -> Bool) -> Bool {
    eventually { reports.contains(where: isMeant) }
  }

  /// Waits for the first loss.
  func offline() -> GuestOffline? {
    _ = eventually { firstLoss != nil }
    return firstLoss
  }

  private var firstLoss: GuestOffline? {
    reports.lazy.compactMap { if case .offline(let offline) = $0 { offline } else { nil } }.first
  }

  /// Waits until tracks are reported.
  func tracks() -> GuestTracks? {
    var found: GuestTracks?
    _ = waits { report in
      guard case .online(let tracks) = report else { return false }
      found = tracks
      return true
    }
    return found
  }

  /// Ends the line, and waits for its end.
  @discardableResult func stop() -> Bool {
    defer { ticker.stop() }
    return line.stop(by: .now() + .seconds(60))
  }

  /// Moves a virtual clock by so many milliseconds in about each real one.
  private final class Ticker: Sendable {
    private let isStopped = Atomic(false)
    func start(_ time: VirtualClock, speed: Int64) {
      Thread.detachNewThread { [self] in
        while !isStopped.load(ordering: .relaxed) {
          time.advance(by: .milliseconds(speed))
          Thread.sleep(forTimeInterval: 0.001)
        }
      }
    }
    func stop() { isStopped.store(true, ordering: .relaxed) }
  }

  /// The numbers of this process's children that are readers, those that nobody has waited for included.
  static var children: [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { name in
      guard let number = pid_t(name),
        let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")"), let start = stat.firstIndex(of: "(")
      else { return nil }
      let program = stat[stat.index(after: start)..<end]
      let parent = stat[end...].split(separator: " ")[2]
      return parent == "\(getpid())" && ["guest-probe", "guest-reader"].contains(program)
        ? number : nil
    }
  }

  /// How often the shared memory of readers is mapped or open in this process.
  static var memories: Int {
    let manager = FileManager.default
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let open = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let targets = open.compactMap {
      try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    return (maps.split(separator: "\n").map(String.init) + targets).count {
      $0.contains("onair-guest")
    }
  }
}
