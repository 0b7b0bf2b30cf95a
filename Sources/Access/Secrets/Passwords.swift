// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Hashes and checks passwords, one at a time and never on the caller's thread: a hash takes 19 MiB and much of a core,
/// which must not cost the broadcast a frame.
struct Passwords: Sendable {
  /// The length that a password may have, in Unicode scalars, as JSON Schema counts characters.
  static let lengths = 8...200
  /// The most hashes that may wait while another one is made.
  static let mostWaiting = 8

  /// The thread on which passwords are hashed, one after the other.
  let thread: JobThread

  init(urgency: MediaThread.Urgency = .background) {
    thread = JobThread(name: "password", urgency: urgency, mostWaiting: Self.mostWaiting)
  }

  /// Whether the length of a password is allowed.
  static func hasFitLength(_ password: String) -> Bool {
    lengths.contains(password.unicodeScalars.count)
  }

  /// Checks that a new password is neither too short, too long nor too simple.
  /// - Throws: `.unfitPassword` or `.simplePassword`.
  static func check(_ new: String) throws(AccessError) {
    guard hasFitLength(new) else { throw .unfitPassword }
    if isSimple(new) { throw .simplePassword }
  }

  /// Whether a password is among the first that an attacker would try. A password is checked for nothing else but its
  /// length: rules about its characters lead to worse passwords (NIST SP 800-63B, section 5.1.1.2).
  static func isSimple(_ password: String) -> Bool {
    let text = Array(password.lowercased().unicodeScalars)
    // Fewer than three different characters: "aaaaaaaa", "12121212".
    if Set(text).count < 3 { return true }
    let steps = Set(zip(text, text.dropFirst()).map { Int($1.value) - Int($0.value) })
    // A sequence of characters: "12345678", "hgfedcba".
    if steps.count == 1 { return true }
    let rows = ["qwertyuiop", "qwertzuiop", "asdfghjkl", "1234567890", "1q2w3e4r5t6z"]
    let whole = String(String.UnicodeScalarView(text))
    if rows.contains(where: { $0.hasPrefix(whole.prefix(8)) && whole.count <= $0.count }) {
      return true
    }
    // Ignore digits and punctuation at the end: "Password1!" counts as "password".
    let end = text.lastIndex { !("0"..."9").contains($0) && !"!.?*#$".unicodeScalars.contains($0) }
    let word = String(String.UnicodeScalarView(text.prefix((end ?? -1) + 1)))
    return commonWords.contains(word)
  }

  /// Words that make a password simple if it consists of one of them, apart from digits and punctuation at the end.
  private static let commonWords: Set<String> = [
    "password", "passw0rd", "passwort", "kennwort", "geheim", "qwerty", "qwertz", "admin",
    "administrator", "adminadmin", "welcome", "willkommen", "iloveyou", "letmein", "letmeinnow",
    "changeme", "secret", "default", "football", "baseball", "sunshine", "princess", "superman",
    "trustno", "starwars", "computer", "internet", "whatever", "michelle", "jennifer", "abcdefg",
    "abc", "abcd", "raspberry", "raspberrypi", "onair", "onaironair", "livestream", "streaming",
    "church", "woaini", "mima", "testtest", "test",
  ]

  /// Hashes a new password.
  func hash(_ password: String) async throws(JobThread.BusyError) -> PasswordHash {
    try await run { () throws(PasswordHash.NoMemoryError) in try PasswordHash(hashing: password) }
  }

  /// Whether `password` matches `hash`.
  func verify(_ password: String, _ hash: PasswordHash) async throws(JobThread.BusyError) -> Bool {
    // A password whose length is not allowed is wrong, since it cannot have been set: do not compute its hash.
    guard Self.hasFitLength(password) else { return false }
    return try await run { () throws(PasswordHash.NoMemoryError) in try hash.matches(password) }
  }

  /// Runs `body` on the thread for hashes.
  /// - Throws: `BusyError` if too many hashes wait, or memory is short.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(PasswordHash.NoMemoryError) -> Value
  ) async throws(JobThread.BusyError) -> Value {
    // The value is `nil` if the system has no memory for the hash.
    guard let value = try await thread.run({ () -> Value? in try? body() }) else {
      throw JobThread.BusyError()
    }
    return value
  }
}
