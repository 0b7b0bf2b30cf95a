// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGnuTLS

/// A challenge of a server that wants a user name and a password: "authmod=adobe" (Adobe's servers and Wowza) or
/// "authmod=llnw" (Limelight). The answer goes into the query of the application on the next connection. The answer
/// proves that OnAir knows the password, without containing the password. Reads no clock and does no I/O: random digits
/// are passed in.
///
/// No specification is published; the methods are those of Adobe's encoders, as servers document them.
struct RTMPChallenge: Equatable {
  /// The method of authentication, by its name in "authmod".
  enum Method: String {
    case adobe
    case limelight = "llnw"
  }

  /// The method of authentication that the server asks for.
  let method: Method
  /// The server's reason: "needauth", "authfailed" and others; "" when the server so far asks for the user name only.
  let reason: String
  /// The parameters of the challenge, such as "salt" and "nonce".
  private let fields: [String: String]

  /// Parses the description of a server's refusal.
  /// - Parameter description: for example "… authmod=adobe ] : ?reason=needauth&user=…&salt=…".
  /// - Returns: `nil` if the description names no known method.
  init?(_ description: String) {
    guard let start = description.firstRange(of: "authmod=") else { return nil }
    let name = description[start.upperBound...].prefix { $0.isLetter }
    guard let method = Method(rawValue: String(name)) else { return nil }
    self.method = method
    var fields: [String: String] = [:]
    if let query = description.firstRange(of: "?") {
      for pair in description[query.upperBound...].split(separator: "&") {
        // A Base64 value may contain "=", too, so split only at the first one.
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        fields[String(parts[0])] = String(parts[1].prefix { !$0.isWhitespace })
      }
    }
    self.fields = fields
    reason = fields["reason"] ?? ""
  }

  /// The answer, as parameters to add to the query of the application.
  /// - Parameters:
  ///   - app: the application with its sub-path, without its query.
  ///   - nonce: eight random hexadecimal digits.
  /// - Returns: `nil` if no answer helps: the server does not accept the user name or the password.
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

  /// The second part of an answer by Adobe's method, after the user name: the client's challenge and the response.
  private func adobe(_ user: String, _ password: String, _ nonce: String) -> String {
    let (salt, opaque) = (fields["salt"] ?? "", fields["opaque"] ?? "")
    let secret = MD5("\(user)\(salt)\(password)").base64
    let response = MD5("\(secret)\(opaque.isEmpty ? fields["challenge"] ?? "" : opaque)\(nonce)")
    return "&challenge=\(nonce)&response=\(response.base64)"
      + (opaque.isEmpty ? "" : "&opaque=\(opaque)")
  }

  /// The second part of an answer by Limelight's method, after the user name. The method is HTTP's digest (RFC 2617,
  /// section 3.2.2) with "publish" as the HTTP method.
  private func limelight(
    _ user: String, _ password: String, app: String, _ nonce: String
  ) -> String {
    let server = fields["nonce"] ?? ""
    let who = MD5("\(user):live:\(password)").hexadecimal
    let what = MD5("publish:/\(app)" + (app.contains("/") ? "" : "/_definst_")).hexadecimal
    let how = server.isEmpty ? "" : "00000001:\(nonce):auth:"
    let response = MD5("\(who):\(server):\(how)\(what)").hexadecimal
    return "&nonce=\(server)&cnonce=\(nonce)&nc=00000001&response=\(response)"
  }
}

/// An MD5 digest, as both methods of authentication use it.
private struct MD5 {
  /// The 16 bytes of the digest; empty if this machine's policy forbids MD5.
  private var bytes = [UInt8](repeating: 0, count: 16)

  init(_ text: String) {
    let text = Array(text.utf8)
    let status = unsafe gnutls_hash_fast(GNUTLS_DIG_MD5, text, text.count, &bytes)
    // If this machine's policy forbids MD5, the digest stays empty, and the server refuses the answer.
    if status < 0 { bytes = [] }
  }

  /// The digest as hexadecimal digits, in lower case.
  var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The digest in Base64 (RFC 4648, section 4).
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
