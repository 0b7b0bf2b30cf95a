// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[box]`: what people call this box, and where it is.
public struct BoxSettings: Sendable, Equatable {
  /// Empty for the machine's host name.
  public let name: String
  /// A name of the IANA time zone database ("Europe/Berlin"); empty for the system's zone.
  public let zone: String

  init(_ form: inout Form) {
    name = form.value(
      "box.name", .boxName, default: "",
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

/// The IANA time zone database as tzdata installs it: a file (RFC 8536) for each zone.
enum TimeZones {
  static let folder = "/usr/share/zoneinfo"
  /// Bytes of such a file at most; the largest have some 3,500.
  private static let longest = 1 << 16
  private static let magic = Array("TZif".utf8)

  /// Why a zone is not to be used, as a continuation of "box.zone: "; `nil` if it is known.
  static func problem(_ zone: String, _ files: FileReader) -> String? {
    let contents = try? files("\(folder)/\(zone)", longest)
    if let contents, contents.bytes.starts(with: magic) { return nil }
    // Every tzdata has it.
    return (try? files("\(folder)/UTC", longest)) == nil
      ? "cannot be looked up: install the package tzdata"
      : "is not in the list of time zones: choose one as in \"Europe/Berlin\""
  }
}

extension Kind where Value == String {
  fileprivate static var boxName: Kind {
    let longest = 64
    return .text(
      "at most \(longest) characters, or empty",
      read: { text throws(ValueError) in
        text.unicodeScalars.count <= longest && !text.hasHiddenCharacters ? text : nil
      }, show: { $0 })
  }

  /// Only the form of the name; `TimeZones` knows whether there is such a zone. It becomes part of a path.
  fileprivate static var timeZone: Kind {
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
