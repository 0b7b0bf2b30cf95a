// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Settings
import Testing

/// Which stream key is used.
@Suite struct StreamKeyTests {
  private let url = "publish.url = 'rtmp://h/live/fromURL'\n"
  private let credentials = ["CREDENTIALS_DIRECTORY": "/run/credentials/onair.service"]
  private let files = [
    "/etc/key": file("fromFile\r\nsecond line"),
    "/run/credentials/onair.service/publish.key": file("fromCredential\n"),
  ]

  private func keyInForce(_ toml: String, _ environment: [String: String] = [:]) throws -> String? {
    try load(toml, environment: environment, others: files).destination?.playpath.reveal()
  }

  @Test func precedence() throws {
    let key = "publish.key = 'fromKey'\n"
    let keyFile = "publish.key_file = '/etc/key'\n"
    #expect(try keyInForce(url + key + keyFile, credentials) == "fromKey")
    #expect(try keyInForce(url + keyFile, credentials) == "fromFile")
    #expect(try keyInForce(url, credentials) == "fromCredential")
    #expect(try keyInForce(url) == "fromURL")
    #expect(try keyInForce(url, ["CREDENTIALS_DIRECTORY": "/else"]) == "fromURL")
    #expect(try keyInForce("publish.key = 'x'") == nil)
  }

  /// Emptied after the start: the key of the file belongs to another server.
  @Test func anEmptiedKeyIsNone() throws {
    func key(_ overrides: [String]) throws -> String? {
      try load(url, set: overrides, environment: credentials, others: files).destination?.playpath
        .reveal()
    }
    #expect(try key([]) == "fromCredential")
    #expect(try key(["publish.key="]) == "fromURL")
    #expect(try key(["publish.key=", "publish.key_file=/etc/key"]) == "fromURL")
    let configuration = try load(url, environment: credentials, others: files)
    let value = configuration.values.first { $0.declaration.key == "publish.key" }
    #expect(value?.text == "\"(set)\"", "wherever it comes from")
  }

