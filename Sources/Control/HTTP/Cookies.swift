// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import HTTPTypes
internal import Hummingbird

/// The cookies of a box (RFC 6265bis). Cookies know no ports, so boxes under one host name, as behind tunnels, have names of
/// their own for them.
struct Cookies {
  /// That of a session before boxes had names of their own. A browser that has it stays logged in.
  private static let oldName = "onair_session"
  /// Sessions end so long after their last use; the browser keeps the cookie as long.
  private static let sessionSeconds = 30 * 86_400
  /// The longest that browsers keep a cookie.
  private static let deviceSeconds = 400 * 86_400
  /// Secrets of a request that are looked at: another site of the same host may have set any number.
  private static let most = 8

  private let session: String
  private let device: String

  /// - Parameters:
  ///   - mark: of the box.
  ///   - port: at which it listens; `nil` for none.
  init(mark: String, port: Int?) {
    let end = "\(mark)\(port.map { "_\($0)" } ?? "")"
    session = "onair_session_\(end)"
    device = "onair_device_\(end)"
  }

  /// The secrets of sessions that a request shows. The valid one counts.
  func sessions(in headers: HTTPFields) -> [String] {
    Array((values(session, headers) + values(Self.oldName, headers)).prefix(Self.most))
  }

  /// The secrets of a browser in which somebody has logged in before.
  func devices(in headers: HTTPFields) -> [String] {
    Array(values(device, headers).prefix(Self.most))
  }

  func setSession(_ secret: String, _ request: Request) -> String {
    cookie(session, secret, path: "/", Self.sessionSeconds, request)
  }

  func endSession(_ request: Request) -> String { cookie(session, "", path: "/", 0, request) }

  /// It goes nowhere but to the login.
  func setDevice(_ secret: String, _ request: Request) -> String {
    cookie(device, secret, path: "/api/login", Self.deviceSeconds, request)
  }

  /// Behind a proxy with TLS a browser sends it only over TLS.
  private func cookie(
    _ name: String, _ value: String, path: String, _ maxAge: Int, _ request: Request
  ) -> String {
    let isSecure = request.headers[FieldName.forwardedProto]?.lowercased() == "https"
    return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(maxAge)"
      + (isSecure ? "; Secure" : "")
  }

  /// RFC 6265, section 5.4.
  private func values(_ name: String, _ headers: HTTPFields) -> [String] {
    headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { cookie in
      let parts = cookie.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimming(" ") == name else { return nil }
      return String(parts[1].trimming(" "))
    }
  }
}

extension Substring {
  func trimming(_ character: Character) -> Substring {
    var text = self.drop { $0 == character }
    while text.last == character { text.removeLast() }
    return text
  }
}
