// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The code that lets a stranger to the local network set the first password: who reads it in the log or on the console
/// owns the box. Nothing keeps it: each start of the program makes a new one.
struct SetUpCode: Sendable {
  enum Answer: Equatable {
    case right
    case wrong
    /// Wrong, and once too often: this code counts no longer, a new one has been made.
    case spent
  }

  /// Wrong attempts that spend a code.
  static let attempts = 5
  /// 32 letters and digits that are not taken for one another: no I, O, 0 and 1. Eight of them are 40 bits.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")

  /// "ABCDEFGH".
  private var letters: String
  private var wrong = 0

  init() { letters = Self.random() }

  /// As it is shown: "ABCD-EFGH".
  var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }

  /// - Parameter text: what somebody has typed. Case, dashes and spaces do not matter.
  mutating func check(_ text: String) -> Answer {
    let typed = text.uppercased().filter { $0 != "-" && $0 != " " }
    if Digest(of: typed).matches(Digest(of: letters)) { return .right }
    wrong += 1
    guard wrong >= Self.attempts else { return .wrong }
    self = SetUpCode()
    return .spent
  }

  private static func random() -> String {
    // On Linux it reads getrandom(2).
    var generator = SystemRandomNumberGenerator()
    return String(
      (0..<8).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
  }
}