  @Test func missingKey() throws {
    let bare = "\npublish.url = 'rtmp://h/live'\n"
    #expect(
      complaints(bare + "publish.autostart = 'always'") == [
        "onair.toml:2:1: publish.key is missing: set it, or publish.key_file, or the systemd "
          + "credential publish.key"
      ])
    for choice in ["never", "resume"] {
      let later = try load(bare + "publish.autostart = '\(choice)'")
      #expect(later.destination == nil)
      #expect(later.warnings.count == 1)
    }
  }

  @Test func badKeyFiles() {
    let missing = complaints("publish.key_file = '/etc/s3cret'")
    #expect(missing == ["onair.toml:1:1: publish.key_file: names a file that is not there"])
    for path in ["s3cret", "~/s3cret"] {
      #expect(
        complaints("", set: ["publish.key_file=\(path)"]) == [
          "--set publish.key_file: names a file that is not there "
            + "(write the whole path, beginning with /)"
        ])
    }
    let reader: FileReader = { _, _ throws(FileError) in throw .forbidden }
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.load(
        file: nil, overrides: ["publish.key_file=/k"], environment: [:], files: reader)
    }
    #expect(
      error?.description == "--set publish.key_file: names a file that may not be read by this "
        + "user: change its owner or its mode")
    let empty = complaints("publish.key_file = '/k'", others: ["/k": file("\nx")])
    #expect(empty == ["/k:1:1: publish.key: the file's first line, the key, is empty"])
    let bad = complaints("publish.key_file = '/k'", others: ["/k": file("s3cret word")])
    #expect(bad.count == 1 && !bad.joined().contains("s3cret"))
    let binary = File.Contents(bytes: [0xFF, 0xFE, 0])
    #expect(complaints("publish.key_file = '/k'", others: ["/k": binary]).count == 1)
  }

  /// As shells and editors write it.
  @Test func keyFilesOfEditors() throws {
    func utf16(_ text: String, bigEndian: Bool = false) -> [UInt8] {
      text.utf16.flatMap { unit in
        let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
        return bigEndian ? bytes.reversed() : bytes
      }
    }
    let clear: [[UInt8]] =
      [
        "abcd-1234", "abcd-1234\r\n", "abcd-1234\rmore", "abcd-1234 \n", "abcd-1234\t\n",
        "  abcd-1234",
        "\u{FEFF}abcd-1234\n", "abcd-1234\u{A0}\n", "\u{FEFF} abcd-1234\u{3000}\r\nnote",
      ].map { Array($0.utf8) } + [
        utf16("\u{FEFF}abcd-1234\r\n"), utf16("\u{FEFF}abcd-1234 ", bigEndian: true),
        utf16("abcd-1234"),
        utf16("abcd-1234\n# für 频道\n", bigEndian: true),
      ]
    let toml = "publish.url = 'rtmp://h/live'\npublish.key_file = '/k'"
    for bytes in clear {
      let configuration = try load(toml, others: ["/k": File.Contents(bytes: bytes)])
      #expect(configuration.destination?.playpath.reveal() == "abcd-1234", "\(bytes)")
    }
    let told: [(String, [UInt8])] = [
      ("RTF", Array("{\\rtf1 abcd-1234}".utf8)), ("word processor", [0x50, 0x4B, 3, 4, 20, 0]),
      ("damaged", [0xFF, 0xFE, 0x61]), ("damaged", [0xFF, 0xFE, 0, 0xDC, 0x61, 0]),
      ("is empty", utf16("\u{FEFF}\r\nabcd-1234")), ("a space", Array("abcd 1234\n".utf8)),
    ]
    for (words, bytes) in told {
      let said = complaints(toml, others: ["/k": File.Contents(bytes: bytes)])
      #expect(said.count == 1 && said[0].contains(words), "\(said)")
      #expect(!said.joined().contains("1234"))
    }
  }

  @Test func anUnencryptedBackupGivesAWarning() throws {
    func both(_ first: String, _ second: String) -> String {
      """
      publish.url = "\(first)://a/b"
      publish.backup_url = "\(second)://c/b"
      publish.key_file = "/k"
      """
    }
    let key = ["/k": file("abc")]
    #expect(try load(both("rtmps", "rtmps"), others: key).warnings == [])
    #expect(try load(both("rtmp", "rtmp"), others: key).warnings == [])
    #expect(try load(both("rtmps", "rtmp"), others: key).warnings.count == 1)
  }

  @Test func filesThatEveryoneMayReadGiveAWarning() throws {
    let open = ["/k": file("abc", isReadableByAll: true)]
    let configuration = try load("publish.key_file = '/k'", others: open)
    #expect(
      configuration.warnings == [
        "publish.key_file names a file that every user may read: chmod 600 the file"
      ])
    let reader: FileReader = { path, _ throws(FileError) in
      file(
        path == "key.toml"
          ? "publish.key = 'abc'\npublish.url = 'rtmp://h/live/part'"
          : "publish.url = 'rtmp://h/live/abc'", isReadableByAll: true)
    }
    func warned(_ file: String?, _ overrides: String...) throws -> [String] {
      try Configuration.load(file: file, overrides: overrides, environment: [:], files: reader)
        .warnings
    }
    #expect(
      try warned("key.toml") == [
        "key.toml: holds publish.key and may be read by every user: chmod o-r it"
      ])
    #expect(
      try warned("url.toml") == [
        "url.toml: holds the stream key in publish.url and may be read by every user: chmod o-r it"
      ])
    #expect(
      try warned(nil, "publish.url=rtmp://h/live/abc") == [
        "the stream key in publish.url on the command line can be seen by every user of this machine:"
          + " use publish.key_file"
      ])
  }

  @Test func autostartNeedsAServer() throws {
    let always = ["publish.autostart=always"]
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.load(file: nil, overrides: always, environment: [:])
    }
    #expect(error?.exitCode == 78)
    #expect(error?.description.hasPrefix("publish.url is not set: ") == true)
    #expect(try Configuration.load(file: nil, environment: [:]).warnings == [])
  }

  private func checked(_ toml: String) -> [String] {
    do throws(ConfigurationError) {
      _ = try Configuration.load(
        file: "onair.toml", for: .check, environment: [:],
        files: { path, _ throws(FileError) in
          guard path == "onair.toml" else { throw .missing }
          return file(toml)
        })
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func aCheckReportsEverythingThatPreventsABroadcast() {
    let example = "is the example's address: write your platform's"
    #expect(checked("publish.url = 'rtmp://live.real.host/app'\npublish.key = 'k'") == [])
    #expect(
      checked("").map { $0.prefix { $0 != ":" } } == [
        "publish.url is not set", "publish.key is missing",
      ])
    for host in ["live.example.org", "a.example", "example.com"] {
      let lines = checked("publish.url = 'rtmp://\(host)/app'\nvideo.fps = 1")
      #expect(lines.count == 3)
      #expect(lines.contains("onair.toml:1:1: publish.url: \(example)"))
    }
    #expect(
      checked("publish.url = 'rtmp://b.INVALID/app/key'") == [
        "onair.toml:1:1: publish.url: names a server that cannot exist: write your platform's"
      ])
    #expect(checked("publish.url = 'rtmp://myexample.org/app/key'") == [])
  }

  /// Consequences of a reported mistake are not reported separately.
  @Test(arguments: [
    "publish.url = 'http://h/a'\npublish.key = 'k'", "publish.ulr = 'rtmp://h/a/k'",
    "publish.url = rtmp://h/a/k", "publish.url = 'rtmp://h/a'\npublish.key = 'a b'",
    "publish.url = 'rtmp://h/a'\npublish.kye = 'k'", "publish.url = 'rtmp://h/a'\nkey = 'k'",
    "publish.url = 'rtmp://h/a'\npublish.key_file = '/nowhere'",
  ])
  func aConsequenceIsNotReported(_ toml: String) {
    #expect(checked(toml).count == 1, "\(checked(toml))")
  }

  /// As the key: the setting, its file, the credential. A password may have spaces.
  @Test func passwords() throws {
    let files = [
      "/etc/password": file("from file\nsecond line"),
      "/run/credentials/onair.service/publish.password": file("fromCredential\n"),
      "/run/credentials/onair.service/relay.r.password": file("relay's"),
    ]
    let login = url + "publish.user = 'u'\n"
    func password(_ toml: String, _ environment: [String: String] = [:]) throws -> String? {
      let address = try load(toml, environment: environment, others: files).destination
      #expect(address?.user == "u")
      return address?.password.reveal()
    }
    let setting = "publish.password = 'from setting'\n"
    let passwordFile = "publish.password_file = '/etc/password'\n"
    #expect(try password(login + setting + passwordFile, credentials) == "from setting")
    #expect(try password(login + passwordFile, credentials) == "from file")
    #expect(try password(login, credentials) == "fromCredential")
    #expect(try password(login) == "")
    let relay = try load(
      "[[relay]]\nname = 'r'\nurl = 'rtmp://h/live/key'\nuser = 'u'", environment: credentials,
      others: files)
    #expect(relay.relays[0].address?.password.reveal() == "relay's")
    for toml in [
      login + "publish.password = '\(String(repeating: "p", count: 256))'",
      login + "publish.password = 'pässword'", url + "publish.user = 'a&b'",
      login + "publish.password_file = '/nowhere'",
    ] { #expect(complaints(toml, others: files).count == 1) }
    let shown = try load(login + setting).values.first { $0.declaration.key == "publish.password" }
    #expect(shown?.text == "\"(set)\"")
  }
}
