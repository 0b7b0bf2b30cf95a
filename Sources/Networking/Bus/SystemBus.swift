// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CSystemd
internal import Glibc

/// The D-Bus system bus, through sd-bus(3). Connects at the first call, and again after the connection was lost.
@safe final class SystemBus: Bus {
  /// The connection (`sd_bus *`); `nil` before the first call, and after the connection was lost.
  private var bus: OpaquePointer?

  /// The D-Bus match rules by which the bus delivers signals of NetworkManager. No rule matches signals about access
  /// points, which would come too often.
  private static let matches = [
    "interface='org.freedesktop.NetworkManager.Device',member='StateChanged'",
    "interface='org.freedesktop.NetworkManager.Connection.Active',member='StateChanged'",
    "interface='org.freedesktop.NetworkManager',member='StateChanged'",
  ].map { "type='signal',sender='org.freedesktop.NetworkManager',\($0)" }

  /// Whether to subscribe to the signals of NetworkManager.
  private let followsNetwork: Bool

  /// - Parameter signalsOfNetwork: whether to subscribe to the signals of NetworkManager, which `signals` returns.
  init(signalsOfNetwork: Bool = true) { followsNetwork = signalsOfNetwork }

  deinit { close() }

  /// Makes a call and waits for the answer. Connects to the bus first if there is no connection.
  func call(_ call: BusCall) throws(BusError) -> [BusValue] {
    let bus = unsafe try connected()
    do throws(BusError) {
      return unsafe try SystemBus.call(call, on: bus)
    } catch {
      if unsafe sd_bus_is_open(bus) <= 0 { close() }
      throw error
    }
  }

  /// Returns the signals of NetworkManager that have arrived since the last call of this function.
  func signals() -> [BusSignal] {
    var signals: [BusSignal] = []
    while let bus = unsafe bus {
      var message: OpaquePointer?
      let status = unsafe sd_bus_process(bus, &message)
      defer { unsafe sd_bus_message_unref(message) }
      if status < 0 { close() }
      guard status > 0 else { break }
      if let message = unsafe message, let signal = unsafe SystemBus.signal(message) {
        signals.append(signal)
      }
    }
    return signals
  }

  /// Waits until a message may have arrived, another thread wakes `worker`, or `deadline` passes.
  func wait(until deadline: MediaTime, _ worker: Worker) {
    guard let bus = unsafe bus else {
      worker.wait(until: deadline)
      return
    }
    // Do not wait if sd-bus has queued a signal, which came with the answer to a call: poll(2) would not return for it.
    var timeout = UInt64.max
    if unsafe sd_bus_get_timeout(bus, &timeout) >= 0, timeout == 0 { return }
    let wanted = PollEvents(rawValue: Int16(clamping: unsafe sd_bus_get_events(bus)))
    worker.wait(until: deadline, for: unsafe sd_bus_get_fd(bus), events: wanted)
  }

  /// The connection to the bus; connects first if there is none.
  private func connected() throws(BusError) -> OpaquePointer {
    if let bus = unsafe bus { return unsafe bus }
    var made: OpaquePointer?
    let status = unsafe sd_bus_open_system(&made)
    guard status >= 0, let made = unsafe made else { throw SystemBus.failure(status) }
    unsafe bus = made
    do throws(BusError) {
      for match in SystemBus.matches where followsNetwork {
        _ = unsafe try SystemBus.call(
          BusCall(
            destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", method: "AddMatch", arguments: [.text(match)]),
          on: made)
      }
    } catch {
      close()
      throw BusError(name: "", message: error.message)
    }
    return unsafe made
  }

  /// Closes the connection. The next call connects again.
  private func close() {
    unsafe sd_bus_close_unref(bus)
    unsafe bus = nil
  }

  /// Makes a call on a connection, and waits for the answer.
  /// - Returns: the values of the answer.
  private static func call(
    _ call: BusCall, on bus: OpaquePointer
  ) throws(BusError) -> [BusValue] {
    var message: OpaquePointer?
    var answer: OpaquePointer?
    var error = unsafe sd_bus_error()
    defer {
      unsafe sd_bus_message_unref(message)
      unsafe sd_bus_message_unref(answer)
      unsafe sd_bus_error_free(&error)
    }
    var status = unsafe sd_bus_message_new_method_call(
      bus, &message, call.destination, call.path, call.interface, call.method)
    guard status >= 0, let message = unsafe message else { throw failure(status) }
    // Do not let the bus start the called service, such as a NetworkManager that is switched off.
    unsafe sd_bus_message_set_auto_start(message, 0)
    let writer = unsafe BusWriter(message: message)
    for argument in call.arguments where status >= 0 { status = writer.write(argument) }
    guard status >= 0 else { throw failure(status) }
    status = unsafe sd_bus_call(
      bus, message, UInt64(BusLimits.answerTimeout / 1_000), &error, &answer)
    guard status >= 0, let answer = unsafe answer else {
      guard let name = unsafe error.name else { throw failure(status) }
      throw BusError(
        name: unsafe String(cString: name),
        message: unsafe error.message.map { unsafe String(cString: $0) } ?? "")
    }
    return unsafe BusReader(message: answer).all()
  }

  /// Reads a signal; `nil` for a message without a path, an interface or a member.
  private static func signal(_ message: OpaquePointer) -> BusSignal? {
    guard let path = unsafe sd_bus_message_get_path(message),
      let interface = unsafe sd_bus_message_get_interface(message),
      let member = unsafe sd_bus_message_get_member(message)
    else { return nil }
    return unsafe BusSignal(
      path: String(cString: path),
      name: "\(String(cString: interface)).\(String(cString: member))",
      arguments: BusReader(message: message).all())
  }

  /// The error for a function of sd-bus that has failed.
  /// - Parameter status: what the function has returned: a negative errno.
  private static func failure(_ status: Int32) -> BusError {
    let isDeadline = status == -ETIMEDOUT
    return BusError(
      name: isDeadline ? "org.freedesktop.DBus.Error.NoReply" : "",
      message: unsafe String(cString: strerror(-status)))
  }
}
