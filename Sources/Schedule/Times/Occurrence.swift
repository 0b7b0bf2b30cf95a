// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// One broadcast of the schedule. All times are in seconds since 1970-01-01 UTC.
public struct Occurrence: Codable, Hashable, Sendable {
  /// Where an occurrence comes from.
  public enum Source: String, Codable, Sendable {
    /// An entry of the settings, `[[schedule]]`.
    case entry
    /// The calendar at `calendar.url`.
    case feed
    /// The calendar file that was imported.
    case imported = "import"
  }

  /// Identifies the occurrence: two with the same id are the same broadcast, whatever else differs.
  public var id: String
  /// The name of the entry, or the title of the calendar's event.
  public var name: String
  public var source: Source
  /// When it begins.
  public var begins: Int64
  /// When it ends, without what it was extended by.
  public var ends: Int64
  /// The time zone in which it was given: a name of the IANA database.
  public var zone: String

  public init(
    id: String, name: String, source: Source, begins: Int64, ends: Int64, zone: String
  ) {
    (self.id, self.name, self.source) = (id, name, source)
    (self.begins, self.ends, self.zone) = (begins, ends, zone)
  }
}

extension Occurrence: Comparable {
  /// The order in which occurrences have their turn: the one that begins first, then by name.
  public static func < (one: Occurrence, other: Occurrence) -> Bool {
    (one.begins, one.name, one.id) < (other.begins, other.name, other.id)
  }
}
