// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Networking
import Synchronization
import Testing

@Suite struct MachinePowerTests {
  /// A bus on which some names answer, and a user who may do it or not.
  private final class FakeSystem: Bus, Sendable {
    private let present: Set<String>
    private let refusal: String?
    private let asked = Mutex<[BusCall]>([])

    var calls: [BusCall] { asked.withLock { $0 } }

    init(_ present: Set<String>, refusal: String? = nil) {
      self.present = present
      self.refusal = refusal
    }

    func call(_ call: BusCall) throws(BusError) -> [BusValue] {
      asked.withLock { $0.append(call) }
      guard present.contains(call.destination) else {
        throw BusError(name: "org.freedesktop.DBus.Error.NameHasNoOwner", message: "")
      }
      if let refusal { throw BusError(name: refusal, message: "a reason") }
      return []
    }

    func signals() -> [BusSignal] { [] }
    func wait(until deadline: MediaTime, _ worker: Worker) {}
  }

  private static let logind = "org.freedesktop.login1"
  private static let systemd = "org.freedesktop.systemd1"

  private func begin(_ action: MachinePower.Action, _ system: FakeSystem) throws {
    try MachinePower(bus: { system }).begin(action)
  }

  @Test func logindIsAsked() throws {
    for (action, method) in [(MachinePower.Action.restart, "Reboot"), (.shutdown, "PowerOff")] {
      let system = FakeSystem([Self.logind, Self.systemd])
      try begin(action, system)
      #expect(
        system.calls == [
          BusCall(
            destination: Self.logind, path: "/org/freedesktop/login1",
            interface: "org.freedesktop.login1.Manager", method: method,
            arguments: [.flag(false)])
        ])
    }
  }

  /// As on a box from an image.
  @Test func withoutLogindSystemdIsAsked() throws {
    for (action, unit) in [
      (MachinePower.Action.restart, "reboot.target"), (.shutdown, "poweroff.target"),
    ] {
      let system = FakeSystem([Self.systemd])
      try begin(action, system)
      #expect(
        system.calls.last
          == BusCall(
            destination: Self.systemd, path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager", method: "StartUnit",
            arguments: [.text(unit), .text("replace-irreversibly")]))
    }
  }

  @Test(arguments: [
    ("org.freedesktop.DBus.Error.AccessDenied", MachinePowerError.notAllowed),
    ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", .notAllowed),
    ("org.freedesktop.DBus.Error.NoReply", .failed("a reason")),
  ]) func aRefusalIsTold(_ name: String, _ fault: MachinePowerError) {
    for present in [[Self.logind], [Self.systemd]] as [Set<String>] {
      #expect(throws: fault) { try begin(.restart, FakeSystem(present, refusal: name)) }
    }
  }

  @Test func aMachineWithoutSystemdIsTold() {
    let system = FakeSystem([])
    #expect(throws: MachinePowerError.notAvailable) { try begin(.shutdown, system) }
    #expect(system.calls.count == 2)
  }
}
