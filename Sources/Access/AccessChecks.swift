// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Access {
  /// Checks that there is no password yet.
  /// - Throws: `.alreadySetUp` or `.unreadable`.
  func requireNotSetUp() throws(AccessError) {
    do throws(AccessError) {
      _ = try record()
    } catch .notSetUp {
      return
    }
    throw .alreadySetUp
  }

  /// Checks the set-up code of a caller that needs it for setting the first password.
  /// - Parameter text: what the caller has typed; `nil` if nothing.
  func check(_ text: String?, from caller: Caller) throws(AccessError) {
    guard let text else { throw .codeNeeded }
    try countAttempt(caller, isKnown: false)
    let (answer, next) = state.withLock { state in
      // There is no code if somebody else has just set the password.
      let answer = state.code?.check(text) ?? .wrong
      if answer == .right { state.throttle.forgive(caller) }
      return (answer, state.code?.shown)
    }
    if answer == .right { return }
    if answer == .spent, let next { report(.code(next, isLost: isPasswordLost)) }
    countWrongAttempt(from: caller)
    throw .wrongCode
  }

  /// Checks a password, and limits how often a caller may try.
  /// - Parameters:
  ///   - device: the digest of the device secret of the caller's browser; `nil` if nobody has logged in with that
  ///     browser before.
  ///   - isKnown: whether the caller has a valid session.
  ///   - hashes: the accepted passwords, the owner's first. The owner's password clears the caller's wrong attempts.
  ///     The operator's password does not: whoever knows the operator's password may still be guessing the owner's.
  /// - Returns: the hash that the password matches.
  func verify(
    _ password: String, from caller: Caller, device: Digest? = nil, isKnown: Bool,
    among hashes: [PasswordHash]
  ) async throws(AccessError) -> PasswordHash {
    try countAttempt(caller, device: device, isKnown: isKnown)
    do throws(JobThread.BusyError) {
      for (index, hash) in hashes.enumerated() {
        guard try await passwords.verify(password, hash) else { continue }
        state.withLock { state in
          if index == 0 {
            state.throttle.forgive(caller, device: device, isKnown: isKnown)
          } else {
            state.throttle.refund(caller, device: device, isKnown: isKnown)
          }
        }
        return hash
      }
    } catch {
      state.withLock { $0.throttle.refund(caller, device: device, isKnown: isKnown) }
      throw .busy
    }
    countWrongAttempt(from: caller)
    throw .wrongPassword
  }

  /// Whether a password matches a hash. In contrast to `verify`, this does not count as an attempt to log in.
  func matches(_ password: String, _ hash: PasswordHash) async throws(AccessError) -> Bool {
    do throws(JobThread.BusyError) {
      return try await passwords.verify(password, hash)
    } catch {
      throw .busy
    }
  }

  /// Whether `secret` is the device secret of a browser in which somebody has logged in.
  public func isKnown(device secret: String) -> Bool { device(secret) != nil }

  /// The digest of a device secret; `nil` unless somebody has logged in in the browser that has the secret.
  func device(_ secret: String?) -> Digest? {
    guard let digest = secret.flatMap(RandomSecret.digest(ofReceived:)), let record = try? record(),
      record.devices.contains(digest)
    else { return nil }
    return digest
  }

  /// Hashes a new password.
  /// - Throws: `.busy`.
  func hash(_ password: String) async throws(AccessError) -> PasswordHash {
    do throws(JobThread.BusyError) {
      return try await passwords.hash(password)
    } catch {
      throw .busy
    }
  }

  /// Counts an attempt to give a password or a code, before the password or code is checked.
  /// - Throws: `.tooManyAttempts` if it is too early for another attempt.
  private func countAttempt(
    _ caller: Caller, device: Digest? = nil, isKnown: Bool
  ) throws(AccessError) {
    let now = clock.now
    let networks = networks()
    let wait = state.withLock { state in
      state.throttle.networks = networks
      return state.throttle.beginAttempt(caller, device: device, isKnown: isKnown, at: now)
    }
    guard let wait else { return }
    countWrongAttempt(from: caller)
    throw .tooManyAttempts(seconds: wait)
  }

  /// Counts a wrong or refused attempt, and reports such attempts when there are many.
  private func countWrongAttempt(from caller: Caller) {
    guard let address = caller.address else { return }
    let now = clock.now
    if let count = state.withLock({ $0.wrongAttempts.add(at: now) }) {
      report(.wrongAttempts(count: count, last: address))
    }
  }
}
