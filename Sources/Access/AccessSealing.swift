// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// Files that are encrypted with a passphrase.

extension Access {
  /// Whether a text begins like one that `seal` has encrypted.
  public static func isSealed(_ text: String) -> Bool { SealedText.isSealed(text) }

  /// Encrypts a text with a passphrase.
  /// - Throws: `.unfitPassphrase` or `.busy`.
  public func seal(_ text: String, passphrase: String) async throws(AccessError) -> String {
    guard Passwords.hasFitLength(passphrase) else { throw .unfitPassphrase }
    return try await compute { () throws(PasswordHash.NoMemoryError) in
      try SealedText.seal(text, passphrase)
    }
  }

  /// Decrypts a text that `seal` has encrypted.
  /// - Throws: `.unreadableFile`, `.wrongPassphrase` or `.busy`.
  public func open(_ sealed: String, passphrase: String) async throws(AccessError) -> String {
    let parts: SealedText.Parts
    do throws(SealedTextError) {
      parts = try SealedText.Parts(sealed)
    } catch {
      throw .unreadableFile
    }
    let text = try await compute { () throws(PasswordHash.NoMemoryError) in
      try SealedText.open(parts, passphrase)
    }
    guard let text else { throw .wrongPassphrase }
    return text
  }

  /// Runs `body`, which derives a key from a passphrase, on the thread for password hashes.
  /// - Throws: `.busy` if the thread already has too much to do, or if there is not enough memory.
  private func compute<Value: Sendable>(
    _ body: @escaping @Sendable () throws(PasswordHash.NoMemoryError) -> Value
  ) async throws(AccessError) -> Value {
    do throws(JobThread.BusyError) {
      return try await passwords.run(body)
    } catch {
      throw .busy
    }
  }
}
