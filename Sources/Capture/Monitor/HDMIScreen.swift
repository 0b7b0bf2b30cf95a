// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc
internal import Posix

/// Finds out whether a playback device is a HDMI or DisplayPort output without a screen. Such a device fails to open,
/// or plays at any speed.
enum HDMIScreen {
  /// Whether there is no screen at the device.
  static func isMissing(for pcm: OpaquePointer) -> Bool {
    var room: OpaquePointer?
    unsafe snd_pcm_info_malloc(&room)
    guard let info = unsafe room else { return false }
    defer { unsafe snd_pcm_info_free(info) }
    guard unsafe snd_pcm_info(pcm, info) >= 0 else { return false }
    let (card, device) = unsafe (snd_pcm_info_get_card(info), snd_pcm_info_get_device(info))
    guard card >= 0 else { return false }
    var names = [cardName(card)].compactMap(\.self)
    if let id = unsafe snd_pcm_info_get_id(info) { names.append(unsafe String(cString: id)) }
    if let name = unsafe snd_pcm_info_get_name(info) { names.append(unsafe String(cString: name)) }
    return isMissing(
      names: names, eld: eld(card: card, device: device),
      connectors: connectors())
  }

  /// Whether there is no screen at a device that is not opened.
  /// - Parameter names: of its card and itself.
  static func isMissing(card: Int32, device: UInt32, _ names: String) -> Bool {
    isMissing(names: [names], eld: eld(card: card, device: device), connectors: connectors())
  }

  /// - Parameters:
  ///   - names: of the device and its card.
  ///   - eld: what the screen has told about its sound (EDID-like data); `nil` if the driver does not say.
  ///   - connectors: the state of each video connector, by its name: "connected" or "disconnected".
  static func isMissing(
    names: [String], eld: [UInt8]?, connectors: [String: String]
  ) -> Bool {
    let words = names.map { $0.lowercased() }
    guard words.contains(where: { $0.contains("hdmi") || $0.contains("displayport") }) else {
      return false
    }
    if let eld { return eld.allSatisfy { $0 == 0 } }
    let ports = connectors.filter { $0.key.contains("HDMI") || $0.key.contains("DP") }
    return !ports.isEmpty && !ports.values.contains("connected")
  }

  private static func cardName(_ card: Int32) -> String? {
    var name: UnsafeMutablePointer<CChar>?
    guard unsafe snd_card_get_name(card, &name) >= 0, let text = unsafe name else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// The control "ELD" of a device (Documentation/sound/hd-audio/controls.rst of the kernel).
  private static func eld(card: Int32, device: UInt32) -> [UInt8]? {
    var (control, identity, value): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
    guard unsafe snd_ctl_open(&control, "hw:\(card)", Int32(SND_CTL_NONBLOCK)) >= 0,
      let control = unsafe control
    else { return nil }
    defer { unsafe snd_ctl_close(control) }
    unsafe snd_ctl_elem_id_malloc(&identity)
    unsafe snd_ctl_elem_value_malloc(&value)
    var described: OpaquePointer?
    unsafe snd_ctl_elem_info_malloc(&described)
    guard let identity = unsafe identity, let value = unsafe value, let described = unsafe described
    else { return nil }
    defer {
      unsafe snd_ctl_elem_id_free(identity)
      unsafe snd_ctl_elem_value_free(value)
      unsafe snd_ctl_elem_info_free(described)
    }
    unsafe snd_ctl_elem_id_set_interface(identity, SND_CTL_ELEM_IFACE_PCM)
    unsafe snd_ctl_elem_id_set_device(identity, device)
    unsafe snd_ctl_elem_id_set_name(identity, "ELD")
    unsafe snd_ctl_elem_info_set_id(described, identity)
    guard unsafe snd_ctl_elem_info(control, described) >= 0 else { return nil }
    unsafe snd_ctl_elem_value_set_id(value, identity)
    guard unsafe snd_ctl_elem_read(control, value) >= 0 else { return nil }
    let count = unsafe min(512, snd_ctl_elem_info_get_count(described))
    return (0..<count).map {
      UInt8(truncatingIfNeeded: unsafe snd_ctl_elem_value_get_byte(value, $0))
    }
  }

  private static func connectors() -> [String: String] {
    let folder = "/sys/class/drm"
    return File.names(in: folder).reduce(into: [:]) { states, name in
      guard let text = try? File.read("\(folder)/\(name)/status", limit: 64) else { return }
      states[name] = String(decoding: text.bytes, as: UTF8.self)
        .split(separator: "\n").first.map(String.init)
    }
  }
}
