// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides to which server, and with which login, an attempt connects: answers a server that asks for a user name and
/// password, and follows a server that redirects the publisher. In both cases the server refuses the stream, and the
/// attempt goes on with another connection. Reads no clock and does no I/O: random digits are passed in.
struct ConnectionTarget {
  /// The server to connect to now, with the answer to its challenge.
  private(set) var target: RTMPTarget
  /// Whether the server that the attempt began with has redirected the publisher to `target`.
  private(set) var isRedirected = false
  /// How many challenges of the present target were answered.
  private var answeredChallenges = 0

  /// The most answers to challenges of one server: a login takes two. After a redirect the count starts at 0 again.
  private static let maxAnswers = 2

  init(_ target: RTMPTarget) { self.target = target }

  /// Processes a refusal: answers a challenge or follows a redirect, by changing `target`.
  /// - Parameter nonce: eight random hexadecimal digits.
  /// - Returns: whether to connect to `target` at once; `false` if the refusal is final.
  mutating func follow(_ refusal: ServerMessage.Status, nonce: String) -> Bool {
    if let redirect = refusal.redirect {
      guard !isRedirected, let other = target.redirected(to: redirect) else { return false }
      let sender = target.host
      (target, isRedirected, answeredChallenges) = (other, true, 0)
      target.redirectingHost = sender
      return true
    }
    guard let challenge = RTMPChallenge(refusal.description), answeredChallenges < Self.maxAnswers,
      let login = target.login,
      let answer = challenge.answer(
        user: login.user, password: login.password,
        app: String(target.plainPath), nonce: nonce)
    else { return false }
    answeredChallenges += 1
    target.authorization = answer
    return true
  }
}

extension RTMPTarget {
  /// The application without its query.
  var plainPath: Substring { app.prefix { $0 != "?" } }

  /// The same stream on the server to which another server redirects the publisher.
  /// - Parameter text: `rtmp[s]://HOST[:PORT]/APP`, as a server sends it.
  /// - Returns: `nil` if the text is not such an address, or if the redirect must not be followed.
  func redirected(to text: String) -> RTMPTarget? {
    guard let other = parsedAddress(text) else { return nil }
    // A redirect from TLS to plain TCP is not followed: the stream key would be sent unencrypted.
    guard transport == .plain || other.transport != .plain else { return nil }
    let isSameHost = other.host.lowercased() == host.lowercased()
    return isSameHost || redirects == .any ? other : nil
  }

  /// Whether a text from a server is an RTMP address, even one to which a redirect must not be followed.
  package func isAddress(_ text: String) -> Bool { parsedAddress(text) != nil }

  /// The address in a redirect, without the parts that may be secret; if the text is not an address, the text without
  /// secrets (`shown`).
  func shownRedirect(_ text: String) -> String {
    parsedAddress(text)?.maskedURL ?? shown(text)
  }

  /// The same stream at the server that an RTMP address names; `nil` if the text is no such address.
  private func parsedAddress(_ text: String) -> RTMPTarget? {
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
      // If the redirect names only a host, the application stays the same.
      port: number, app: app.isEmpty ? self.app : app, streamKey: streamKey, login: login,
      redirects: redirects)
  }
}
