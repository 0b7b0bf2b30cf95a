// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Hashes passwords, one at a time and never on the caller's thread: a hash takes 19 MiB and much of a core, which must
/// not cost the broadcast a frame.
struct Passwords: Sendable {
  /// The system has no memory or no thread for it, or too many others wait.
  struct Busy: Error {}

  /// Characters of a password: Unicode scalars, as JSON Schema counts.
  static let lengths = 8...200
  /// Hashes that wait for another one.
  static let mostWaiting = 8

  let thread = JobThread(
    name: "password", urgency: .background, mostWaiting: Self.mostWaiting)

  static func isFit(_ password: String) -> Bool { lengths.contains(password.unicodeScalars.count) }

  func hash(_ password: String) async throws(Busy) -> PasswordHash {
    try await run { () throws(PasswordHash.NoMemory) in try PasswordHash(hashing: password) }
  }

  /// Whether `password` is the one of `hash`.
  func verify(_ password: String, _ hash: PasswordHash) async throws(Busy) -> Bool {
    // Nobody can have set such a password, so it needs no hash to be wrong.
    guard Self.isFit(password) else { return false }
    return try await run { () throws(PasswordHash.NoMemory) in try hash.matches(password) }
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(PasswordHash.NoMemory) -> Value
  ) async throws(Busy) -> Value {
    let value: Value??
    do throws(JobThread.Busy) {
      value = try await thread.run { () -> Value? in try? body() }
    } catch {
      throw Busy()
    }
    guard let value = value ?? nil else { throw Busy() }
    return value
  }
}
