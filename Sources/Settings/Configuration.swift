// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The settings, and what follows from them and the machine: where the broadcast goes, where state is
/// kept.
public struct Configuration: Sendable {
  /// Each setting's checked value, the command line's before the file's before the default.
  public let settings: Settings
  /// Server and key in force; nil if `publish.url` is not set, or has no key and is not started by
  /// itself.
  public let destination: RTMPAddress?
  /// The same with `publish.backup_url`.
  public let backup: RTMPAddress?
  /// The folder for what must last; see `stateDirectory(_:environment:)`.
  public let stateDirectory: String
  /// What is allowed but unwise, as sentences.
  public let warnings: [String]

  /// Reads the configuration.
  /// - Parameters:
  ///   - file: The TOML file's path (at most 1 MiB of UTF-8), or nil for defaults only.
  ///   - overrides: `KEY=VALUE` each, as given to `--set`; they win over the file, the last over the
  ///     first.
  ///   - environment: HOME, STATE_DIRECTORY, XDG_STATE_HOME and CREDENTIALS_DIRECTORY are looked at.
  ///   - files: How files are read.
  /// - Throws: `.noSuchFile` if `file` cannot be read, else `.invalid` with all that is wrong.
  public static func load(
    file: String?, overrides: [String] = [],
    environment: [String: String] = processEnvironment, files: FileReader = .system
  ) throws(ConfigurationError) -> Configuration {
    var form = Form()
    var warnings: [String] = []
    var isOpenToAll = false
    if let file {
      let contents: FileReader.Contents
      do throws(FileReader.Failure) {
        contents = try files.read(file, Document.longest)
      } catch {
        throw .noSuchFile(Problem(place: .wholeFile(file), key: nil, sentence: error.sentence))
      }
      isOpenToAll = contents.isReadableByAll
      let document = Document(contents.bytes)
      for leaf in document.leaves {
        form.take(leaf.path, leaf.raw, at: .file(file, leaf.position))
      }
      for fault in document.faults {
        form.report(nil, fault.sentence, at: .file(file, fault.position))
      }
    }
    for override in overrides { form.take(override: override) }
    let settings = Settings(&form)
    let key = streamKey(
      settings.publish, environment: environment, files: files, form: &form, warnings: &warnings)
    let destination = settings.publish.url.flatMap { RTMPAddress($0, key: key) }
    // What holds the key, if that is nothing safer.
    let holder: (key: String, words: String)? =
      if settings.publish.key.isSet {
        ("publish.key", "publish.key")
      } else if !key.isSet, destination != nil {
        ("publish.url", "the stream key in publish.url")
      } else {
        nil
      }
    if let holder {
      switch form.place(of: holder.key) {
      case .commandLine:
        warnings.append(
          "\(holder.words) on the command line can be seen by every user of this machine: "
            + "use publish.key_file")
      case .file(let file, _) where isOpenToAll:
        warnings.append(
          Problem(
            place: .wholeFile(file), key: nil,
            sentence: "holds \(holder.words) and may be read by every user: chmod o-r it"
          ).description)
      default: break
      }
    }
    if settings.publish.url == nil, settings.publish.autostart == .always, form.problems.isEmpty {
      form.report(
        nil,
        "publish.url is not set: name the platform's server, as in publish.url = \"rtmp://HOST/APP\"",
        at: .builtIn)
    }
    // Not after another problem: then the key may be there, but on a line that was not understood.
    if settings.publish.url != nil, destination == nil, form.problems.isEmpty {
      let missing = """
        publish.key is missing: set it, or publish.key_file, or the systemd credential publish.key
        """
      if settings.publish.autostart == .always {
        form.report(nil, missing, at: form.place(of: "publish.url"))
      } else {
        warnings.append(missing)
      }
    }
    if let listen = settings.page.listen, !listen.isLocal {
      warnings.append(
        "page.listen is \(listen): there is no password, and whoever reaches that address can end a pause"
      )
    }
    if settings.publish.url?.isSecure == true, settings.publish.backupUrl?.isSecure == false {
      warnings.append(
        "publish.backup_url is rtmp:// beside an rtmps:// publish.url: whoever can break the one gets the stream key "
          + "by the other, which is not encrypted")
    }
    checkAuthorities(settings.publish, files: files, form: &form, warnings: &warnings)
    form.sortProblems()
    guard form.problems.isEmpty else { throw .invalid(form.problems) }
    return Configuration(
      settings: settings, destination: destination,
      backup: settings.publish.backupUrl.flatMap { RTMPAddress($0, key: key) },
      stateDirectory: stateDirectory(settings.state.directory, environment: environment),
      warnings: warnings)
  }

