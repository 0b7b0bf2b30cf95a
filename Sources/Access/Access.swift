// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization

/// Decides who may use the box's API over TCP. It keeps the owner's and the operator's password, the sessions of those
/// who are logged in, and the tokens for scripts.
///
/// This type does not depend on HTTP. Functions that only read (`scope(ofSession:)`, `scope(ofToken:)`, `tokens`)
/// return at once. Functions that hash a password or write the access file are asynchronous, and work on separate
/// threads.
public final class Access: Sendable {
  /// The passwords, tokens, sessions and attempts, which change while the program runs.
  struct State {
    var contents: AccessFile.Contents
    /// The set-up code, with which the first password can be set; `nil` if there is a password, or if the access file
    /// cannot be used.
    var code: SetUpCode?
    /// Whether the box had a password, but the access file with the password is gone: see `PasswordMark`.
    var isPasswordLost = false
    var throttle = LoginThrottle()
    var wrongAttempts = WrongAttempts()
    /// Whether `contents` still has to be written to the file.
    var isSaveDue = false
    /// The earliest time of the next attempt to write the file. After a failed attempt there is a pause.
    var nextSave = MediaTime.distantPast
    /// Whether the failure to write the file has been reported (`AccessReport.notSaved`), and the end of this failure
    /// has not (`AccessReport.saved`).
    var isFailureReported = false
  }

  /// The time between two attempts to write the file after a failure, in nanoseconds.
  static let retryNanos = Int64.seconds(60)

  /// The file with the passwords, the sessions and the tokens.
  let file: AccessFile
  /// The mark outside of the state directory which says that the box has had a password; `nil` on a machine without
  /// such a mark.
  let mark: PasswordMark?
  /// The clock of the sessions' ages and of the pauses between attempts.
  let clock: MediaClock
  /// Hashes and checks passwords on a separate thread.
  let passwords: Passwords
  /// The thread that writes the access file, so that changes are made one after the other and no caller's thread waits
  /// for a disk.
  let diskThread = JobThread(name: "access", urgency: .ordinary, mostWaiting: 64)
  /// Returns the IPv6 networks that this machine is in: see `OwnNetworks`.
  let networks: @Sendable () -> Set<Address>
  /// Receives each change and problem that has to be logged, on any thread.
  let report: @Sendable (AccessReport) -> Void
  /// Protects the state, which is used on several threads.
  let state: Mutex<State>

  /// Reads the access file. If there is no password yet, reports the set-up code, with which the first one can be set.
  /// - Parameters:
  ///   - directory: the state directory, which only this user can write.
  ///   - mark: the mark outside of the state directory which says that the box has had a password; `nil` on a machine
  ///     without such a mark.
  ///   - hashing: the urgency of the thread that hashes passwords.
  ///   - report: called from any thread, and from this initialiser.
  public init(
    directory: String, mark: PasswordMark? = nil, clock: MediaClock = .system,
    wallClock: WallClock = .system, hashing: MediaThread.Urgency = .background,
    networks: @escaping @Sendable () -> Set<Address> = { OwnNetworks.present },
    report: @escaping @Sendable (AccessReport) -> Void
  ) {
    self.clock = clock
    self.mark = mark
    self.networks = networks
    self.report = report
    passwords = Passwords(urgency: hashing)
    file = AccessFile(directory: directory, clock: clock, wallClock: wallClock)
    let contents = file.load()
    var code: SetUpCode?
    var isPasswordLost = false
    switch contents {
    case .missing:
      code = SetUpCode()
      isPasswordLost = mark?.isSet ?? false
    case .unreadable(let error):
      report(.unreadable(error))
      mark?.set()
    case .record: mark?.set()
    }
    state = Mutex(State(contents: contents, code: code, isPasswordLost: isPasswordLost))
    if isPasswordLost { report(.lost) }
    if let code { report(.code(code.shown, isLost: isPasswordLost)) }
  }

