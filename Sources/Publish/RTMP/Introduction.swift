// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How an attempt presents itself to a server that first wants to know who publishes, or sends the publisher elsewhere. Each
/// such answer ends its connection, and the next one says more. Pure.
struct Introduction {
  /// Whom to connect to now.
  private(set) var target: RTMPTarget
  /// The attempt's server has sent the publisher to `target`.
  private(set) var isRedirected = false
  private var answers = 0

  /// Connections after the first: a challenge takes two, here and where the stream is sent to.
  private static let mostAnswers = 2

  init(_ target: RTMPTarget) { self.target = target }

  /// Takes a refusal.
  /// - Parameter nonce: eight random hexadecimal digits.
  /// - Returns: whether another connection is worth it at once.
  mutating func follow(_ refusal: ServerMessage.Status, nonce: String) -> Bool {
    if let redirect = refusal.redirect {
      guard !isRedirected, let other = target.redirected(to: redirect) else { return false }
      let sender = target.host
      (target, isRedirected, answers) = (other, true, 0)
      target.sender = sender
      return true
    }
    guard let challenge = RTMPChallenge(refusal.description), answers < Self.mostAnswers,
      let login = target.login,
      let answer = challenge.answer(
        user: login.user, password: login.password,
        app: String(target.plainPath), nonce: nonce)
    else { return false }
    answers += 1
    target.authorization = answer
    return true
  }
}

extension RTMPTarget {
  /// The application without its query.
  var plainPath: Substring { app.prefix { $0 != "?" } }

  /// The same stream on the server that another one names.
  /// - Parameter text: `rtmp[s]://HOST[:PORT]/APP`, as a server sends it.
  /// - Returns: `nil` if it must not be followed there.
  func redirected(to text: String) -> RTMPTarget? {
    guard let other = elsewhere(text) else { return nil }
    // Whoever encrypts does not want the key to go without.
    guard transport == .plain || other.transport != .plain else { return nil }
    let isSameHost = other.host.lowercased() == host.lowercased()
    return isSameHost || redirects == .any ? other : nil
  }

  /// Whether a server names an address with this, even one that must not be followed.
  package func isAddress(_ text: String) -> Bool { elsewhere(text) != nil }

  /// The address that a server names, fit to be shown.
  func shownRedirect(_ text: String) -> String {
    elsewhere(text)?.maskedURL ?? shown(text)
  }

  private func elsewhere(_ text: String) -> RTMPTarget? {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard scheme == "rtmp" || scheme == "rtmps", text.dropFirst(scheme.count).hasPrefix("://")
    else {
      return nil
    }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    var app = String(path.hasPrefix("/") ? path.dropFirst() : path)
    if app.hasSuffix("/") { app.removeLast() }
    var (host, port) = (authority, Substring())
    if authority.hasPrefix("[") {
      host = authority.dropFirst().prefix { $0 != "]" }
      port = authority.dropFirst(host.count + 2)
    } else if let colon = authority.firstIndex(of: ":") {
      (host, port) = (authority[..<colon], authority[colon...])
    }
    let isHost = host.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:".contains($0))
    }
    guard isHost, port.isEmpty || port.hasPrefix(":") else { return nil }
    let number = port.isEmpty ? nil : Int(port.dropFirst()) ?? 0
    var authorities = ""
    if case .tls(let own) = transport { authorities = own }
    return try? RTMPTarget(
      transport: scheme == "rtmps" ? .tls(authorities: authorities) : .plain, host: String(host),
      // A server that only names another host means the same application.
      port: number, app: app.isEmpty ? self.app : app, streamKey: streamKey, login: login,
      redirects: redirects)
  }
}
