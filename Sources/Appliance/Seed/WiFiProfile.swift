// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix
internal import Settings

/// A Wi-Fi network as a keyfile of NetworkManager (nm-settings-keyfile(5)), which only root may own and read.
struct WiFiProfile {
  /// The name of the keyfile in NetworkManager's folder.
  static let fileName = "onair-card.nmconnection"
  /// Maximum size of a keyfile that is read, in bytes.
  private static let maxBytes = 16_384

  /// The name of the network.
  private let ssid: String
  /// The new password of the network; empty for an open network, or to keep the password in the present keyfile.
  private let password: Secret
  /// Whether an earlier import erased the password from the card. An empty password then does not mean an open network.
  private let isPasswordEmptied: Bool
  /// Whether the network does not broadcast its name.
  private let isHidden: Bool

  init(_ settings: SeedWiFi) {
    (ssid, password, isHidden) = (settings.ssid, settings.password, settings.isHidden)
    isPasswordEmptied = settings.isPasswordEmptied
  }

  /// Writes the keyfile. If there is no new password, the password in the present keyfile is kept, provided that it is
  /// for the same network. If the password was emptied and no keyfile has it, nothing is written: anybody could imitate
  /// the network if it counted as open.
  func save(in folder: String) throws(SystemError) {
    let present = try? File.readPrivate(Self.fileName, in: folder, limit: Self.maxBytes)
    let lines = present.map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    var key = password.isSet ? "psk=\(Self.escaped(password.reveal()))" : nil
    if key == nil, let lines, lines.contains("ssid=\(ssidByteList)") {
      key = lines.first { $0.hasPrefix("psk=") }
    }
    if key == nil, isPasswordEmptied { return }
    let bytes = Array(text(key: key).utf8)
    if bytes != present { try File.replace(Self.fileName, in: folder, with: bytes) }
  }

  /// The contents of the keyfile.
  /// - Parameter key: the line with the password, "psk=…"; `nil` for an open network.
  private func text(key: String?) -> String {
    """
    [connection]
    id=\(Self.escaped(ssid))
    type=wifi

    [wifi]
    mode=infrastructure
    ssid=\(ssidByteList)
    \(isHidden ? "hidden=true\n" : "")
    \(key.map { "[wifi-security]\nkey-mgmt=wpa-psk\n\($0)\n" } ?? "")
    [ipv4]
    method=auto

    [ipv6]
    method=auto

    """
  }

  /// The network's name as a list of byte values, since it may contain any bytes.
  private var ssidByteList: String { ssid.utf8.map { "\($0);" }.joined() }

  /// The text with the escapes of GKeyFile.
  private static func escaped(_ text: String) -> String {
    let backslashes = text.replacing("\\", with: "\\\\")
    let rest = backslashes.drop { $0 == " " }
    return String(repeating: "\\s", count: backslashes.count - rest.count) + rest
  }
}
