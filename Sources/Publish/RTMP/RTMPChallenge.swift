// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS

/// What a server says that wants a user name and a password: "authmod=adobe" (Adobe's servers and Wowza) or
/// "authmod=llnw" (Limelight). The answer goes into the query of the next connection's application, and proves that
/// the password is known without containing it. Pure.
///
/// No specification is published; the methods are those of Adobe's encoders, as servers document them.
struct RTMPChallenge: Equatable {
  enum Method: String {
    case adobe
    case limelight = "llnw"
  }

  let method: Method
  /// "needauth", "authfailed", …; "" when the server only says that it wants to know who it is.
  let reason: String
  private let values: [String: String]

  /// - Parameter description: of the server's refusal: "… authmod=adobe ] : ?reason=needauth&user=…&salt=…".
  /// - Returns: `nil` if it names no known method.
  init?(_ description: String) {
    guard let start = description.firstRange(of: "authmod=") else { return nil }
    let name = description[start.upperBound...].prefix { $0.isLetter }
    guard let method = Method(rawValue: String(name)) else { return nil }
    self.method = method
    var values: [String: String] = [:]
    if let query = description.firstRange(of: "?") {
      for pair in description[query.upperBound...].split(separator: "&") {
        // Base64 ends with "=".
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        values[String(parts[0])] = String(parts[1].prefix { !$0.isWhitespace })
      }
    }
    self.values = values
    reason = values["reason"] ?? ""
  }

  /// What to add to the query of the application.
  /// - Parameters:
  ///   - app: the application, with its sub-path.
  ///   - nonce: eight random hexadecimal digits.
  /// - Returns: `nil` if there is nothing to answer: the server does not accept the user or the password.
  func answer(user: String, password: String, app: String, nonce: String) -> String? {
    let begin = "authmod=\(method.rawValue)&user=\(user)"
    switch reason {
    case "": return begin
    case "needauth":
      return begin
        + (method == .adobe
          ? adobe(user, password, nonce) : limelight(user, password, app: app, nonce))
    default: return nil
    }
  }

  private func adobe(_ user: String, _ password: String, _ nonce: String) -> String {
    let (salt, opaque) = (values["salt"] ?? "", values["opaque"] ?? "")
    let secret = MD5("\(user)\(salt)\(password)").base64
    let response = MD5("\(secret)\(opaque.isEmpty ? values["challenge"] ?? "" : opaque)\(nonce)")
    return "&challenge=\(nonce)&response=\(response.base64)"
      + (opaque.isEmpty ? "" : "&opaque=\(opaque)")
  }

  /// As HTTP's digest (RFC 2617, section 3.2.2), with "publish" for its method.
  private func limelight(
    _ user: String, _ password: String, app: String, _ nonce: String
  ) -> String {
    let server = values["nonce"] ?? ""
    let who = MD5("\(user):live:\(password)").hexadecimal
    let what = MD5("publish:/\(app)" + (app.contains("/") ? "" : "/_definst_")).hexadecimal
    let how = server.isEmpty ? "" : "00000001:\(nonce):auth:"
    let response = MD5("\(who):\(server):\(how)\(what)").hexadecimal
    return "&nonce=\(server)&cnonce=\(nonce)&nc=00000001&response=\(response)"
  }
}

/// The digest that both methods are made of.
private struct MD5 {
  private var bytes = [UInt8](repeating: 0, count: 16)

  init(_ text: String) {
    let text = Array(text.utf8)
    let status = unsafe gnutls_hash_fast(GNUTLS_DIG_MD5, text, text.count, &bytes)
    // Forbidden on this machine: the server will refuse the answer.
    if status < 0 { bytes = [] }
  }

  var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// RFC 4648, section 4.
  var base64: String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return stride(from: 0, to: bytes.count, by: 3).map { start in
      let part = bytes[start..<min(start + 3, bytes.count)]
      let missing = 3 - part.count
      let number: Int = part.reduce(0) { $0 << 8 | Int($1) } << (8 * missing)
      let digits: [Character] = (0...part.count).map { letters[number >> (18 - 6 * $0) & 63] }
      return String(digits) + String(repeating: "=", count: missing)
    }.joined()
  }
}
