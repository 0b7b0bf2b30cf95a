// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base

/// A method call on D-Bus.
package struct BusCall: Sendable, Equatable {
  /// The bus name of the called service.
  package var destination: String
  /// The path of the called object.
  package var path: String
  /// The D-Bus interface of the method.
  package var interface: String
  /// The name of the called method.
  package var method: String
  /// The arguments of the call, in the order of the method's signature.
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

/// A D-Bus signal of NetworkManager.
package struct BusSignal: Sendable, Equatable {
  /// The path of the object that has sent the signal.
  package var path: String
  /// The interface and the member of the signal: "org.freedesktop.NetworkManager.Device.StateChanged".
  package var name: String
  /// The values that the signal carries, in the order of its signature.
  package var arguments: [BusValue]

  package init(path: String, name: String, arguments: [BusValue]) {
    self.path = path
    self.name = name
    self.arguments = arguments
  }
}

/// Why a D-Bus call has failed.
package struct BusError: Error, Equatable {
  /// The name of the D-Bus error, such as "org.freedesktop.DBus.Error.ServiceUnknown"; empty if the bus itself cannot
  /// be reached.
  package var name: String
  /// The message of the error, for the log. The called service may write it in a language other than English.
  package var message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  /// Whether the called service is not on the bus, or there is no bus at all: this is normal on a machine without
  /// NetworkManager.
  package var isAbsence: Bool {
    name.isEmpty || name == "org.freedesktop.DBus.Error.ServiceUnknown"
      || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }

  /// Whether the call was refused because the user that OnAir runs as has no permission for it.
  package var isRefusal: Bool {
    name.hasSuffix(".PermissionDenied") || name.hasSuffix(".AccessDenied")
      || name.hasSuffix(".NotAuthorized")
  }
}

/// A D-Bus connection: to the system bus or, in a test, to a fake of it. Only one thread uses it.
package protocol Bus: AnyObject {
  /// Calls a method and waits for the answer, at most `BusLimits.answerTimeout` (5 s).
  /// - Returns: the values of the answer.
  func call(_ call: BusCall) throws(BusError) -> [BusValue]
  /// Returns the signals of NetworkManager that have arrived since the last call of this function.
  func signals() -> [BusSignal]
  /// Waits until a signal may have arrived, another thread wakes `worker`, or `deadline` passes.
  func wait(until deadline: MediaTime, _ worker: Worker)
}

/// Limits of every `Bus`.
enum BusLimits {
  /// How long a call waits for its answer before it counts as failed, in nanoseconds. NetworkManager answers in
  /// milliseconds.
  static let answerTimeout = Int64.seconds(5)
}
