// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes
internal import Hummingbird

/// The two cookies of a box (RFC 6265bis): the session cookie, and the device cookie, which marks a browser in which
/// somebody has logged in before. Their names contain an identifier of the box and the port: a browser sends the
/// cookies of a host to all its ports, and several boxes may share a host name, as behind tunnels.
struct Cookies {
  /// The name of the session cookie in older versions of OnAir, without the identifier of the box and the port. It is
  /// accepted, so that browsers stay logged in.
  private static let oldName = "onair_session"
  /// Lifetime of the session cookie in seconds: as long as an unused session is valid (`Sessions.lifetimeNanos`).
  private static let sessionSeconds = 30 * 86_400
  /// Lifetime of the device cookie in seconds: the longest that browsers keep a cookie.
  private static let deviceSeconds = 400 * 86_400
  /// The most session secrets, and the most device secrets, that are tried for a request: another site on the same host
  /// may have set any number of cookies.
  private static let mostSecrets = 8

  /// The name of the session cookie.
  private let session: String
  /// The name of the device cookie.
  private let device: String

  /// - Parameters:
  ///   - mark: tells this box from others under the same host name: `Access.cookieMark`.
  ///   - port: the TCP port of the listener; `nil` on the Unix socket.
  init(mark: String, port: Int?) {
    let end = "\(mark)\(port.map { "_\($0)" } ?? "")"
    session = "onair_session_\(end)"
    device = "onair_device_\(end)"
  }

  /// The session secrets in the cookies of a request. The first valid one counts.
  func sessions(in headers: HTTPFields) -> [String] {
    Array((values(session, headers) + values(Self.oldName, headers)).prefix(Self.mostSecrets))
  }

  /// The device secrets in the cookies of a request. A browser gets a device secret when somebody logs in with it.
  func devices(in headers: HTTPFields) -> [String] {
    Array(values(device, headers).prefix(Self.mostSecrets))
  }

  /// The Set-Cookie field that stores the session cookie in the browser.
  func sessionField(_ secret: String, _ request: Request) -> String {
    cookie(session, secret, path: "/", Self.sessionSeconds, request)
  }

  /// The Set-Cookie field that removes the session cookie from the browser.
  func sessionRemovalField(_ request: Request) -> String {
    cookie(session, "", path: "/", 0, request)
  }

  /// The Set-Cookie field of the device cookie, which the browser sends to /api/login only.
  func deviceField(_ secret: String, _ request: Request) -> String {
    cookie(device, secret, path: "/api/login", Self.deviceSeconds, request)
  }

  /// A Set-Cookie field. If a proxy with TLS has passed the request on, the browser sends the cookie over TLS only.
  private func cookie(
    _ name: String, _ value: String, path: String, _ maxAge: Int, _ request: Request
  ) -> String {
    let isSecure = request.headers[FieldName.forwardedProto]?.lowercased() == "https"
    return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(maxAge)"
      + (isSecure ? "; Secure" : "")
  }

  /// The values of all cookies of a name in a request (RFC 6265, section 5.4).
  private func values(_ name: String, _ headers: HTTPFields) -> [String] {
    headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { cookie in
      let parts = cookie.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimming(" ") == name else { return nil }
      return String(parts[1].trimming(" "))
    }
  }
}

extension Substring {
  /// The text without this character at its beginning and its end.
  func trimming(_ character: Character) -> Substring {
    var text = self.drop { $0 == character }
    while text.last == character { text.removeLast() }
    return text
  }
}