  /// Whether there is a password. Also `true` if the access file cannot be used: then no password can be set before a
  /// reset.
  public var isSetUp: Bool {
    state.withLock { state in
      if case .missing = state.contents { false } else { true }
    }
  }

  /// Whether the box had a password and has lost it. Then only the box's owner may set a new one: whoever can read the
  /// code in the log, or has the SD card or the main button at hand.
  public var isPasswordLost: Bool { state.withLock { $0.isPasswordLost } }

  /// Whether `caller` needs the set-up code to set the first password. `false` when there is a password.
  public func needsCode(from caller: Caller) -> Bool { !isSetUp && mustShowCode(caller) }

  /// Whether `caller` would need the set-up code to set a first password, even if there is a password already.
  func mustShowCode(_ caller: Caller) -> Bool {
    !caller.isOnLocalNetwork || isPasswordLost && caller != .owner
  }

  /// The scope of a session. The call counts as a use of the session. A session ends 30 days after its last use.
  /// - Parameter secret: the secret of the session, as the client has sent it.
  /// - Returns: `nil` if there is no such session.
  public func scope(ofSession secret: String) -> Scope? {
    guard let digest = RandomSecret.digest(ofReceived: secret) else { return nil }
    let now = clock.now
    let (scope, mustSave) = state.withLock { state -> (Scope?, Bool) in
      guard case .record(var record) = state.contents,
        let (scope, isDue) = record.sessions.use(digest, at: now)
      else { return (nil, false) }
      state.contents = .record(record)
      guard isDue || state.isSaveDue, now >= state.nextSave else { return (scope, false) }
      // Until this write is done, further requests must not schedule another one.
      state.nextSave = now + Self.retryNanos
      return (scope, true)
    }
    if mustSave { diskThread.submit { [self] in saveAgain() } }
    return scope
  }

  /// The scope of a token.
  /// - Parameter secret: the secret of the token, as the client has sent it.
  /// - Returns: `nil` if there is no such token.
  public func scope(ofToken secret: String) -> Scope? {
    guard let digest = RandomSecret.digest(ofReceived: secret), let record = try? record() else {
      return nil
    }
    return record.tokens.scope(of: digest)
  }

  /// The name of a token; `nil` if there is no such token.
  /// - Parameter secret: the secret of the token, as the client has sent it.
  public func name(ofToken secret: String) -> String? {
    guard let digest = RandomSecret.digest(ofReceived: secret) else { return nil }
    return (try? record())?.tokens.list.first { $0.digest.matches(digest) }?.token.name
  }

  /// Whether there is an operator's password, which gives the scope `operate` only.
  public var hasOperatorPassword: Bool { (try? record())?.operatorPassword != nil }

  /// Eight hexadecimal digits that distinguish the cookies of this box from those of other boxes with the same host
  /// name, for example behind tunnels. They reveal nothing about the box.
  public var cookieMark: String {
    let machine = (try? File.read("/etc/machine-id", limit: 64))?.bytes ?? []
    let digest = Digest(of: machine + Array(file.directory.utf8))
    return digest.bytes.prefix(4).map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
  }

  /// All tokens, without their secrets.
  public var tokens: [Token] { (try? record())?.tokens.list.map(\.token) ?? [] }

  /// The record with the passwords, sessions and tokens.
  /// - Throws: `.notSetUp` or `.unreadable`.
  func record() throws(AccessError) -> AccessRecord {
    try state.withLock { state throws(AccessError) in try state.contents.record }
  }
}

extension AccessFile.Contents {
  /// The access record that the file contains.
  /// - Throws: `.notSetUp` if the file is missing, or the error that makes the file unusable.
  var record: AccessRecord {
    get throws(AccessError) {
      switch self {
      case .record(let record): return record
      case .missing: throw .notSetUp
      case .unreadable(let error): throw error
      }
    }
  }
}
