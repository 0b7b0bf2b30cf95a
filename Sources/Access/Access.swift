// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Posix
internal import Synchronization

/// Who may use the box's API over TCP: the password, those who are logged in with it, and tokens for scripts.
///
/// It knows nothing of HTTP. What asks only (`scope(ofSession:)`, `scope(ofToken:)`, `tokens`) returns at once; what
/// hashes a password or writes the file is asynchronous and does so on threads of its own.
public final class Access: Sendable {
  struct State {
    var contents: AccessFile.Contents
    /// Exists until there is a password.
    var code: SetUpCode?
    /// There is no password, but there was one: see `PasswordMark`.
    var isLost = false
    var throttle = LoginThrottle()
    var wrongAttempts = WrongAttempts()
    /// The file is older than `contents`.
    var isSaveDue = false
    /// When to try again after the last attempt failed.
    var nextSave = MediaTime.distantPast
    /// `notSaved` has been reported.
    var isTroubled = false
  }

  /// The pause before the file is written again after a failure.
  static let retryPause = Int64.seconds(60)

  let file: AccessFile
  let mark: PasswordMark?
  let clock: MediaClock
  let passwords = Passwords()
  /// Reads and writes the file, so that changes come one after the other and nobody waits for a disk.
  let disk = JobThread(name: "access", urgency: .ordinary, mostWaiting: 64)
  /// The networks that this machine is in.
  let networks: @Sendable () -> Set<Address>
  let report: @Sendable (AccessReport) -> Void
  let state: Mutex<State>

  /// Reads the file. If there is no password yet, reports a code to set it with.
  /// - Parameters:
  ///   - directory: the state directory, which only this user can write.
  ///   - mark: tells that there was a password, if the state directory has lost it.
  ///   - report: called from any thread, and from this initialiser.
  public init(
    directory: String, mark: PasswordMark? = nil, clock: MediaClock = .system,
    wallClock: WallClock = .system,
    networks: @escaping @Sendable () -> Set<Address> = { OwnNetworks.present },
    report: @escaping @Sendable (AccessReport) -> Void
  ) {
    self.clock = clock
    self.mark = mark
    self.networks = networks
    self.report = report
    file = AccessFile(directory: directory, clock: clock, wallClock: wallClock)
    let contents = file.load()
    var code: SetUpCode?
    var isLost = false
    switch contents {
    case .missing:
      code = SetUpCode()
      isLost = mark?.isSet ?? false
    case .unreadable(let error):
      report(.unreadable(error))
      mark?.set()
    case .record: mark?.set()
    }
    state = Mutex(State(contents: contents, code: code, isLost: isLost))
    if isLost { report(.lost) }
    if let code { report(.code(code.shown, isLost: isLost)) }
  }

  /// Whether there is a password. Also if the file cannot be used: then none can be set before a reset.
  public var isSetUp: Bool {
    state.withLock { state in
      if case .missing = state.contents { false } else { true }
    }
  }

  /// Whether there was a password that the box has lost. Then its owner alone may set another one: whoever has the code,
  /// the card, or the main button.
  public var isLost: Bool { state.withLock { $0.isLost } }

  /// Whether setting the first password from there needs the code. `false` when there is a password.
  public func needsCode(from caller: Caller) -> Bool { !isSetUp && mustShowCode(caller) }

  func mustShowCode(_ caller: Caller) -> Bool {
    !caller.isOnLocalNetwork || isLost && caller != .owner
  }

  /// What a session may do, and counts this as a use of it: it ends 30 days after the last one.
  /// - Parameter secret: as the client shows it.
  /// - Returns: `nil` if there is no such session.
  public func scope(ofSession secret: String) -> Scope? {
    guard let digest = RandomSecret.digest(ofShown: secret) else { return nil }
    let now = clock.now
    let (scope, mustSave) = state.withLock { state -> (Scope?, Bool) in
      guard case .record(var record) = state.contents,
        let (scope, isDue) = record.sessions.use(digest, at: now)
      else { return (nil, false) }
      state.contents = .record(record)
      guard isDue || state.isSaveDue, now >= state.nextSave else { return (scope, false) }
      // Not again for each request until it has been done.
      state.nextSave = now + Self.retryPause
      return (scope, true)
    }
    if mustSave { disk.submit { [self] in saveAgain() } }
    return scope
  }

  /// What a token may do.
  /// - Parameter secret: as the client shows it.
  /// - Returns: `nil` if there is no such token.
  public func scope(ofToken secret: String) -> Scope? {
    guard let digest = RandomSecret.digest(ofShown: secret), let record = try? record() else {
      return nil
    }
    return record.tokens.scope(of: digest)
  }

  /// The name of a token; `nil` if there is no such token.
  /// - Parameter secret: as the client shows it.
  public func name(ofToken secret: String) -> String? {
    guard let digest = RandomSecret.digest(ofShown: secret) else { return nil }
    return (try? record())?.tokens.list.first { $0.digest.matches(digest) }?.token.name
  }

  /// Whether there is a password with which one may only operate.
  public var hasOperatorPassword: Bool { (try? record())?.operatorPassword != nil }

  /// Tells this box from others under the same host name, as behind tunnels: a few letters and digits. It says nothing
  /// about the box.
  public var cookieMark: String {
    let machine = (try? File.read("/etc/machine-id", limit: 64))?.bytes ?? []
    let digest = Digest(of: machine + Array(file.directory.utf8))
    return digest.bytes.prefix(4).map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
  }

  /// The tokens, without their secrets, in the order in which they were made.
  public var tokens: [Token] { (try? record())?.tokens.list.map(\.token) ?? [] }

  /// What is kept.
  func record() throws(AccessError) -> AccessRecord {
    try state.withLock { state throws(AccessError) in try state.contents.record }
  }
}

extension AccessFile.Contents {
  /// The record, or why there is none.
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
