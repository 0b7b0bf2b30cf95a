// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why the machine cannot be restarted or switched off.
package enum MachinePowerError: Error, Equatable {
  /// Neither systemd-logind nor systemd answers, or OnAir does not run as a service of the machine.
  case notAvailable
  /// The user that OnAir runs as has no permission to restart the machine or switch it off.
  case notAllowed
  /// The D-Bus call has failed. The value is the system's error message.
  case failed(String)
}

/// Restarts the machine or switches it off: through systemd-logind (org.freedesktop.login1(5)) or, where logind does
/// not run, through systemd itself (org.freedesktop.systemd1(5)). Both ask polkit whether this user may do so.
package struct MachinePower: Sendable {
  /// The actions on the whole machine.
  package enum Action: String, CaseIterable, Sendable {
    case restart, shutdown

    /// The D-Bus method of systemd-logind that carries out the action.
    fileprivate var method: String { self == .restart ? "Reboot" : "PowerOff" }
    /// The systemd unit whose start carries out the action.
    fileprivate var unit: String { self == .restart ? "reboot.target" : "poweroff.target" }
  }

  /// Makes a connection to the system bus.
  private let bus: @Sendable () -> any Bus

  package init(bus: @escaping @Sendable () -> any Bus = { SystemBus(signalsOfNetwork: false) }) {
    self.bus = bus
  }

  /// Begins the restart or the shutdown, and returns before the machine goes down. The call may block for some seconds.
  package func begin(_ action: Action) throws(MachinePowerError) {
    let bus = bus()
    do throws(BusError) {
      return try Self.askLogind(action, bus)
    } catch {
      guard error.isAbsence else { throw MachinePowerError(error) }
    }
    do throws(BusError) {
      // Use the mode "replace-irreversibly", as systemctl(1) does: no later job can cancel the restart or shutdown.
      _ = try bus.call(
        BusCall(
          destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
          interface: "org.freedesktop.systemd1.Manager", method: "StartUnit",
          arguments: [.text(action.unit), .text("replace-irreversibly")]))
    } catch {
      throw MachinePowerError(error)
    }
  }

  /// Asks systemd-logind to restart the machine or to switch it off.
  private static func askLogind(_ action: Action, _ bus: any Bus) throws(BusError) {
    // Do not let polkit ask for a password: nobody sits at the machine.
    let isInteractive = BusValue.flag(false)
    _ = try bus.call(
      BusCall(
        destination: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager", method: action.method,
        arguments: [isInteractive]))
  }
}

extension MachinePowerError {
  fileprivate init(_ error: BusError) {
    // systemd reports a masked unit, and a call that its policy forbids, with the same errors as a missing permission.
    let isRefusal = error.isRefusal || error.name.hasSuffix(".InteractiveAuthorizationRequired")
    self = isRefusal ? .notAllowed : error.isAbsence ? .notAvailable : .failed(error.message)
  }

  /// The error as a code for programs, as the API sends it.
  package var code: String {
    switch self {
    case .notAvailable: "not_available"
    case .notAllowed: "not_allowed"
    case .failed: "failed"
    }
  }

  /// A sentence for people: what is wrong, and what to do.
  package var sentence: String {
    switch self {
    case .notAvailable:
      "This OnAir does not run as the service of the machine, so it cannot restart it or switch it off: do it on the machine."
    case .notAllowed:
      "OnAir may not restart this machine or switch it off: allow it with polkit (the file 50-onair.rules), or do it on the machine."
    case .failed(let reason): "That did not work (\(reason)): do it on the machine."
    }
  }
}
