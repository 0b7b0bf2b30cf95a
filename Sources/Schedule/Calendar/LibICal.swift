// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc

/// Finds the times of a rule of repetition, in local time.
/// - Parameters:
///   - rule: the value of an RRULE, whose times are local, with an end.
///   - start: the first time.
///   - most: the most times to find.
/// - Returns: `nil` if there is nothing that can find them.
public typealias RecurrenceFinder = (
  _ rule: String, _ start: LocalTime, _ most: Int
) -> [LocalTime]?

/// libical, the library of Debian for calendars. It is loaded when a calendar first has an event that is repeated,
/// since with the data of ICU it brings 40 MB to map, of which it touches 7.
///
/// It is given local times as if they were UTC, and so never asks for a time zone.
public enum LibICal {
  /// `icalrecur_expand_recurrence` of libical/icalrecur.h.
  private typealias Expand =
    @convention(c) (UnsafePointer<CChar>, time_t, Int32, UnsafeMutablePointer<time_t>) -> Int32

  /// The function; `nil` if libical is not installed. libical 3 is in Debian 12 and 13.
  private static let expand: Expand? = {
    guard let library = unsafe dlopen("libical.so.3", RTLD_NOW | RTLD_LOCAL),
      let symbol = unsafe dlsym(library, "icalrecur_expand_recurrence")
    else { return nil }
    return unsafe unsafeBitCast(symbol, to: Expand.self)
  }()

  /// Whether events that are repeated can be understood.
  public static var isInstalled: Bool { unsafe expand != nil }

  /// The times of a rule; see `RecurrenceFinder`. It takes up to a second for a rule that no day fits.
  public static func times(_ rule: String, _ start: LocalTime, _ most: Int) -> [LocalTime]? {
    guard let expand = unsafe expand, most > 0 else { return nil }
    // libical fills the array from its beginning on; the rest is 0, which no time is: the first is after 1970.
    var times = [time_t](repeating: 0, count: most)
    _ = unsafe expand(rule, time_t(start.seconds), Int32(most), &times)
    return times.prefix { $0 != 0 }.map { LocalTime(seconds: Int64($0)) }
  }
}
