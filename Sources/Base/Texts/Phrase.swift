// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Formats durations and counts for people.
public enum Phrase {
  /// A duration in its two largest units: "29 s", "5 min 3 s", "2 h 5 min", "3 d 4 h". A second unit that is zero is
  /// left out.
  public static func duration(_ seconds: Int) -> String {
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
    return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      .joined(separator: " ")
  }

  /// A number with its noun: "1 connection", "3 connections".
  /// - Parameter plural: the plural of `noun`; `nil` to append "s".
  public static func count(
    _ number: some BinaryInteger, _ noun: String, plural: String? = nil
  ) -> String {
    "\(number) \(number == 1 ? noun : plural ?? "\(noun)s")"
  }
}
