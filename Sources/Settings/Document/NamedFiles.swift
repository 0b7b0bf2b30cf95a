// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
import Posix

/// Reads the files that settings name: stream keys, passwords and certificates.
extension Reading {
  /// The effective stream key or password of a server: the value of the setting, else the first line of the file, else
  /// the systemd credential (systemd.exec(5), LoadCredential=). The returned secret is empty if none of these exists,
  /// or if the setting was set to an empty text at run time or on the command line. The stream key may then still be in
  /// the URL.
  ///
  /// - Parameters:
  ///   - section: "publish" or "relay.NAME".
  ///   - given: the value of the setting.
  ///   - file: the path of the file with the secret; empty if there is none.
  mutating func secretOrNone(
    _ secret: AddressSecret, in section: String, _ given: Secret, file: String
  ) -> Secret {
    if given.isSet { return given }
    let key = "\(section).\(secret.rawValue)"
    // An empty value given at run time or on the command line means "no key": the key in a file may be that of another
    // server, and must not be sent to this one.
    if form.origin(of: key) >= .runTime { return Secret() }
    if !file.isEmpty {
      let setting = form.place(of: "\(key)_file")
      do throws(FileError) {
        let contents = try files(file, Self.maxSecretFileBytes)
        if contents.isReadableByAll {
          warnings.append(
            "\(key)_file names a file that every user may read: chmod 600 the file")
        }
        return firstLine(contents, of: file, secret, in: section)
      } catch {
        // Do not show the path: a user may have written the stream key in its place by mistake.
        form.report(
          "\(key)_file", error.sentence(naming: file), at: setting, code: .unfitFile)
        return Secret()
      }
    }
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
      return Secret()
    }
    let path = "\(folder)/\(key)"
    do throws(FileError) {
      return firstLine(try files(path, Self.maxSecretFileBytes), of: path, secret, in: section)
    } catch {
      if error != .missing {
        form.report(key, error.sentence, at: .wholeFile(path))
      }
      return Secret()
    }
  }

  /// Reports a `ca_file` that cannot be read or contains no certificate. Warns if the file has no effect, since the
  /// server does not use TLS. Whether a certificate is valid is checked only when OnAir connects.
  /// - Parameters:
  ///   - section: "publish" or "relay.NAME".
  ///   - file: the path of the `ca_file`; empty if there is none.
  ///   - url: the URL of the server.
  mutating func checkCAFile(in section: String, _ file: String, for url: RTMPURL?) {
    guard !file.isEmpty else { return }
    let setting = form.place(of: "\(section).ca_file")
    do throws(FileError) {
      let contents = try files(file, Document.maxBytes)
      // A PEM certificate begins with "CERTIFICATE" (RFC 7468, section 5) or, if an old OpenSSL wrote it, with
      // "X509 CERTIFICATE".
      let text = String(decoding: contents.bytes, as: UTF8.self)
      if !text.contains("-----BEGIN CERTIFICATE-----"),
        !text.contains("-----BEGIN X509 CERTIFICATE-----")
      {
        form.report(
          "\(section).ca_file",
          "names a file without a certificate: it must be PEM, with a line "
            + "-----BEGIN CERTIFICATE-----",
          at: setting, code: .unfitFile)
      }
    } catch {
      form.report(
        "\(section).ca_file", error.sentence(naming: file), at: setting, code: .unfitFile)
    }
    if let url, !url.isSecure {
      warnings.append("\(section).ca_file has no effect: \(section).url is rtmp://, not rtmps://")
    }
  }

  /// Maximum size of a file with a secret, in bytes. Only its first line is used; the rest may be a comment.
  private static let maxSecretFileBytes = 65_536

  /// The secret in the first line of a file. If the line is empty or cannot be this secret, reports a problem and
  /// returns an empty secret.
  private mutating func firstLine(
    _ contents: File.Contents, of path: String, _ secret: AddressSecret, in section: String
  ) -> Secret {
    let plain = PlainText(contents.bytes)
    let text = plain.firstLine
    do throws(ValueError) {
      if let fault = plain.fault { throw .because(fault, .unfitFile) }
      guard !text.isEmpty else {
        throw .because("the file's first line, the \(secret.rawValue), is empty", .unfitFile)
      }
      try secret.check(text)
    } catch {
      if case .because(let reason, let code) = error {
        form.report(
          "\(section).\(secret.rawValue)", reason, at: .file(path, .start), code: code)
      }
      return Secret()
    }
    return Secret(text)
  }
}
