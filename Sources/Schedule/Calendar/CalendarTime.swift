// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Finds a time zone by its IANA name; `nil` if there is no such zone.
public typealias ZoneFinder = (_ name: String) -> TimeZoneFile?

/// A time in a calendar: what the clocks of a zone show.
struct CalendarTime {
  var local: LocalTime
  var zoneName: String
  var zone: TimeZoneFile

  /// Seconds since 1970-01-01 UTC.
  var moment: Int64 { zone.moment(of: local) }

  /// The values of a property such as DTSTART, which are separated by commas.
  static func list(
    _ property: CalendarProperty, _ zones: CalendarZones
  ) throws(NotUnderstood) -> [CalendarTime] {
    var times: [CalendarTime] = []
    // A zone is looked for in files: once, however many values there are.
    var zone: (String, TimeZoneFile)?
    for value in property.value.split(separator: ",", omittingEmptySubsequences: false) {
      times.append(try CalendarTime(value, property, zones, &zone))
    }
    return times
  }

  /// The value of a property such as DTSTART.
  init(_ property: CalendarProperty, _ zones: CalendarZones) throws(NotUnderstood) {
    var zone: (String, TimeZoneFile)?
    try self.init(property.value[...], property, zones, &zone)
  }

  /// - Parameter known: the property's zone; `nil` until a value has needed it.
  private init(
    _ value: Substring, _ property: CalendarProperty, _ zones: CalendarZones,
    _ known: inout (String, TimeZoneFile)?
  ) throws(NotUnderstood) {
    switch property.parameters["VALUE"] ?? "DATE-TIME" {
    case "DATE-TIME": break
    case "DATE": throw NotUnderstood("is for a whole day, and has no time of day")
    default: throw NotUnderstood("has \(property.name) in a form that is not known")
    }
    let isUTC = value.hasSuffix("Z")
    guard let local = CalendarTime.local(isUTC ? value.dropLast() : value) else {
      throw NotUnderstood("has no date with a time of day in \(property.name)")
    }
    self.local = local
    let identifier = property.parameters["TZID"]
    if isUTC {
      (zoneName, zone) = ("UTC", .utc)
    } else if let known {
      (zoneName, zone) = known
    } else if let identifier {
      (zoneName, zone) = try zones.zone(identifier)
      known = (zoneName, zone)
    } else {
      (zoneName, zone) = (zones.ownName, zones.own)
    }
  }

  /// Reads "20260329T095500", from 1971 to 2199.
  static func local(_ text: Substring) -> LocalTime? {
    let bytes = Array(text.utf8)
    guard bytes.count == 15, bytes[8] == UInt8(ascii: "T") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    guard let year = number(0..<4), let month = number(4..<6), let date = number(6..<8),
      let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
      (1_971...2_199).contains(year), let day = WallClock.days(until: year, month, date),
      hour < 24, minute < 60, second < 60
    else { return nil }
    return LocalTime(seconds: day * 86_400 + hour * 3_600 + minute * 60 + second)
  }

  /// Reads a length such as "PT1H30M" or "P1D" (RFC 5545, section 3.3.6), in seconds.
  static func length(_ text: String) -> Int64? {
    var seconds: Int64 = 0
    var digits = ""
    var isTime = false
    guard text.hasPrefix("P") || text.hasPrefix("+P"), text.utf8.count <= 24 else { return nil }
    for character in text.drop(while: { $0 == "+" }).dropFirst() {
      if character == "T", !isTime, digits.isEmpty {
        isTime = true
        continue
      }
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      let units: [Character: Int64] =
        isTime ? ["H": 3_600, "M": 60, "S": 1] : ["W": 604_800, "D": 86_400]
      guard let unit = units[character], digits.count <= 6, let number = Int64(digits) else {
        return nil
      }
      seconds += number * unit
      digits = ""
    }
    return digits.isEmpty ? seconds : nil
  }
}

/// Finds the zones that a calendar names.
struct CalendarZones {
  /// The zone of times that name none: that of the box.
  let ownName: String
  let own: TimeZoneFile
  let find: ZoneFinder

  /// The zone with a TZID: an IANA name, perhaps after a prefix such as "/example.org/", or a name of Windows.
  func zone(_ identifier: String) throws(NotUnderstood) -> (String, TimeZoneFile) {
    let parts = identifier.split(separator: "/").map(String.init)
    var names = [identifier, WindowsZones.name(of: identifier)].compactMap(\.self)
    if identifier.hasPrefix("/") {
      names += [3, 2, 1].filter { $0 < parts.count }.map {
        parts.suffix($0).joined(separator: "/")
      }
    }
    for name in names {
      if let zone = find(name) { return (name, zone) }
    }
    throw NotUnderstood("is in the time zone \"\(identifier.cut(to: 64))\", which is not known")
  }
}