  /// The folder for what must last: `setting` unless it is empty; else systemd's $STATE_DIRECTORY (its
  /// first, see systemd.exec(5)); else $XDG_STATE_HOME/onair, if that is absolute as the XDG base
  /// directory specification wants it; else ~/.local/state/onair; else /var/lib/onair.
  public static func stateDirectory(
    _ setting: String = "", environment: [String: String]
  ) -> String {
    if !setting.isEmpty { return setting }
    if let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return String(first)
    }
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return "\(folder)/onair"
    }
    if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state/onair" }
    return "/var/lib/onair"
  }

  /// The key in force: the setting, else the key file's first line, else the systemd credential
  /// (systemd.exec(5), LoadCredential=), else none, and the URL may hold it.
  private static func streamKey(
    _ publish: PublishSettings, environment: [String: String], files: FileReader,
    form: inout Form, warnings: inout [String]
  ) -> Secret {
    if publish.key.isSet { return publish.key }
    if !publish.keyFile.isEmpty {
      let setting = form.place(of: "publish.key_file")
      do throws(FileReader.Failure) {
        let contents = try files.read(publish.keyFile, longestKeyFile)
        if contents.isReadableByAll {
          warnings.append(
            "publish.key_file names a file that every user may read: chmod 600 the file")
        }
        return firstLine(contents, of: publish.keyFile, form: &form)
      } catch {
        // Not with the path: the key itself may have been written there by mistake.
        form.report("publish.key_file", error.sentence(naming: publish.keyFile), at: setting)
        return Secret()
      }
    }
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else {
      return Secret()
    }
    let path = "\(folder)/publish.key"
    do throws(FileReader.Failure) {
      return firstLine(try files.read(path, longestKeyFile), of: path, form: &form)
    } catch {
      if error != .notThere { form.report("publish.key", error.sentence, at: .wholeFile(path)) }
      return Secret()
    }
  }

  /// That there is a certificate where `publish.ca_file` says so. Whether it is a good one shows when
  /// a server is judged by it.
  private static func checkAuthorities(
    _ publish: PublishSettings, files: FileReader, form: inout Form, warnings: inout [String]
  ) {
    guard !publish.caFile.isEmpty else { return }
    let setting = form.place(of: "publish.ca_file")
    do throws(FileReader.Failure) {
      let contents = try files.read(publish.caFile, Document.longest)
      guard contents.bytes.count <= Document.longest else {
        form.report(
          "publish.ca_file", "names a file larger than 1 MiB", at: setting)
        return
      }
      // RFC 7468, section 5; the second is how OpenSSL once wrote it.
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
      warnings.append("publish.ca_file counts for rtmps:// only, and publish.url is rtmp://")
    }
  }

  /// Bytes; only the first line counts, the rest may be a remark.
  private static let longestKeyFile = 65_536

  private static func firstLine(
    _ contents: FileReader.Contents, of path: String, form: inout Form
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

extension Form {
  /// Takes in one `KEY=VALUE`. The value may stand in quotes, as in the file.
  mutating func take(override: String) {
    guard let equals = override.firstIndex(of: "=") else {
      // Not with the text: it may be the value alone.
      report(nil, "write KEY=VALUE, as in video.fps=25", at: .commandLine)
      return
    }
    let key = trimmed(override[..<equals])
    var value = trimmed(override[override.index(after: equals)...])
    if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'",
      value.last == quote
    {
      value = value.dropFirst().dropLast()
    }
    let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    take(path, .word(String(value)), at: .commandLine)
  }

  private func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return start[...last]
  }
}
