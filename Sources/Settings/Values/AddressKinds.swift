// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// The kinds of the settings for a server: the URL, the stream key, the user name and the password.

/// A secret for a server. Users give the secret in the setting that has the case's name (`key` or `password`), in a
/// file, or as a systemd credential.
enum AddressSecret: String {
  /// `key` is the stream key. `password` is the password for a server that asks for user name and password.
  case key, password

  private static let maxPasswordBytes = 255

  /// Checks whether a text can be this secret. The reason of a thrown `ValueError` never quotes the text.
  func check(_ text: String) throws(ValueError) {
    let maxBytes = self == .key ? RTMPURL.maxBytes : Self.maxPasswordBytes
    guard text.utf8.count <= maxBytes else {
      throw .because(
        "the \(rawValue) is longer than \(maxBytes) bytes",
        self == .key ? .keyTooLong : .passwordTooLong)
    }
    guard text.utf8.allSatisfy({ (self == .key ? 0x21 : 0x20)...0x7E ~= $0 }) else {
      throw .because(
        "the \(rawValue) holds \(self == .key ? "a space, " : "")a control character or one outside ASCII",
        .keyCharacters)
    }
  }

  /// The allowed values, as a continuation of "must be".
  fileprivate var allowed: String {
    switch self {
    case .key: "at most \(RTMPURL.maxBytes) printable ASCII characters without spaces"
    case .password: "at most \(Self.maxPasswordBytes) printable ASCII characters"
    }
  }
}

extension Kind where Value == RTMPURL? {
  /// The kind of a setting whose value is the URL of an RTMP server; an empty text is `nil`.
  static var url: Kind {
    .text(
      "rtmp://HOST[:PORT][/APP] or rtmps://…, at most \(RTMPURL.maxBytes) bytes, or empty",
      read: { text throws(ValueError) in
        // `.some(nil)` is the valid value "not set"; nil would reject the text.
        text.isEmpty ? .some(nil) : .some(try RTMPURL(text))
      },
      show: { $0?.description ?? "" })
  }
}

extension Kind where Value == Secret {
  /// The kind of a setting whose value is a stream key, or empty.
  static var key: Kind { secret(.key) }
  /// The kind of a setting whose value is the password for a server that asks for one, or empty.
  static var password: Kind { secret(.password) }

  /// The kind of a setting whose value is empty, or a text that `AddressSecret.check` accepts.
  private static func secret(_ secret: AddressSecret) -> Kind {
    .text(
      secret.allowed,
      read: { text throws(ValueError) in
        try secret.check(text)
        return Secret(text)
      },
      show: { $0.isSet ? $0.description : "" })
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is a user name, or empty. The name needs no escapes in the query of a URL.
  static var user: Kind {
    .text(
      "at most 255 printable ASCII characters without spaces, &, =, ? and #",
      read: { text throws(ValueError) in
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
          !text.contains(where: { "&=?#".contains($0) })
        else { throw .notAllowed }
        return text
      },
      show: { $0 })
  }
}
