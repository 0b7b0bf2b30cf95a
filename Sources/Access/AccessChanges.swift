// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// A new session.
public struct LogIn: Sendable {
  public let session: RandomSecret
  public let scope: Scope
  /// The secret by which the browser is known at a later login; `nil` if it has one.
  public let device: RandomSecret?
}

extension Access {
  /// Sets the first password, and logs in.
  /// - Parameters:
  ///   - code: needed where `needsCode` says so, and ignored elsewhere.
  /// - Throws: `.alreadySetUp`, `.unreadable`, `.unfitPassword`, `.codeNeeded`, `.tooManyAttempts`, `.wrongCode`,
  ///   `.busy` or `.notSaved`.
  public func setUp(
    password: String, code: String? = nil, from caller: Caller
  ) async throws(AccessError) -> LogIn {
    try requireNotSetUp()
    try Passwords.check(password)
    if mustShowCode(caller) { try check(code, from: caller) }
    let hash = try await hash(password)
    let (secret, device) = (RandomSecret(), RandomSecret())
    let now = clock.now
    try await changeSaved { contents throws(AccessError) in
      // Somebody else may have been faster.
      switch contents {
      case .missing: break
      case .record: throw .alreadySetUp
      case .unreadable(let error): throw error
      }
      var record = AccessRecord(password: hash)
      record.sessions.add(secret.digest, at: now)
      record.devices.note(device.digest, .admin)
      contents = .record(record)
    }
    report(.setUp(from: caller.address))
    return LogIn(session: secret, scope: .admin, device: device)
  }

