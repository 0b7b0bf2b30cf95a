// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// An event of a calendar: when it is first, how long, and how it is repeated.
struct CalendarEvent {
  /// The most seconds that a broadcast may last: a day.
  private static let longest: Int64 = 86_400

  let title: String
  let start: CalendarTime
  /// Length in seconds.
  let length: Int64
  let rule: RecurrenceRule?
  /// Further times, from RDATE.
  let added: [CalendarTime]
  /// Times at which it is not, from EXDATE: seconds since 1970-01-01 UTC.
  let removed: Set<Int64>
  let isCancelled: Bool
  /// Which version of the event this is: the highest counts.
  let sequence: Int

  init(_ properties: [CalendarProperty], _ zones: CalendarZones) throws(NotUnderstood) {
    let byName = Dictionary(grouping: properties, by: \.name)
    func single(_ name: String) throws(NotUnderstood) -> CalendarProperty? {
      let found = byName[name] ?? []
      guard found.count <= 1 else { throw NotUnderstood("has more than one \(name)") }
      return found.first
    }
    for name in ["UID", "SEQUENCE"] { _ = try single(name) }
    title = CalendarEvent.title(properties)
    sequence = CalendarEvent.sequence(properties)
    isCancelled = try single("STATUS")?.value.uppercased() == "CANCELLED"
    guard let first = try single("DTSTART") else { throw NotUnderstood("has no beginning") }
    let start = try CalendarTime(first, zones)
    self.start = start
    let end = try single("DTEND").map { property throws(NotUnderstood) in
      try CalendarTime(property, zones).moment - start.moment
    }
    let duration = try single("DURATION")
    let length = end ?? duration.flatMap { CalendarTime.length($0.value) }
    guard end == nil || duration == nil, let length, length > 0 else {
      throw NotUnderstood("has no end after its beginning")
    }
    guard length <= CalendarEvent.longest else { throw NotUnderstood("is longer than a day") }
    self.length = length
    guard byName["EXRULE"] == nil else {
      throw NotUnderstood("has exceptions by a rule, which are not understood")
    }
    rule = try single("RRULE").map { property throws(NotUnderstood) in
      try RecurrenceRule(property.value, start: start)
    }
    var added: [CalendarTime] = []
    for property in byName["RDATE"] ?? [] { added += try CalendarTime.list(property, zones) }
    self.added = added
    var removed: Set<Int64> = []
    for property in byName["EXDATE"] ?? [] {
      removed.formUnion(try CalendarTime.list(property, zones).map(\.moment))
    }
    self.removed = removed
  }

  /// The title of an event for people, also of one that is not understood.
  static func title(_ properties: [CalendarProperty]) -> String {
    let text = properties.first { $0.name == "SUMMARY" }?.text.onOneLine ?? ""
    return text.isEmpty ? "Calendar" : text.cut(to: 80)
  }

  /// Which version of an event the properties are, also of one that is not understood.
  static func sequence(_ properties: [CalendarProperty]) -> Int {
    Int(properties.first { $0.name == "SEQUENCE" }?.value.prefix(9) ?? "") ?? 0
  }

  /// Which repetition of the event with this UID the properties replace (RECURRENCE-ID); `nil` if none.
  static func replaced(
    _ properties: [CalendarProperty], _ zones: CalendarZones
  ) throws(NotUnderstood) -> Int64? {
    guard let property = properties.first(where: { $0.name == "RECURRENCE-ID" }) else { return nil }
    guard property.parameters["RANGE"] == nil else {
      throw NotUnderstood("changes all that follow, which is not understood")
    }
    return try CalendarTime(property, zones).moment
  }

  /// The moments at which the event begins, to `end` (seconds since 1970-01-01 UTC).
  func moments(to end: Int64) throws(NotUnderstood) -> Set<Int64> {
    var times: Set<Int64> = [start.moment]
    if let rule, start.moment <= end {
      let found = rule.times(from: start.local, through: start.zone.localTime(at: end))
      // RFC 5545 leaves open what it means if the first time is none of the rule.
      guard found.first == start.local else {
        throw NotUnderstood("begins at a time that is none of its rule's")
      }
      times.formUnion(found.map { start.zone.moment(of: $0) })
    }
    times.formUnion(added.map(\.moment))
    return times.subtracting(removed).filter { $0 <= end }
  }
}
