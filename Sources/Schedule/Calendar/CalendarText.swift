// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a part of a calendar is left out: the end of a sentence that begins with "It".
struct NotUnderstood: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension String {
  /// The beginning of the text, of at most `count` Unicode scalars: a single `Character` may have any number of bytes.
  func cut(to count: Int) -> String { String(unicodeScalars.prefix(count)) }
}

/// A line of a calendar file (RFC 5545, section 3.1): "DTSTART;TZID=Europe/Berlin:20260329T095500".
struct CalendarProperty {
  /// In upper case.
  let name: String
  /// The parameters by their names, which are in upper case; the values are without quotes.
  let parameters: [String: String]
  let value: String

  /// Reads an unfolded line; `nil` if it is none of the format.
  init?(_ line: Substring) {
    // A colon or a semicolon within quotes belongs to the value of a parameter.
    var isQuoted = false
    var parts: [Substring] = []
    var start = line.startIndex
    var rest: Substring?
    for index in line.indices {
      let character = line[index]
      if character == "\"" { isQuoted.toggle() }
      guard !isQuoted, character == ";" || character == ":" else { continue }
      parts.append(line[start..<index])
      start = line.index(after: index)
      if character == ":" {
        rest = line[start...]
        break
      }
    }
    guard let rest, let name = parts.first, !name.isEmpty, parts.count <= 32 else { return nil }
    self.name = name.uppercased()
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { return nil }
      parameters[sides[0].uppercased()] = String(sides[1].filter { $0 != "\"" })
    }
    self.parameters = parameters
    value = String(rest)
  }

  /// The value as text for people, on one line: the escapes of RFC 5545, section 3.3.11, are resolved.
  var text: String {
    var out = ""
    var isEscaped = false
    for character in value {
      if isEscaped {
        out.append(character == "n" || character == "N" ? " " : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        out.append(character)
      }
    }
    return out
  }
}

/// Splits a calendar file into its lines, and these into events.
enum CalendarText {
  /// The properties of each VEVENT, without those of what is inside it, such as alarms.
  /// - Returns: `nil` if the file is no calendar.
  static func events(_ bytes: [UInt8]) -> [[CalendarProperty]]? {
    var components: [String] = []
    var events: [[CalendarProperty]] = []
    var isCalendar = false
    for line in lines(bytes) {
      guard let property = CalendarProperty(line[...]) else { continue }
      switch property.name {
      case "BEGIN":
        components.append(property.value.uppercased())
        if components == ["VCALENDAR"] { isCalendar = true }
        if components == ["VCALENDAR", "VEVENT"] { events.append([]) }
        // No calendar nests deeper.
        guard components.count <= 8 else { return nil }
      case "END":
        guard components.popLast() == property.value.uppercased() else { return nil }
      default:
        if components == ["VCALENDAR", "VEVENT"] { events[events.count - 1].append(property) }
      }
    }
    // A file that was cut off may lack an event's end, or an exception to it.
    return isCalendar && components.isEmpty ? events : nil
  }

  /// The lines of a file, unfolded: a line that begins with a blank or a tab continues the one before.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    var lines: [[UInt8]] = []
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let body = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    for line in body.split(separator: UInt8(ascii: "\n")) {
      let whole = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if let first = whole.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"),
        !lines.isEmpty
      {
        lines[lines.count - 1] += whole.dropFirst()
      } else {
        lines.append(Array(whole))
      }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
