// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
import Posix

/// The files that settings name: stream key, password and certificates.
extension Reading {
  /// The stream key or the password: the setting, else the first line of its file, else the systemd credential
  /// (systemd.exec(5), LoadCredential=). If no key is set, or if the setting was emptied at run time, the URL may contain it.
  ///
  /// - Parameters:
  ///   - section: "publish" or "relay.NAME".
  ///   - given: the value of the setting.
  ///   - file: the path of the key file, or empty.
  mutating func secretOrNone(
    _ secret: AddressSecret, in section: String, _ given: Secret, file: String
  ) -> Secret {
    if given.isSet { return given }
    let key = "\(section).\(secret.rawValue)"
    // "No key", said after the start: that of another server must not be sent to this one.
    if form.origin(of: key) >= .runTime { return Secret() }
    if !file.isEmpty {
      let setting = form.place(of: "\(key)_file")
      do throws(FileError) {
        let contents = try files(file, Self.longestKeyFile)
        if contents.isReadableByAll {
          warnings.append(
            "\(key)_file names a file that every user may read: chmod 600 the file")
        }
        return firstLine(contents, of: file, secret, in: section)
      } catch {
        // Without the path, which may be the stream key by mistake.
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
      return firstLine(try files(path, Self.longestKeyFile), of: path, secret, in: section)
    } catch {
      if error != .missing {
        form.report(key, error.sentence, at: .wholeFile(path))
      }
      return Secret()
    }
  }

  /// Checks that a `ca_file` contains a certificate. Whether it is valid is only checked when OnAir connects.
  /// - Parameters:
  ///   - section: "publish" or "relay.NAME".
  ///   - file: its path, or empty.
  mutating func checkAuthorities(in section: String, _ file: String, for url: RTMPURL?) {
    guard !file.isEmpty else { return }
    let setting = form.place(of: "\(section).ca_file")
    do throws(FileError) {
      let contents = try files(file, Document.longest)
      // RFC 7468, section 5. The second label is that of old OpenSSL versions.
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

  /// In bytes. Only the first line is used; the rest may be a comment.
  private static let longestKeyFile = 65_536

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
