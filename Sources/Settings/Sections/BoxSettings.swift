// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[box]`: what people call this box, and its time zone.
public struct BoxSettings: Sendable, Equatable {
  /// The name that people call the box; empty for the machine's host name.
  public let name: String
  /// The time zone in which times are shown: a name of the IANA database ("Europe/Berlin"); empty for the system's
  /// zone.
  public let zone: String

  init(_ form: inout Form) {
    name = form.value(
      "box.name", .shownName, default: "",
      help: """
        What people call this box, as in "Town hall": the page and "onair status" show it. Its \
        address on the network does not change. If it is empty, they show the host name.
        """)
    zone = form.value(
      "box.zone", .timeZone, default: "",
      help: """
        The time zone in which times are shown, as in "Europe/Berlin" or "Asia/Shanghai". If it is \
        empty, it is that of the system; a box from an image has UTC.
        """)
  }
}

/// Looks names up in the IANA time zone database, as the package tzdata installs it: a file (RFC 8536) for each zone.
enum TimeZones {
  /// The folder of the time zone database.
  static let folder = "/usr/share/zoneinfo"
  /// Maximum size of a zone's file in bytes. The largest files of the database have some 3,500 bytes.
  private static let maxBytes = 1 << 16
  /// The first bytes of each file of the time zone database.
  private static let magic = Array("TZif".utf8)

  /// Why `zone` cannot be used, as a continuation of "box.zone: "; `nil` if it can.
  static func problem(_ zone: String, _ files: FileReader) -> String? {
    let contents = try? files("\(folder)/\(zone)", maxBytes)
    if let contents, contents.bytes.starts(with: magic) { return nil }
    // The package tzdata always contains UTC: if UTC is missing, the package is not installed.
    return (try? files("\(folder)/UTC", maxBytes)) == nil
      ? "cannot be looked up: install the package tzdata"
      : "is not in the list of time zones: choose one as in \"Europe/Berlin\""
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is a name that people read, such as that of a box, or empty.
  static var shownName: Kind {
    let maxCharacters = 64
    return .text(
      "at most \(maxCharacters) characters, or empty",
      read: { text throws(ValueError) in
        text.unicodeScalars.count <= maxCharacters && !text.hasHiddenCharacters ? text : nil
      }, show: { $0 })
  }

  /// The kind of a setting whose value is the name of a time zone, or empty. Only the form of the name is checked here,
  /// since the name becomes part of a path. `TimeZones` checks whether the zone exists.
  static var timeZone: Kind {
    .text(
      "a time zone (Europe/Berlin), or empty",
      read: { text in
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
          (1...32).contains(part.utf8.count)
            && part.unicodeScalars.allSatisfy { scalar in
              switch scalar {
              case "A"..."Z", "a"..."z", "0"..."9", "_", "-", "+": true
              default: false
              }
            }
        }
        return text.isEmpty || isName && parts.count <= 3 ? text : nil
      }, show: { $0 })
  }
}
