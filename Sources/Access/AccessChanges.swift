// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The result of a login: a new session.
public struct LogIn: Sendable {
  /// The secret of the new session, for the client's cookie.
  public let session: RandomSecret
  /// The rights of the new session.
  public let scope: Scope
  /// The device secret by which the box recognises the browser at later logins; `nil` if the browser has one already.
  public let device: RandomSecret?
}

extension Access {
  /// Sets the first password, which is the owner's, and logs in with it.
  /// - Parameters:
  ///   - code: the set-up code; `nil` if the caller has given none. Ignored if `needsCode(from: caller)` is `false`.
  /// - Throws: `.alreadySetUp`, `.unreadable`, `.unfitPassword`, `.simplePassword`, `.codeNeeded`, `.tooManyAttempts`,
  ///   `.wrongCode`, `.busy` or `.notSaved`.
  public func setUp(
    password: String, code: String? = nil, from caller: Caller
  ) async throws(AccessError) -> LogIn {
    try requireNotSetUp()
    try Passwords.check(password)
    if mustShowCode(caller) { try check(code, from: caller) }
    let hash = try await hash(password)
    let (secret, device) = (RandomSecret(), RandomSecret())
    let now = clock.now
    try await saveThenChange { contents throws(AccessError) in
      // Another caller may have set the password in the meantime.
      switch contents {
      case .missing: break
      case .record: throw .alreadySetUp
      case .unreadable(let error): throw error
      }
      var record = AccessRecord(password: hash)
      record.sessions.add(secret.digest, at: now)
      record.devices.noteLogIn(device.digest, .admin)
      contents = .record(record)
    }
    report(.setUp(from: caller.address))
    return LogIn(session: secret, scope: .admin, device: device)
  }

  /// Logs in with the owner's or the operator's password. Works on a full disk, too: the session is then kept in memory
  /// only, and ends with the program.
  /// - Parameter device: the device secret that the browser has from an earlier login; `nil` if it has none.
  /// - Throws: `.notSetUp`, `.unreadable`, `.tooManyAttempts`, `.wrongPassword` or `.busy`.
  public func logIn(
    password: String, from caller: Caller, device shown: String? = nil
  ) async throws(AccessError) -> LogIn {
    let present = try record()
    let known = device(shown)
    let hash = try await verify(
      password, from: caller, device: known, isKnown: false,
      among: [present.password] + [present.operatorPassword].compactMap(\.self))
    let secret = RandomSecret()
    let device = known == nil ? RandomSecret() : nil
    let scope: Scope = hash == present.password ? .admin : .operate
    let now = clock.now
    try await changeThenSave { record throws(AccessError) in
      guard hash == (scope == .admin ? record.password : record.operatorPassword) else {
        throw .wrongPassword
      }
      record.sessions.add(secret.digest, scope, at: now)
      if let digest = known ?? device?.digest { record.devices.noteLogIn(digest, scope) }
    }
    return LogIn(session: secret, scope: scope, device: device)
  }

  /// Checks the owner's password again, before an action for which a session or token alone is not enough.
  /// - Parameter session: the secret of the caller's session; `nil` if the caller has none.
  /// - Throws: `.notSetUp`, `.unreadable`, `.tooManyAttempts`, `.wrongPassword` or `.busy`.
  public func confirm(
    password: String, session: String?, from caller: Caller
  ) async throws(AccessError) {
    let isKnown = session.flatMap(scope(ofSession:)) != nil
    _ = try await verify(password, from: caller, isKnown: isKnown, among: [record().password])
  }

  /// Sets, changes or removes the operator's password, which gives the scope `operate` only. All sessions with that
  /// scope end.
  /// - Parameter new: the new password; `nil` removes the present one.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.simplePassword`, `.samePassword`, `.busy` or
  ///   `.notSaved`.
  public func setOperatorPassword(_ new: String?) async throws(AccessError) {
    if let new { try Passwords.check(new) }
    let owners = try record().password
    if let new, try await matches(new, owners) { throw .samePassword }
    let hash: PasswordHash? = if let new { try await hash(new) } else { nil }
    try await saveThenChange { contents throws(AccessError) in
      var record = try contents.record
      // Refuse the change if the owner's password has changed since the new password was compared with it.
      guard record.password == owners else { throw .busy }
      record.operatorPassword = hash
      record.sessions.removeAll(of: .operate)
      contents = .record(record)
    }
    report(.operatorPassword(isSet: new != nil))
  }

  /// Ends a session.
  /// - Returns: whether there was such a session.
  /// - Throws: `.notSetUp`, `.unreadable` or `.busy`.
  @discardableResult
  public func logOut(session secret: String) async throws(AccessError) -> Bool {
    // Do not write to the disk for a session that does not exist.
    guard let digest = RandomSecret.digest(ofReceived: secret),
      try record().sessions.contains(digest, at: clock.now)
    else { return false }
    try await changeThenSave { record throws(AccessError) in record.sessions.remove(digest) }
    return true
  }

