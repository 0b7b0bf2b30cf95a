// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Synchronization

// Carries out the changes of the network that people request.

/// A change of the network that has been accepted. It begins after a delay in which the answer can reach the person who
/// has requested the change.
enum QueuedChange {
  /// Joins a Wi-Fi.
  /// - Parameter device: the object path of the radio that joins the Wi-Fi.
  case join(WiFiRequest, device: String)
  /// Gives an interface another IPv4 address.
  /// - Parameter profile: the path of the saved connection to change; `nil` for a cable without a saved connection.
  case address(AddressRequest, interface: String, device: String, profile: String?)
}

extension NetworkLoop {
  /// Seconds after which NetworkManager rolls a change back by itself, if OnAir has neither kept the change nor rolled
  /// it back.
  private static let checkpointSeconds = 180

  /// Carries out a request, or queues the change that it asks for.
  /// - Returns: a sentence for people; empty for `.look`.
  func carryOut(_ request: Network.Request) -> Result<String, NetworkError> {
    Result { () throws(NetworkError) in
      guard let view else { throw .unavailable }
      switch request {
      case .look: return ""
      case .scan: return try scan(view)
      case .join(let request): return try join(request, view)
      case .forget(let name): return try forget(name, view)
      case .address(let interface, let request): return try setAddress(interface, request, view)
      case .confirm(let number): return try confirm(number)
      case .hotspot(let isOn): return try setHotspot(isOn, view)
      }
    }
  }

  /// Runs `body`, which calls NetworkManager, and turns a `BusError` into a `NetworkError`.
  private func ask<Value>(_ body: () throws(BusError) -> Value) throws(NetworkError) -> Value {
    do throws(BusError) {
      return try body()
    } catch {
      throw NetworkError(error)
    }
  }

  /// The first Wi-Fi radio that is switched on.
  /// - Throws: `noRadio` if there is none.
  private func radio(_ view: NetworkView) throws(NetworkError) -> NetworkView.Device {
    guard let radio = view.devices.first(where: { $0.kind == .wifi && $0.state.isUsable }) else {
      throw .noRadio
    }
    return radio
  }

  /// Begins a scan for Wi-Fis.
  /// - Returns: a sentence for people.
  private func scan(_ view: NetworkView) throws(NetworkError) -> String {
    let radio = try radio(view)
    guard !view.isHotspot(radio) else { throw .noScan }
    try ask { () throws(BusError) in try client.scan(radio.path) }
    return "The box looks for Wi-Fis; the list is complete in some seconds."
  }

  /// Deletes all saved connections of a Wi-Fi.
  /// - Returns: a sentence for people.
  private func forget(_ name: String, _ view: NetworkView) throws(NetworkError) -> String {
    guard trial == nil, queued == nil else { throw .busy }
    let wifi = Array(name.utf8)
    let profiles = view.profiles.filter { $0.wifi == wifi && !$0.isAccessPoint }
    guard !profiles.isEmpty else { throw .unknownWiFi(name) }
    for profile in profiles {
      try ask { () throws(BusError) in try client.delete(profile.path) }
    }
    readView()
    return "The Wi-Fi \(name) is forgotten."
  }

  /// Switches the box's own Wi-Fi on or off at a person's request. Switching it on is only noted here:
  /// `followHotspotRules` then makes the Wi-Fi.
  /// - Returns: a sentence for people.
  private func setHotspot(_ isOn: Bool, _ view: NetworkView) throws(NetworkError) -> String {
    guard trial == nil, queued == nil else { throw .busy }
    _ = try radio(view)
    hotspotRules.noteManualSwitch(isOn, now: clock.now)
    guard !isOn else { return Sentences.hotspot(hotspotSettings) }
    endHotspot()
    return "The box's own Wi-Fi is off."
  }

  // MARK: Wi-Fi and addresses

