// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

extension Access {
  /// - Throws: `.alreadySetUp` or `.unreadable`.
  func requireNotSetUp() throws(AccessError) {
    do throws(AccessError) {
      _ = try record()
    } catch .notSetUp {
      return
    }
    throw .alreadySetUp
  }

  /// Checks the code of somebody who sets the first password from outside the local network.
  func check(_ text: String?, from caller: Caller) throws(AccessError) {
    guard let text else { throw .codeNeeded }
    try begin(caller, isKnown: false)
    let (answer, next) = state.withLock { state in
      // There is none if somebody else has just set the password.
      let answer = state.code?.check(text) ?? .wrong
      if answer == .right { state.throttle.forgive(caller) }
      return (answer, state.code?.shown)
    }
    if answer == .right { return }
    if answer == .spent, let next { report(.code(next)) }
    noteWrong(from: caller)
    throw .wrongCode
  }

  /// Checks the password.
  /// - Parameter isKnown: the caller has a session.
  /// - Returns: the hash that the password fits to.
  func verify(
    _ password: String, from caller: Caller, isKnown: Bool
  ) async throws(AccessError) -> PasswordHash {
    let hash = try record().password
    try begin(caller, isKnown: isKnown)
    let isRight: Bool
    do throws(Passwords.Busy) {
      isRight = try await passwords.verify(password, hash)
    } catch {
      state.withLock { $0.throttle.takeBack(caller, isKnown: isKnown) }
      throw .busy
    }
    guard isRight else {
      noteWrong(from: caller)
      throw .wrongPassword
    }
    state.withLock { $0.throttle.forgive(caller, isKnown: isKnown) }
    return hash
  }

  func hash(_ password: String) async throws(AccessError) -> PasswordHash {
    do throws(Passwords.Busy) {
      return try await passwords.hash(password)
    } catch {
      throw .busy
    }
  }

  /// Begins an attempt, if it is not too early for one.
  private func begin(_ caller: Caller, isKnown: Bool) throws(AccessError) {
    let now = clock.now
    let wait = state.withLock { $0.throttle.begin(caller, isKnown: isKnown, at: now) }
    guard let wait else { return }
    noteWrong(from: caller)
    throw .tooManyAttempts(seconds: wait)
  }

  private func noteWrong(from caller: Caller) {
    guard let address = caller.address else { return }
    let now = clock.now
    if let count = state.withLock({ $0.wrongAttempts.note(at: now) }) {
      report(.wrongAttempts(count: count, last: address))
    }
  }
}
