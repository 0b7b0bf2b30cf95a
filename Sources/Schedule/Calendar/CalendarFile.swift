// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A calendar in the format iCalendar (ICS, RFC 5545): its events as broadcasts, and those that are not understood. What
/// is not understood is listed, never guessed.
public struct CalendarFile: Sendable, Equatable {
  /// The most bytes of a file.
  public static let maxBytes = 1 << 20
  /// The most events of a file.
  public static let maxEvents = 2_000
  /// The most occurrences that are kept.
  public static let maxOccurrences = 5_000
  /// The most events that are listed as not understood.
  public static let maxListed = 100

  /// Why a file cannot be used at all.
  public enum Trouble: Error, Equatable, Sendable {
    case tooLong, noCalendar, tooManyEvents

    /// A sentence for people.
    public var sentence: String {
      switch self {
      case .tooLong: "The calendar has more than 1 MiB."
      case .noCalendar: "This is no calendar in the format iCalendar (ICS), or it was cut off."
      case .tooManyEvents: "The calendar has more than \(CalendarFile.maxEvents) events."
      }
    }
  }

  /// An event that is left out.
  public struct LeftOut: Sendable, Equatable {
    public var title: String
    /// Why, as a sentence.
    public var sentence: String
  }

  /// What is needed to read a file besides its bytes.
  public struct Context {
    var source: Occurrence.Source
    var zones: CalendarZones
    var isOutOfTime: () -> Bool

    /// - Parameters:
    ///   - ownZone: the name of the box's zone, for times that name none.
    ///   - zones: finds zones by their IANA names.
    ///   - isOutOfTime: whether reading takes too long; the events that are left are then not understood.
    public init(
      source: Occurrence.Source, ownZone: String, zones: @escaping ZoneFinder,
      isOutOfTime: @escaping () -> Bool = { false }
    ) {
      self.source = source
      self.zones = CalendarZones(ownName: ownZone, own: zones(ownZone) ?? .utc, find: zones)
      self.isOutOfTime = isOutOfTime
    }
  }

  /// The broadcasts, sorted.
  public private(set) var occurrences: [Occurrence] = []
  /// The number of events that are understood.
  public private(set) var events = 0
  /// The events that are not understood, at most `maxListed`.
  public private(set) var leftOut: [LeftOut] = []

  /// Reads a file.
  /// - Parameter range: when the broadcasts begin that are wanted, in seconds since 1970-01-01 UTC.
  public init(
    _ bytes: [UInt8], beginningIn range: Range<Int64>, _ context: Context
  ) throws(Trouble) {
    guard bytes.count <= CalendarFile.maxBytes else { throw .tooLong }
    guard let all = CalendarText.events(bytes) else { throw .noCalendar }
    guard all.count <= CalendarFile.maxEvents else { throw .tooManyEvents }
    var reading = CalendarReading(range, context)
    for properties in all { reading.take(properties) }
    reading.finish()
    occurrences = Array(reading.occurrences.sorted().prefix(CalendarFile.maxOccurrences))
    (events, leftOut) = (reading.understood, reading.leftOut)
  }
}

/// Turns the events of one file into occurrences.
private struct CalendarReading {
  /// An event that replaces one repetition of another.
  private struct Replacement {
    /// Which version of the replacement this is: the highest counts.
    var sequence: Int
    /// The new form of the repetition; `nil` if it is not to be.
    var event: CalendarEvent?
  }

  private let range: Range<Int64>
  private let context: CalendarFile.Context
  /// The events that replace no other, by UID.
  private var events: [String: CalendarEvent] = [:]
  /// The replacements by UID, and by the moment of the repetition.
  private var replacements: [String: [Int64: Replacement]] = [:]
  /// The UIDs of events that have an exception which is not understood, with the reason.
  private var doubtful: [String: NotUnderstood] = [:]
  /// The UIDs of events that are cancelled or left out: what replaces their repetitions is not broadcast either.
  private var dropped: Set<String> = []
  var occurrences: [Occurrence] = []
  var understood = 0
  var leftOut: [CalendarFile.LeftOut] = []

  init(_ range: Range<Int64>, _ context: CalendarFile.Context) {
    (self.range, self.context) = (range, context)
  }

