// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix

/// The files that settings name: stream key and certificates.
extension Configuration {
  /// The stream key: the setting, else the first line of the key file, else the systemd credential (systemd.exec(5),
  /// LoadCredential=). If none is set, or if the setting was emptied at run time, the URL may contain the key.
  static func streamKey(
    _ publish: PublishSettings, environment: [String: String], files: FileReader,
    form: inout Form, warnings: inout [String]
  ) -> Secret {
    if publish.key.isSet { return publish.key }
    // "No key", said after the start: that of another server must not be sent to this one.
    if form.origin(of: "publish.key") >= .runTime { return Secret() }
    if !publish.keyFile.isEmpty {
      let setting = form.place(of: "publish.key_file")
      do throws(FileError) {
        let contents = try files(publish.keyFile, longestKeyFile)
        if contents.isReadableByAll {
          warnings.append(
            "publish.key_file names a file that every user may read: chmod 600 the file")
        }
        return firstLine(contents, of: publish.keyFile, form: &form)
      } catch {
        // Without the path, which may be the stream key by mistake.
        form.report("publish.key_file", error.sentence(naming: publish.keyFile), at: setting)
        return Secret()
      }
    }
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
      return Secret()
    }
    let path = "\(folder)/publish.key"
    do throws(FileError) {
      return firstLine(try files(path, longestKeyFile), of: path, form: &form)
    } catch {
      if error != .missing { form.report("publish.key", error.sentence, at: .wholeFile(path)) }
      return Secret()
    }
  }

  /// Checks that `publish.ca_file` contains a certificate. Whether it is valid is only checked when OnAir connects.
  static func checkAuthorities(
    _ publish: PublishSettings, files: FileReader, form: inout Form, warnings: inout [String]
  ) {
    guard !publish.caFile.isEmpty else { return }
    let setting = form.place(of: "publish.ca_file")
    do throws(FileError) {
      let contents = try files(publish.caFile, Document.longest)
      // RFC 7468, section 5. The second label is that of old OpenSSL versions.
      let text = String(decoding: contents.bytes, as: UTF8.self)
      if !text.contains("-----BEGIN CERTIFICATE-----"),
        !text.contains("-----BEGIN X509 CERTIFICATE-----")
      {
        form.report(
          "publish.ca_file",
          "names a file without a certificate: it must be PEM, with a line "
            + "-----BEGIN CERTIFICATE-----",
          at: setting)
      }
    } catch {
      form.report("publish.ca_file", error.sentence(naming: publish.caFile), at: setting)
    }
    if let url = publish.url, !url.isSecure {
      warnings.append("publish.ca_file has no effect: publish.url is rtmp://, not rtmps://")
    }
  }

  /// In bytes. Only the first line is used; the rest may be a comment.
  private static let longestKeyFile = 65_536

  private static func firstLine(
    _ contents: File.Contents, of path: String, form: inout Form
  ) -> Secret {
    var line = contents.bytes.prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    do throws(Refusal) {
      guard !text.isEmpty else { throw .because("the file's first line, the key, is empty") }
      try checkKey(text)
    } catch {
      if case .because(let reason) = error {
        form.report("publish.key", reason, at: .file(path, .start))
      }
      return Secret()
    }
    return Secret(text)
  }
}
