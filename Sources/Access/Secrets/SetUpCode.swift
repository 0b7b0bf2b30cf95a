// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The code with which the first password can be set from outside the local network: whoever can read it in the log or
/// on the console counts as the owner of the box. It is stored nowhere; each start of the program makes a new one.
struct SetUpCode: Sendable {
  /// The result of checking a code.
  enum Answer: Equatable {
    case right
    case wrong
    /// The code was wrong, and this was the last attempt allowed: the old code is invalid now, and a new one has been
    /// made.
    case spent
  }

  /// The number of wrong attempts after which a code becomes invalid.
  static let maxWrong = 5
  /// The 32 letters and digits of codes. None looks like another: I, O, 0 and 1 are missing. A code of eight has 40
  /// bits.
  private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")

  /// The code without its dash, as in "ABCDEFGH".
  private var letters: String
  /// The number of wrong attempts with the present code.
  private var wrongCount = 0

  init() { letters = Self.random() }

  /// The code as people see it: "ABCD-EFGH".
  var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }

  /// Checks a code, and counts a wrong one.
  /// - Parameter text: what somebody has typed. Case, dashes and spaces do not matter.
  mutating func check(_ text: String) -> Answer {
    let typed = text.uppercased().filter { $0 != "-" && $0 != " " }
    if Digest(of: typed).matches(Digest(of: letters)) { return .right }
    wrongCount += 1
    guard wrongCount >= Self.maxWrong else { return .wrong }
    self = SetUpCode()
    return .spent
  }

  /// Eight random characters of `alphabet`.
  private static func random() -> String {
    // On Linux this generator reads getrandom(2).
    var generator = SystemRandomNumberGenerator()
    return String(
      (0..<8).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
  }
}
