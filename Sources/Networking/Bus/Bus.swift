// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// A call of a method on the bus.
package struct BusCall: Sendable, Equatable {
  package var destination: String
  package var path: String
  package var interface: String
  package var method: String
  package var arguments: [BusValue]

  package init(
    destination: String = "org.freedesktop.NetworkManager", path: String, interface: String,
    method: String, arguments: [BusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.method = method
    self.arguments = arguments
  }
}

/// A signal of NetworkManager.
package struct BusSignal: Sendable, Equatable {
  package var path: String
  /// Interface and name: "org.freedesktop.NetworkManager.Device.StateChanged".
  package var name: String
  package var arguments: [BusValue]

  package init(path: String, name: String, arguments: [BusValue]) {
    self.path = path
    self.name = name
    self.arguments = arguments
  }
}

/// Why a call has failed.
package struct BusError: Error, Equatable {
  /// "org.freedesktop.DBus.Error.ServiceUnknown"; empty if the bus itself cannot be reached.
  package var name: String
  /// For the log. It may be in another language.
  package var message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// Nobody answers under the destination's name, or there is no bus: not an error on a machine without NetworkManager.
  package var isAbsence: Bool {
    name.isEmpty || name == "org.freedesktop.DBus.Error.ServiceUnknown"
      || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }

  /// This user may not do that.
  package var isRefusal: Bool {
    name.hasSuffix(".PermissionDenied") || name.hasSuffix(".AccessDenied")
      || name.hasSuffix(".NotAuthorized")
  }
}

/// The system bus, as one thread uses it; a test passes another one.
package protocol Bus: AnyObject {
  /// Calls a method and waits for the answer, at most `BusLimits.patience`.
  func call(_ call: BusCall) throws(BusError) -> [BusValue]
  /// The signals of NetworkManager that have come since the last call.
  func signals() -> [BusSignal]
  /// Waits until there may be signals, somebody wakes `worker`, or `deadline` passes.
  func wait(until deadline: MediaTime, _ worker: Worker)
}

enum BusLimits {
  /// NetworkManager answers in milliseconds. After this long the call counts as failed.
  static let patience = Int64.seconds(5)
}
