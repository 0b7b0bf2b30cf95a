// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

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
    if answer == .spent, let next { report(.code(next, isLost: isLost)) }
    noteWrong(from: caller)
    throw .wrongCode
  }

  /// Checks the password.
  /// - Parameters:
  ///   - device: of a browser in which somebody has logged in.
  ///   - isKnown: the caller has a session.
  ///   - hashes: those that it may fit to, the owner's first. Any other proves nothing about guesses of the owner's: then what
  ///     was wrong before still counts.
  /// - Returns: the hash that the password fits to.
  func verify(
    _ password: String, from caller: Caller, device: Digest? = nil, isKnown: Bool,
    among hashes: [PasswordHash]
  ) async throws(AccessError) -> PasswordHash {
    try begin(caller, device: device, isKnown: isKnown)
    do throws(JobThread.BusyError) {
      for (index, hash) in hashes.enumerated() {
        guard try await passwords.verify(password, hash) else { continue }
        state.withLock { state in
          if index == 0 {
            state.throttle.forgive(caller, device: device, isKnown: isKnown)
          } else {
            state.throttle.takeBack(caller, device: device, isKnown: isKnown)
          }
        }
        return hash
      }
    } catch {
      state.withLock { $0.throttle.takeBack(caller, device: device, isKnown: isKnown) }
      throw .busy
    }
    noteWrong(from: caller)
    throw .wrongPassword
  }

  /// Whether a password is the one of a hash, of somebody whose attempts do not count.
  func fits(_ password: String, _ hash: PasswordHash) async throws(AccessError) -> Bool {
    do throws(JobThread.BusyError) {
      return try await passwords.verify(password, hash)
    } catch {
      throw .busy
    }
  }

  /// Whether somebody has logged in before in the browser with this secret.
  public func isKnown(device secret: String) -> Bool { device(secret) != nil }

  /// The digest of a device's secret; `nil` if nobody has logged in in that browser.
  func device(_ secret: String?) -> Digest? {
    guard let digest = secret.flatMap(RandomSecret.digest(ofShown:)), let record = try? record(),
      record.devices.contains(digest)
    else { return nil }
    return digest
  }

  func hash(_ password: String) async throws(AccessError) -> PasswordHash {
    do throws(JobThread.BusyError) {
      return try await passwords.hash(password)
    } catch {
      throw .busy
    }
  }

  /// Begins an attempt, if it is not too early for one.
  private func begin(
    _ caller: Caller, device: Digest? = nil, isKnown: Bool
  ) throws(AccessError) {
    let now = clock.now
    let networks = networks()
    let wait = state.withLock { state in
      state.throttle.networks = networks
      return state.throttle.begin(caller, device: device, isKnown: isKnown, at: now)
    }
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
