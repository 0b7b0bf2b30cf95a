// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Calls the D-Bus methods of NetworkManager that the box uses. Each call waits for its answer, at most
/// `BusLimits.answerTimeout`.
struct NetworkClient {
  /// The connection on which the calls are made.
  let bus: any Bus

  /// NetworkManager's name on the bus, with which the names of its interfaces begin.
  private static let manager = "org.freedesktop.NetworkManager"
  /// The path of the object that stands for NetworkManager itself.
  private static let root = "/org/freedesktop/NetworkManager"

  /// Reads NetworkManager's devices, Wi-Fis and connections: all objects in one call, then the settings of each saved
  /// connection in a call of its own.
  func view() throws(BusError) -> NetworkView {
    let objects = try bus.call(
      BusCall(
        path: "/org/freedesktop", interface: "org.freedesktop.DBus.ObjectManager",
        method: "GetManagedObjects")
    ).first
    guard let objects else {
      throw BusError(name: "unreadable", message: "an answer is unreadable")
    }
    var settings: [String: BusValue] = [:]
    for path in NetworkView.profilePaths(in: objects) {
      // Skip a connection that was deleted meanwhile, or that belongs to another user.
      settings[path] = try? self.settings(of: path)
    }
    return NetworkView(objects: objects, settings: settings)
  }

  /// Reads the settings of a saved connection. They contain no secrets, such as the password of a Wi-Fi.
  /// - Parameter profile: the object path of the saved connection.
  func settings(of profile: String) throws(BusError) -> BusValue {
    try call(profile, ".Settings.Connection", "GetSettings").first ?? .tuple([])
  }

  /// Makes a radio begin a scan for Wi-Fis.
  /// - Parameter device: the object path of the radio.
  func scan(_ device: String) throws(BusError) {
    _ = try call(device, ".Device.Wireless", "RequestScan", [.variants([:])])
  }

  /// Saves a new connection.
  /// - Returns: the object path of the connection.
  func add(_ settings: BusValue) throws(BusError) -> String {
    try call("\(Self.root)/Settings", ".Settings", "AddConnection", [settings]).first?.text ?? ""
  }

  /// Activates a saved connection.
  /// - Parameters:
  ///   - profile: the object path of the saved connection.
  ///   - device: the object path of the device to activate it on.
  /// - Returns: the object path of the active connection.
  func activate(_ profile: String, _ device: String) throws(BusError) -> String {
    try call(
      Self.root, "", "ActivateConnection", [.path(profile), .path(device), .path("/")]
    ).first?.text ?? ""
  }

  /// Makes and activates a connection that is not saved: NetworkManager deletes the connection when it ends.
  /// - Parameter device: the object path of the device to activate it on.
  func activateOnce(_ settings: BusValue, _ device: String) throws(BusError) {
    _ = try call(
      Self.root, "", "AddAndActivateConnection2",
      [settings, .path(device), .path("/"), .variants(["persist": .text("volatile")])])
  }

  /// Ends a connection.
  /// - Parameter active: the object path of the active connection.
  func deactivate(_ active: String) throws(BusError) {
    _ = try call(Self.root, "", "DeactivateConnection", [.path(active)])
  }

  /// Replaces the settings of a saved connection.
  /// - Parameter profile: the object path of the saved connection.
  func update(_ profile: String, _ settings: BusValue) throws(BusError) {
    let toDisk: UInt32 = 1
    _ = try call(
      profile, ".Settings.Connection", "Update2", [settings, .uint32(toDisk), .variants([:])])
  }

  /// Deletes a saved connection.
  /// - Parameter profile: the object path of the saved connection.
  func delete(_ profile: String) throws(BusError) {
    _ = try call(profile, ".Settings.Connection", "Delete")
  }

  /// Makes a checkpoint: NetworkManager stores the present connection of a device. After `seconds` NetworkManager
  /// restores that connection by itself, even if OnAir has ended. A call of `forget` before that removes the
  /// checkpoint.
  /// - Parameter device: the object path of the device.
  /// - Returns: the object path of the checkpoint.
  func checkpoint(_ device: String, seconds: Int) throws(BusError) -> String {
    let deleteNewConnections: UInt32 = 2
    return try call(
      Self.root, "", "CheckpointCreate",
      [
        .list("o", [.path(device)]), .uint32(UInt32(clamping: seconds)),
        .uint32(deleteNewConnections),
      ]
    ).first?.text ?? ""
  }

  /// Restores the connections as they were when a checkpoint was made.
  /// - Parameter checkpoint: the object path of the checkpoint.
  func rollBack(_ checkpoint: String) throws(BusError) {
    _ = try call(Self.root, "", "CheckpointRollback", [.path(checkpoint)])
  }

  /// Removes a checkpoint, and keeps the changes of the network since the checkpoint was made.
  /// - Parameter checkpoint: the object path of the checkpoint.
  func forget(_ checkpoint: String) throws(BusError) {
    _ = try call(Self.root, "", "CheckpointDestroy", [.path(checkpoint)])
  }

  /// Sets the country code of a Wi-Fi radio, through wpa_supplicant, since NetworkManager has no method for that.
  /// - Parameters:
  ///   - country: the two letters of the country, such as "DE".
  ///   - interface: the name of the radio's network interface, such as "wlan0".
  func setCountry(_ country: String, _ interface: String) throws(BusError) {
    let supplicant = "fi.w1.wpa_supplicant1"
    let found = try bus.call(
      BusCall(
        destination: supplicant, path: "/fi/w1/wpa_supplicant1", interface: supplicant,
        method: "GetInterface", arguments: [.text(interface)]))
    guard let path = found.first?.object else { return }
    _ = try bus.call(
      BusCall(
        destination: supplicant, path: path, interface: "org.freedesktop.DBus.Properties",
        method: "Set",
        arguments: [.text("\(supplicant).Interface"), .text("Country"), .variant(.text(country))]))
  }

  /// Calls a method of NetworkManager.
  /// - Parameters:
  ///   - path: the path of the object.
  ///   - interface: the part of the interface's name after "org.freedesktop.NetworkManager", such as ".Device"; empty
  ///     for the interface of NetworkManager itself.
  private func call(
    _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = []
  ) throws(BusError) -> [BusValue] {
    try bus.call(
      BusCall(
        path: path, interface: "\(Self.manager)\(interface)", method: method, arguments: arguments))
  }
}

extension NetworkError {
  init(_ error: BusError) {
    self = error.isAbsence ? .unavailable : error.isRefusal ? .forbidden : .failed(error.message)
  }
}