  /// Logs in with the password, or with the operator's. Works on a full disk, too; the session then ends with the program.
  /// - Parameter device: the secret that the browser has from an earlier login.
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
    try await change { record throws(AccessError) in
      guard hash == (scope == .admin ? record.password : record.operatorPassword) else {
        throw .wrongPassword
      }
      record.sessions.add(secret.digest, scope, at: now)
      if let digest = known ?? device?.digest { record.devices.note(digest, scope) }
    }
    return LogIn(session: secret, scope: scope, device: device)
  }

  /// Checks the password of somebody who is logged in already, for what cannot be undone.
  /// - Throws: `.notSetUp`, `.unreadable`, `.tooManyAttempts`, `.wrongPassword` or `.busy`.
  public func confirm(
    password: String, session: String?, from caller: Caller
  ) async throws(AccessError) {
    let isKnown = session.flatMap(scope(ofSession:)) != nil
    _ = try await verify(password, from: caller, isKnown: isKnown, among: [record().password])
  }

  /// Sets the password with which one may only operate, changes it, or removes it. Its sessions end.
  /// - Parameter new: `nil` for none.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.samePassword`, `.busy` or `.notSaved`.
  public func setOperatorPassword(_ new: String?) async throws(AccessError) {
    if let new { try Passwords.check(new) }
    let owners = try record().password
    if let new, try await fits(new, owners) { throw .samePassword }
    let hash: PasswordHash? = if let new { try await hash(new) } else { nil }
    try await changeSaved { contents throws(AccessError) in
      var record = try contents.record
      // It was compared with another one.
      guard record.password == owners else { throw .busy }
      record.operatorPassword = hash
      record.sessions.removeAll(of: .operate)
      contents = .record(record)
    }
    report(.operatorPassword(isSet: new != nil))
  }

  /// Ends a session.
  /// - Returns: whether there was one.
  /// - Throws: `.notSetUp`, `.unreadable` or `.busy`.
  @discardableResult
  public func logOut(session secret: String) async throws(AccessError) -> Bool {
    // A session that does not exist must not cost a write.
    guard let digest = RandomSecret.digest(ofShown: secret),
      try record().sessions.contains(digest, at: clock.now)
    else { return false }
    try await change { record throws(AccessError) in record.sessions.remove(digest) }
    return true
  }

  /// Changes the password of somebody who knows the old one, and ends all other sessions.
  /// - Parameters:
  ///   - session: the secret of the caller's session, which goes on; `nil` if the caller has none.
  ///   - removesTokens: no token and no operator's password counts any more either.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.tooManyAttempts`, `.wrongPassword`, `.samePassword`, `.busy`
  ///   or `.notSaved`.
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

  /// Changes the password without the old one, for the owner on the Unix socket, and ends all sessions.
  /// - Parameter removesTokens: no token and no operator's password counts any more either.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitPassword`, `.samePassword`, `.busy` or `.notSaved`.
  public func changePassword(to new: String, removesTokens: Bool = false) async throws(AccessError)
  {
    try Passwords.check(new)
    _ = try record()
    try await changePassword(
      to: new, keeping: nil, from: .owner, replacing: nil, removesTokens: removesTokens)
  }

  /// Sets or changes the password for the owner, unless it is that already: then sessions go on.
  /// - Returns: whether it has changed.
  /// - Throws: `.unreadable`, `.unfitPassword`, `.busy` or `.notSaved`.
  public func adoptPassword(_ new: String) async throws(AccessError) -> Bool {
    guard isSetUp else {
      _ = try await setUp(password: new, from: .owner)
      return true
    }
    if try await fits(new, record().password) { return false }
    try await changePassword(to: new)
    return true
  }

  /// Whether the owner's password may become this one: for what takes it only together with other things.
  /// - Throws: `.unfitPassword`, `.simplePassword`, `.samePassword` or `.busy`.
  public func checkAdoptable(_ new: String) async throws(AccessError) {
    let present = try? record()
    if let present, try await fits(new, present.password) { return }
    try Passwords.check(new)
    if let operators = present?.operatorPassword, try await fits(new, operators) {
      throw .samePassword
    }
  }

  private func changePassword(
    to new: String, keeping session: String?, from caller: Caller, replacing old: PasswordHash?,
    removesTokens: Bool
  ) async throws(AccessError) {
    // Else the operator would be let in as the owner.
    if let operators = try record().operatorPassword, try await fits(new, operators) {
      throw .samePassword
    }
    let hash = try await hash(new)
    let kept = session.flatMap(RandomSecret.digest(ofShown:))
    let hadOperators = hasOperatorPassword
    try await changeSaved { contents throws(AccessError) in
      var record = try contents.record
      if let old, record.password != old { throw .wrongPassword }
      record.password = hash
      record.sessions.removeAll(except: kept)
      if removesTokens {
        record.tokens.removeAll()
        // Whoever made a token may have set it as well.
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

  /// Makes a token.
  /// - Parameter name: 1 to 32 of a to z, A to Z, 0 to 9, "_" and "-".
  /// - Returns: the token with its secret, which is not kept.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unfitTokenName`, `.tokenExists`, `.tooManyTokens`, `.busy` or `.notSaved`.
  public func makeToken(name: String, scope: Scope) async throws(AccessError) -> NewToken {
    let secret = RandomSecret()
    let made = WallClock.text(file.wallClock.milliseconds)
    let token = Token(name: name, scope: scope, made: made)
    try await changeSaved { contents throws(AccessError) in
      var record = try contents.record
      try record.tokens.add(token, secret.digest)
      contents = .record(record)
    }
    report(.tokenMade(name: name, scope: scope))
    return NewToken(token: token, secret: secret)
  }

  /// Removes a token. It does not count any more even if that cannot be saved at once.
  /// - Throws: `.notSetUp`, `.unreadable`, `.unknownToken` or `.busy`.
  public func removeToken(name: String) async throws(AccessError) {
    try await change { record throws(AccessError) in try record.tokens.remove(name) }
    report(.tokenRemoved(name: name))
  }

  /// Forgets the password, the sessions and the tokens: set-up is possible again. A file that cannot be used is kept
  /// aside. Does nothing if there is no password, and none that was lost. Only for the owner on the Unix socket.
  /// - Throws: `.busy` or `.notSaved`.
  public func reset() async throws(AccessError) {
    let code = try await onDisk { [self] () throws(AccessError) in
      // Before the password: a power cut in between leaves both.
      mark?.remove()
      switch state.withLock({ $0.contents }) {
      case .missing: guard isLost else { return SetUpCode?.none }
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