  /// Checks a request to join a Wi-Fi, and queues the change.
  /// - Returns: a sentence for people.
  private func join(_ request: WiFiRequest, _ view: NetworkView) throws(NetworkError) -> String {
    guard trial == nil, queued == nil else { throw .busy }
    let radio = try radio(view)
    guard WiFiRules.isName(request.name) else { throw .unfitName }
    let name = wifiText(request.name)
    let point = (view.wifis + lastSeenWiFis).first { $0.name == request.name }
    switch point?.security {
    case .enterprise: throw .enterprise(name)
    case .wep: throw .oldSecurity(name)
    case .wpa, .wpa3:
      if !request.password.isSet, !view.isKnown(request.name) { throw .passwordNeeded(name) }
    case .open: if request.password.isSet { throw .isOpen(name) }
    case nil: break
    }
    guard !request.password.isSet || WiFiRules.isPassword(request.password.reveal()) else {
      throw .unfitPassword
    }
    queue(
      .join(request, device: radio.path), leaving: radio, .wifi(name),
      "The box is joining the Wi-Fi \(name).")
    hotspotRules.noteJoin()
    return change?.sentence ?? ""
  }

  /// Checks a request to give an interface another IPv4 address, and queues the change.
  /// - Returns: a sentence for people.
  private func setAddress(
    _ interface: String, _ request: AddressRequest, _ view: NetworkView
  ) throws(NetworkError) -> String {
    guard trial == nil, queued == nil else { throw .busy }
    guard let device = view.device(interface), !view.isHotspot(device) else {
      throw .unknownInterface(interface)
    }
    let profile = view.profile(of: device) ?? view.cableProfile(for: device)
    // A cable may have no connection yet, as in a network without DHCP: a fixed address makes one. A Wi-Fi has to be
    // joined before it can get an address.
    let canBegin = device.kind == .cable && device.state.isUsable && device.state != .connected
    guard profile != nil || canBegin else { throw .noConnection(interface) }
    queue(
      .address(request, interface: interface, device: device.path, profile: profile?.path),
      leaving: device, .address(interface), "\(interface) is getting its new address.")
    return change?.sentence ?? ""
  }

  /// Queues a change. A change that may cut off the person who has requested it begins after `answerDelay`.
  /// - Parameters:
  ///   - device: the device that gets another connection or address.
  ///   - sentence: the beginning of the text for people about the change. What happens if the change does not work is
  ///     appended.
  private func queue(
    _ queued: QueuedChange, leaving device: NetworkView.Device, _ kind: NetworkTrial.Kind,
    _ sentence: String
  ) {
    var sentence = sentence
    var cutsOffCaller = true
    if isUplink(device) {
      let seconds = NetworkTrial.confirmationTimeout / 1_000_000_000
      sentence += " If no page reaches it there within \(seconds) s, it goes back."
    } else if view?.isHotspot(device) ?? false {
      sentence += " Its own Wi-Fi ends for that, and comes back if it does not work."
    } else {
      cutsOffCaller = false
    }
    changeCount += 1
    change = .init(number: changeCount, state: .trying, sentence: sentence)
    self.queued = (clock.now + (cutsOffCaller ? NetworkLoop.answerDelay : 0), queued)
  }

  /// Begins the queued change, if it is due.
  func beginQueuedChange() {
    guard let (at, next) = queued, clock.now >= at, let view else { return }
    queued = nil
    do throws(BusError) {
      switch next {
      case .join(let request, let path):
        guard let device = view.devices.first(where: { $0.path == path }) else {
          return end(.failed, NetworkError.noRadio.sentence)
        }
        failures.noteJoin(path, wifiText(request.name))
        let known = view.profiles.first { $0.wifi == request.name && !$0.isAccessPoint }
        let security = (view.wifis + lastSeenWiFis).first { $0.name == request.name }?.security
        let settings = Profiles.wifi(request, security)
        let kind = NetworkTrial.Kind.wifi(wifiText(request.name))
        try beginTrial(kind, device) { () throws(BusError) in
          if let known, !request.password.isSet { return .saved(known.path) }
          return .added(try client.add(settings))
        }
      case .address(let request, let interface, let path, let profile):
        guard let device = view.devices.first(where: { $0.path == path }) else {
          return end(.failed, NetworkError.unknownInterface(interface).sentence)
        }
        failures.forget(path)
        try beginTrial(.address(interface), device) { () throws(BusError) in
          guard let profile else {
            return .added(try client.add(Profiles.addressed(Profiles.cable(interface), request)))
          }
          let settings = try client.settings(of: profile)
          try client.update(profile, Profiles.addressed(settings, request))
          return .changed(profile, from: settings)
        }
      }
      readView()
    } catch {
      end(.failed, NetworkError(error).sentence)
    }
  }

