// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix
internal import Settings

/// A Wi-Fi network as a keyfile of NetworkManager (nm-settings-keyfile(5)), which must belong to root alone.
struct WiFiProfile {
  static let fileName = "onair-card.nmconnection"
  private static let longest = 16_384

  private let ssid: String
  private let password: Secret
  private let isPasswordEmptied: Bool
  private let isHidden: Bool

  init(_ settings: SeedWiFi) {
    (ssid, password, isHidden) = (settings.ssid, settings.password, settings.hidden)
    isPasswordEmptied = settings.isPasswordEmptied
  }

  /// Writes the file. Without a password, that of the file that is there stays, if it is of the same network. A network
  /// whose password is forgotten is not joined: as an open one, anybody could imitate it.
  func save(in folder: String) throws(SystemError) {
    let present = try? File.readPrivate(Self.fileName, in: folder, limit: Self.longest)
    let lines = present.map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    var key = password.isSet ? "psk=\(Self.escaped(password.reveal()))" : nil
    if key == nil, let lines, lines.contains("ssid=\(ssidText)") {
      key = lines.first { $0.hasPrefix("psk=") }
    }
    if key == nil, isPasswordEmptied { return }
    let bytes = Array(text(key: key).utf8)
    if bytes != present { try File.replace(Self.fileName, in: folder, with: bytes) }
  }

  private func text(key: String?) -> String {
    """
    [connection]
    id=\(Self.escaped(ssid))
    type=wifi

    [wifi]
    mode=infrastructure
    ssid=\(ssidText)
    \(isHidden ? "hidden=true\n" : "")
    \(key.map { "[wifi-security]\nkey-mgmt=wpa-psk\n\($0)\n" } ?? "")
    [ipv4]
    method=auto

    [ipv6]
    method=auto

    """
  }

  /// As bytes: a name may hold anything.
  private var ssidText: String { ssid.utf8.map { "\($0);" }.joined() }

  /// The escapes of GKeyFile.
  private static func escaped(_ text: String) -> String {
    let backslashes = text.replacing("\\", with: "\\\\")
    let rest = backslashes.drop { $0 == " " }
    return String(repeating: "\\s", count: backslashes.count - rest.count) + rest
  }
}
