// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Makes the sentences about the network for people. Does no I/O.
enum Sentences {
  /// The sentence about the network of a machine where NetworkManager does not run.
  static let unavailable =
    "NetworkManager does not run on this machine, so its network is set up elsewhere."

  /// The words for a network that the box uses through an interface that is not in `NetworkView.devices`, such as a
  /// bridge.
  static let elsewhere = "a network that is set up elsewhere"

  /// A device in words, such as "the cable" or "the Wi-Fi Home".
  static func name(_ device: NetworkView.Device, in view: NetworkView) -> String {
    switch device.kind {
    case .cable: "the cable"
    case .wifi: view.wifi(of: device).map { "the Wi-Fi \(wifiText($0))" } ?? "the Wi-Fi"
    case .modem: "the modem"
    }
  }

  /// A sentence that says what is wrong with the network; `nil` if nothing is.
  static func problem(_ view: NetworkView, _ failures: Failures) -> String? {
    guard let uplink = view.uplink else {
      if view.isOnline { return nil }
      let failed = view.devices.lazy.compactMap { failures.entries[$0.path] }.first
      return failed?.sentence ?? absence(view)
    }
    // 2 in NMConnectivityState means that a captive portal asks for a login.
    guard view.connectivity == 2 else { return nil }
    return
      "The network at \(name(uplink, in: view)) asks for a login on a page of its own, which the "
      + "box cannot give."
  }

  /// A sentence that says why the box is in no network, for the case that no device has reported a failure.
  private static func absence(_ view: NetworkView) -> String {
    let hasRadio = view.devices.contains { $0.kind == .wifi }
    let cable =
      view.devices.contains { $0.kind == .cable && $0.state.isUsable }
      ? "The network at the cable gives the box no address" : "No cable"
    guard hasRadio else {
      return cable == "No cable" ? "No cable is plugged in." : "\(cable)."
    }
    guard view.isRadioOn else { return "\(cable), and the Wi-Fi radio is switched off." }
    return view.knowsWiFi
      ? "\(cable), and no known Wi-Fi is in reach." : "\(cable), and the box knows no Wi-Fi yet."
  }

  /// A sentence that says through which device the box is in a network, or why it is in none.
  static func state(_ view: NetworkView, _ failures: Failures) -> String {
    if view.uplink == nil, view.isOnline { return "The box uses \(elsewhere)." }
    if let uplink = view.uplink, view.connectivity != 2 {
      return "The box uses \(name(uplink, in: view))."
    }
    if view.uplink == nil, let joining = view.devices.first(where: { $0.state == .connecting }) {
      return "The box is connecting through \(name(joining, in: view))."
    }
    return problem(view, failures) ?? absence(view)
  }

  /// A sentence that says how to open the page in the box's own Wi-Fi.
  static func hotspot(_ plan: HotspotSettings) -> String {
    "The box makes its own Wi-Fi \(plan.name): join it with a phone, and open http://\(HotspotSettings.address)."
  }
}