  /// Changes the saved connections, activates one of them, and begins the trial of this change.
  /// - Parameter prepare: changes the saved connections, and returns the connection to activate.
  private func beginTrial(
    _ kind: NetworkTrial.Kind, _ device: NetworkView.Device,
    _ prepare: () throws(BusError) -> NetworkTrial.Connection
  ) throws(BusError) {
    let checkpoint =
      isUplink(device)
      ? try client.checkpoint(device.path, seconds: NetworkLoop.checkpointSeconds) : nil
    var connection: NetworkTrial.Connection?
    do throws(BusError) {
      let prepared = try prepare()
      connection = prepared
      let active = try client.activate(prepared.path, device.path)
      trial = NetworkTrial(
        number: changeCount, kind: kind, device: device.path, active: active,
        checkpoint: checkpoint, connection: prepared, now: clock.now)
    } catch {
      undoChange(checkpoint, connection)
      throw error
    }
  }

  /// Judges the change that is being tried, and keeps or undoes it.
  func judgeTrial() {
    guard let view, var current = trial else { return }
    let failure = failures.entries[current.device]?.sentence
    let verdict = current.judge(view, failure: failure, now: clock.now)
    trial = current
    switch verdict {
    case .wait: break
    case .unconfirmed: change?.state = .unconfirmed
    case .done: keep(current)
    case .failed(let sentence):
      undoChange(current.checkpoint, current.connection)
      end(.failed, sentence)
      if current.checkpoint == nil, case .wifi = current.kind, !view.isOnline {
        hotspotRules.noteFailedJoin(now: clock.now)
      }
    case .undo:
      undoChange(current.checkpoint, current.connection)
      let sentence =
        "The change of the network was undone: no page has reached the box within "
        + "\(NetworkTrial.confirmationTimeout / 1_000_000_000) s."
      end(.undone, sentence)
      network.report(.undone(sentence))
    }
  }

  /// Keeps the change that waits to be confirmed.
  /// - Parameter number: the number that the change must have; `nil` for any number.
  /// - Returns: a sentence for people.
  private func confirm(_ number: Int?) throws(NetworkError) -> String {
    guard let current = trial, current.worksSince != nil, number ?? current.number == current.number
    else { throw .nothingToConfirm }
    if let checkpoint = current.checkpoint {
      try ask { () throws(BusError) in try client.forget(checkpoint) }
    }
    keep(current)
    return change?.sentence ?? ""
  }

  /// Ends a change that works, and keeps it. For a Wi-Fi that was joined, deletes the older saved connections of the
  /// same name.
  private func keep(_ current: NetworkTrial) {
    switch current.kind {
    case .wifi(let name):
      // Delete older saved connections of the same Wi-Fi: they have another password.
      if let added = current.connection.added, let view {
        for old in view.profiles
        where old.wifi == Array(name.utf8) && old.path != added && !old.isAccessPoint {
          try? client.delete(old.path)
        }
      }
      end(.done, "The box is in the Wi-Fi \(name).")
      // Report only a Wi-Fi that the box does not use: `UplinkRules` reports a change to the Wi-Fi.
      if let view, let uplink = view.uplink, uplink.path != current.device {
        network.report(
          .joined(
            "The box has joined the Wi-Fi \(name), and goes on using "
              + "\(Sentences.name(uplink, in: view))."
          ))
      }
    case .address(let interface): end(.done, "\(interface) has its new address.")
    }
  }

  /// Undoes a change: rolls back to `checkpoint`, or else deletes or restores the saved connection.
  private func undoChange(_ checkpoint: String?, _ connection: NetworkTrial.Connection?) {
    if let checkpoint {
      try? client.rollBack(checkpoint)
    } else if case .added(let path) = connection {
      try? client.delete(path)
    } else if case .changed(let path, let settings) = connection {
      try? client.update(path, settings)
    }
    readView()
  }

  /// Ends the present change, and stores its final state and sentence in `change`.
  func end(_ state: NetworkState.Change.State, _ sentence: String) {
    trial = nil
    change?.state = state
    change?.sentence = sentence
    change?.secondsLeft = nil
  }
}

extension WiFiRequest {
  init(name: [UInt8], password: Secret, isHidden: Bool) {
    self.name = name
    self.password = password
    self.isHidden = isHidden
  }
}