  /// Changes the owner's password for a caller who knows the old one, and ends all other sessions.
  /// - Parameters:
  ///   - session: the secret of the caller's session, which goes on; `nil` if the caller has none.
  ///   - removesTokens: whether to remove all tokens and the operator's password, too.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.simplePassword`, `.tooManyAttempts`, `.wrongPassword`,
  ///   `.samePassword`, `.busy` or `.notSaved`.
  public func changePassword(
    from old: String, to new: String, keeping session: String?, from caller: Caller,
    removesTokens: Bool = false
  ) async throws(AccessError) {
    try Passwords.check(new)
    let isKnown = session.flatMap(scope(ofSession:)) != nil
    let present = try await verify(
      old, from: caller, isKnown: isKnown, among: [record().password])
    try await changePassword(
      to: new, keeping: session, from: caller, replacing: present, removesTokens: removesTokens)
  }

  /// Changes the owner's password without the old one, for the owner on the Unix socket, and ends all sessions.
  /// - Parameter removesTokens: whether to remove all tokens and the operator's password, too.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.simplePassword`, `.samePassword`, `.busy` or
  ///   `.notSaved`.
  public func changePassword(to new: String, removesTokens: Bool = false) async throws(AccessError)
  {
    try Passwords.check(new)
    _ = try record()
    try await changePassword(
      to: new, keeping: nil, from: .owner, replacing: nil, removesTokens: removesTokens)
  }

  /// Makes `new` the owner's password. If `new` is the password already, all sessions stay valid; otherwise all
  /// sessions end.
  /// - Returns: whether the password has changed.
  /// - Throws: `.unreadable`, `.unfitPassword`, `.simplePassword`, `.samePassword`, `.busy` or `.notSaved`.
  public func adoptPassword(_ new: String) async throws(AccessError) -> Bool {
    guard isSetUp else {
      _ = try await setUp(password: new, from: .owner)
      return true
    }
    if try await matches(new, record().password) { return false }
    try await changePassword(to: new)
    return true
  }

  /// Checks that `adoptPassword` would accept the password `new`, and changes nothing. For a caller that makes several
  /// changes, either all or none.
  /// - Throws: `.unfitPassword`, `.simplePassword`, `.samePassword` or `.busy`.
  public func checkAdoptable(_ new: String) async throws(AccessError) {
    let present = try? record()
    if let present, try await matches(new, present.password) { return }
    try Passwords.check(new)
    if let operators = present?.operatorPassword, try await matches(new, operators) {
      throw .samePassword
    }
  }

  /// Changes the owner's password, after the caller's right to do so was checked.
  /// - Parameter old: the hash of the password that the caller has given; `nil` if the caller needs none.
  private func changePassword(
    to new: String, keeping session: String?, from caller: Caller, replacing old: PasswordHash?,
    removesTokens: Bool
  ) async throws(AccessError) {
    // If both passwords were the same, the operator would be logged in as the owner.
    if let operators = try record().operatorPassword, try await matches(new, operators) {
      throw .samePassword
    }
    let hash = try await hash(new)
    let kept = session.flatMap(RandomSecret.digest(ofReceived:))
    let hadOperators = hasOperatorPassword
    try await saveThenChange { contents throws(AccessError) in
      var record = try contents.record
      if let old, record.password != old { throw .wrongPassword }
      record.password = hash
      record.sessions.removeAll(except: kept)
      if removesTokens {
        record.tokens.removeAll()
        // Remove the operator's password, too: whoever made a token may have set this password.
        record.operatorPassword = nil
      }
      contents = .record(record)
    }
    report(.passwordChanged(from: caller.address))
    if removesTokens {
      if hadOperators { report(.operatorPassword(isSet: false)) }
      report(.tokensRemoved)
    }
  }

  /// Makes a token for scripts.
  /// - Parameter name: 1 to 32 of a to z, A to Z, 0 to 9, "_" and "-".
  /// - Returns: the token with its secret, which is stored nowhere.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitTokenName`, `.tokenExists`, `.tooManyTokens`, `.busy` or `.notSaved`.
  public func makeToken(name: String, scope: Scope) async throws(AccessError) -> NewToken {
    let secret = RandomSecret()
    let made = WallClock.text(file.wallClock.milliseconds)
    let token = Token(name: name, scope: scope, made: made)
    try await saveThenChange { contents throws(AccessError) in
      var record = try contents.record
      try record.tokens.add(token, secret.digest)
      contents = .record(record)
    }
    report(.tokenMade(name: name, scope: scope))
    return NewToken(token: token, secret: secret)
  }

  /// Removes a token. The token is invalid at once, even if its removal cannot be saved yet.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unknownToken` or `.busy`.
  public func removeToken(name: String) async throws(AccessError) {
    try await changeThenSave { record throws(AccessError) in try record.tokens.remove(name) }
    report(.tokenRemoved(name: name))
  }

  /// Forgets the passwords, the sessions and the tokens: the box can be set up again. An access file that cannot be
  /// used is renamed and kept. Does nothing if the box has no password and has not lost one. Only for the owner on the
  /// Unix socket.
  /// - Throws: `.busy` or `.notSaved`.
  public func reset() async throws(AccessError) {
    let code = try await runOnDiskThread { [self] () throws(AccessError) in
      // Remove the mark first: after a power cut in between, the password is still there, and the next start sets the
      // mark again.
      mark?.remove()
      switch state.withLock({ $0.contents }) {
      case .missing: guard isPasswordLost else { return SetUpCode?.none }
      case .record: try file.remove()
      case .unreadable: try file.setAside()
      }
      let code = SetUpCode()
      state.withLock { $0 = State(contents: .missing, code: code) }
      return code
    }
    guard let code else { return }
    report(.reset)
    report(.code(code.shown, isLost: false))
  }
}
