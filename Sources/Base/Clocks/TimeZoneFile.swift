// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The offset of a time zone from UTC over time, read from a file of the time zone database (TZif, RFC 8536), such as
/// /usr/share/zoneinfo/Europe/Berlin. After the last transition in the file's table, the rule at the end of the file
/// gives the offset.
public struct TimeZoneFile: Sendable, Equatable {
  /// The zone whose offset from UTC is always 0.
  public static let utc = TimeZoneFile(initialOffset: 0)

  /// The changes of the offset, the earliest first. `since` is when the new offset begins, in seconds since 1970-01-01
  /// UTC; `offset` is the number of seconds to add to UTC from then on.
  private var transitions: [(since: Int64, offset: Int)] = []
  /// The seconds to add to UTC before the first transition.
  private var initialOffset: Int
  /// The rule for all times after the last transition; `nil` if the last offset holds for ever.
  private var rule: TimeZoneRule?

  private init(initialOffset: Int) { self.initialOffset = initialOffset }

  public static func == (one: TimeZoneFile, other: TimeZoneFile) -> Bool {
    one.initialOffset == other.initialOffset && one.rule == other.rule
      && one.transitions.elementsEqual(other.transitions) {
        $0.since == $1.since && $0.offset == $1.offset
      }
  }

  /// Reads the bytes of a file. Fails if they are not in the TZif format.
  public init?(_ bytes: [UInt8]) {
    guard let old = Header(bytes, at: 0) else { return nil }
    // From version 2 on, a second header and data block follow the first ones, with 64-bit instead of 32-bit times.
    guard old.version >= 2 else {
      guard let zone = TimeZoneFile(bytes, old, timeBytes: 4) else { return nil }
      self = zone
      return
    }
    guard let new = Header(bytes, at: old.end(timeBytes: 4)),
      let zone = TimeZoneFile(bytes, new, timeBytes: 8)
    else { return nil }
    self = zone
    // The footer is the text of the rule between two line feeds (RFC 8536, 3.3).
    let footer = bytes.dropFirst(new.end(timeBytes: 8))
    guard footer.first == 0x0A, let end = footer.dropFirst().firstIndex(of: 0x0A) else { return }
    rule = TimeZoneRule(String(decoding: footer[(footer.startIndex + 1)..<end], as: UTF8.self))
  }

  private init?(_ bytes: [UInt8], _ header: Header, timeBytes: Int) {
    guard header.end(timeBytes: timeBytes) <= bytes.count, header.types > 0 else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int64 {
      let value = bytes[offset..<offset + count].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : value
    }
    let indices = header.body + header.times * timeBytes
    let types = indices + header.times
    let offsets = (0..<header.types).map { Int(number(types + $0 * 6, 4)) }
    let isDaylight = (0..<header.types).map { bytes[types + $0 * 6 + 4] != 0 }
    initialOffset = offsets[isDaylight.firstIndex(of: false) ?? 0]
    for index in 0..<header.times {
      let type = Int(bytes[indices + index])
      guard type < offsets.count else { return nil }
      transitions.append((number(header.body + index * timeBytes, timeBytes), offsets[type]))
    }
  }

  /// The seconds to add to UTC to get local time; negative west of Greenwich.
  /// - Parameter seconds: the time, in seconds since 1970-01-01 UTC.
  public func offset(at seconds: Int64) -> Int {
    if let rule, transitions.last.map({ $0.since <= seconds }) ?? true {
      return rule.offset(at: seconds)
    }
    return transitions.last { $0.since <= seconds }?.offset ?? initialOffset
  }

  /// The header of a TZif data block.
  private struct Header {
    /// The version of the format: 1, or 2, which here stands for all later ones as well.
    let version: Int
    /// The offset of the data block after the header, in bytes from the start of the file.
    let body: Int
    /// The number of transition times, and the number of local time types.
    let times, types: Int
    /// The size of the tables that are not read, in bytes: the zone names, and the standard/wall and UT/local
    /// indicators.
    private let unusedBytes: Int

    init?(_ bytes: [UInt8], at start: Int) {
      guard start + 44 <= bytes.count, bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
        return nil
      }
      func count(_ index: Int) -> Int {
        let offset = start + 20 + index * 4
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      version = bytes[start + 4] == 0 ? 1 : 2
      body = start + 44
      // No real file has 100,000 entries in a table; the limit keeps the sums below from overflowing.
      guard (0..<6).allSatisfy({ count($0) < 100_000 }) else { return nil }
      (times, types) = (count(3), count(4))
      (unusedBytes, leapSeconds) = (count(5) + count(0) + count(1), count(2))
    }
    /// The number of leap seconds in the data block.
    private let leapSeconds: Int

    /// The offset of the first byte after the data block. A leap second takes the bytes of a time and 4 more.
    /// - Parameter timeBytes: the size of a time in the block: 4 or 8.
    func end(timeBytes: Int) -> Int {
      body + times * (timeBytes + 1) + types * 6 + unusedBytes + leapSeconds * (timeBytes + 4)
    }
  }
}