  mutating func take(_ properties: [CalendarProperty]) {
    let given = properties.first { $0.name == "UID" }?.value ?? ""
    // Without a UID no other event can mean this one.
    let uid = given.isEmpty ? "\(events.count) \(leftOut.count)" : given
    var replaced: Int64?
    do throws(NotUnderstood) {
      replaced = try CalendarEvent.replaced(properties, context.zones)
    } catch {
      doubtful[uid] = error
      dropped.insert(uid)
      return leaveOut(CalendarEvent.title(properties), error)
    }
    do throws(NotUnderstood) {
      let event = try CalendarEvent(properties, context.zones)
      if let replaced {
        replace(replaced, of: uid, event.sequence, by: event.isCancelled ? nil : event)
      } else if events[uid].map({ $0.sequence <= event.sequence }) ?? true {
        events[uid] = event
      }
    } catch {
      if let replaced {
        // The repetition is not as the rule says, and how it is, is not known.
        replace(replaced, of: uid, CalendarEvent.sequence(properties), by: nil)
      } else {
        dropped.insert(uid)
      }
      leaveOut(CalendarEvent.title(properties), error)
    }
  }

  mutating func finish() {
    for (uid, event) in events.sorted(by: { $0.key < $1.key }) {
      dropped.insert(uid)
      guard !event.isCancelled else { continue }
      let before = occurrences.count
      do throws(NotUnderstood) {
        try add(event, uid)
        understood += 1
        dropped.remove(uid)
      } catch {
        occurrences.removeSubrange(before...)
        leaveOut(event.title, error)
      }
    }
    for (uid, list) in replacements where !dropped.contains(uid) {
      let part = CalendarReading.idPart(of: uid)
      for (moment, replacement) in list {
        guard let event = replacement.event else { continue }
        add(event, part, original: moment, begins: event.start.moment)
        understood += 1
      }
    }
  }

  /// Notes what replaces the repetition at `moment`, unless a later version is known.
  private mutating func replace(
    _ moment: Int64, of uid: String, _ sequence: Int, by event: CalendarEvent?
  ) {
    if let known = replacements[uid]?[moment], known.sequence > sequence { return }
    replacements[uid, default: [:]][moment] = Replacement(sequence: sequence, event: event)
  }

  /// Adds the repetitions of an event that are not replaced.
  private mutating func add(_ event: CalendarEvent, _ uid: String) throws(NotUnderstood) {
    if let reason = doubtful[uid] { throw reason }
    try checkTime()
    let replaced = replacements[uid] ?? [:]
    let part = CalendarReading.idPart(of: uid)
    for moment in try event.moments(to: range.upperBound) where replaced[moment] == nil {
      try checkTime()
      add(event, part, original: moment, begins: moment)
    }
  }

  private func checkTime() throws(NotUnderstood) {
    if context.isOutOfTime() {
      throw NotUnderstood("was not read: the calendar takes too long to read")
    }
  }

  private mutating func add(
    _ event: CalendarEvent, _ idPart: String, original: Int64, begins: Int64
  ) {
    guard range.contains(begins), occurrences.count < 4 * CalendarFile.maxOccurrences else {
      return
    }
    occurrences.append(
      Occurrence(
        id: "\(context.source.rawValue) \(idPart) \(original)",
        name: event.title, source: context.source, begins: begins, ends: begins + event.length,
        zone: event.start.zoneName))
  }

  /// What stands for a UID in the ids of its occurrences: of a long UID its beginning and a hash.
  private static func idPart(of uid: String) -> String {
    let beginning = uid.cut(to: 200)
    guard beginning.utf8.count < uid.utf8.count else { return uid.onOneLine }
    // FNV-1a, with 64 bits.
    let hash = uid.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return "\(beginning.onOneLine) \(String(hash, radix: 16))"
  }

  private mutating func leaveOut(_ title: String, _ reason: NotUnderstood) {
    guard leftOut.count < CalendarFile.maxListed else { return }
    leftOut.append(
      CalendarFile.LeftOut(title: title, sentence: "It \(reason.reason.onOneLine)."))
  }
}
