// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Settings
import Testing

@Suite struct PublishTests {
  private func destination(
    _ url: String, key: String? = nil
  ) throws -> RTMPAddress {
    let toml = "publish.url = '\(url)'\n" + (key.map { "publish.key = '\($0)'" } ?? "")
    return try #require(try load(toml).destination)
  }

  @Test func urlWithKey() throws {
    let address = try destination("rtmp://a.rtmp.example.com/live2?backup=1", key: "k-1?sig=2")
    #expect(address.host == "a.rtmp.example.com" && address.port == 1935)
    #expect(address.app.reveal() == "live2?backup=1")
    #expect(address.playpath.reveal() == "k-1?sig=2")
    #expect(address.tcURL.reveal() == "rtmp://a.rtmp.example.com/live2?backup=1")
    #expect("\(address)" == "rtmp://a.rtmp.example.com/live2/***")
  }

  @Test func urlThatHoldsTheKey() throws {
    let address = try destination("RTMP://h:1936/live/inst/stream?auth_key=1-2-3")
    #expect(address.port == 1936)
    #expect(address.app.reveal() == "live/inst")
    #expect(address.playpath.reveal() == "stream?auth_key=1-2-3")
    #expect(address.tcURL.reveal() == "rtmp://h:1936/live/inst")
    #expect(address.description == "rtmp://h:1936/live/***")
  }

  @Test func longApplicationWithKey() throws {
    let address = try destination("rtmp://192.0.2.1/live/inst/", key: "k")
    #expect(address.app.reveal() == "live/inst")
    #expect(address.playpath.reveal() == "k")
  }

  @Test func anIPv6Address() throws {
    let address = try destination("rtmp://[2001:db8::1]:99/live", key: "k")
    #expect(address.host == "2001:db8::1" && address.port == 99)
    #expect(address.tcURL.reveal() == "rtmp://[2001:db8::1]:99/live")
  }

  @Test func secure() throws {
    let address = try destination("RTMPS://live.example.org/app/key")
    #expect(address.isSecure && address.port == 443)
    #expect(address.tcURL.reveal() == "rtmps://live.example.org/app")
    #expect("\(address)" == "rtmps://live.example.org/app/***")
    let other = try destination("rtmps://h:1935/app", key: "k")
    #expect(other.isSecure && other.port == 1935)
    #expect(other.tcURL.reveal() == "rtmps://h:1935/app")
    #expect(try !destination("rtmp://h:443/app", key: "k").isSecure)
  }

  @Test func authorities() throws {
    let right = "publish.url = 'rtmps://h/a'\npublish.key = 'k'\npublish.ca_file = '/ca'"
    let certificate = file("some words\n-----BEGIN CERTIFICATE-----\nMA==\n")
    #expect(try load(right, others: ["/ca": certificate]).settings.publish.caFile == "/ca")
    #expect(
      complaints(right) == ["onair.toml:3:1: publish.ca_file: names a file that is not there"])
    let long = File.Contents(
      bytes: certificate.bytes + [UInt8](repeating: 10, count: 1 << 20))
    let tooLong = complaints(right, others: ["/ca": long])
    #expect(tooLong.count == 1 && tooLong[0].contains("names a file that is too large"))
    let empty = complaints(right, others: ["/ca": file("-----BEGIN PRIVATE KEY-----")])
    #expect(empty.count == 1)
    #expect(
      empty[0].hasPrefix("onair.toml:3:1: publish.ca_file: names a file without a certificate"))
    let plain = right.replacing("rtmps", with: "rtmp")
    #expect(try load(plain, others: ["/ca": certificate]).warnings.count == 1)
  }

  @Test(arguments: [
    "rtmp://h/a", "rtmps://h/a", "rtmp://h_1-x.example/a/", "rtmp://localhost:1/a",
    "rtmp://h:65535/a?b?c/d",
    "rtmp://[::]/a", "rtmp://[::1]/a", "rtmp://[1::]/a", "rtmp://[1:2:3:4:5:6:7:8]/a",
    "rtmp://[1:2:3:4:5:6:1.2.3.4]/a", "rtmp://[::ffff:192.0.2.1]/a", "rtmp://255.255.255.255/a",
    "rtmp://3com.example/a", "rtmp://h/a%20b;x=(1)!*'$&+,@:~",
  ])
  func allowedURL(_ url: String) {
    #expect(complaints("", set: ["publish.url=\(url)", "publish.key=k"]) == [])
  }

  @Test(arguments: [
    ("rtmpt://h/a", "or rtmps://"), ("rtmps:h/a", "must begin with rtmp://"),
    ("http://h/a", "must begin with rtmp://"), ("rtmp:/h/a", "must begin with rtmp://"),
    ("rtmp", "must begin with rtmp://"), ("h/a", "must begin with rtmp://"),
    ("://", "must begin with rtmp://"), ("rtmp://", "host"), ("rtmp:///a", "host"),
    ("rtmp://h", "application"), ("rtmp://h/", "application"), ("rtmp://h?x", "application"),
    ("rtmp://h//a", "//"), ("rtmp://h/a//b", "//"), ("rtmp://h:0/a", "port"),
    ("rtmp://h:65536/a", "port"), ("rtmp://h:/a", "port"), ("rtmp://h:+1/a", "port"),
    ("rtmp://h:1:2/a", "port"), ("rtmp://h:99999999999/a", "port"),
    ("rtmp://u:p@h/a", "USER:PASSWORD@"), ("rtmp://h/a b", "space"), ("rtmp://h/a\tb", "control"),
    ("rtmp://h/ä", "ASCII"), ("rtmp://hö/a", "ASCII"), ("rtmp://h/a#b", "character"),
    ("rtmp://h/a\\20b", "character"), ("rtmp://-h/a", "host"), ("rtmp://h-/a", "host"),
    ("rtmp://h..x/a", "host"), ("rtmp://.h/a", "host"), ("rtmp://1.2.3/a", "host"),
    ("rtmp://1.2.3.256/a", "host"), ("rtmp://1.2.3.04/a", "host"), ("rtmp://123/a", "host"),
    ("rtmp://[1.2.3.4]/a", "IPv6"), ("rtmp://[::1/a", "IPv6"), ("rtmp://[]/a", "IPv6"),
    ("rtmp://[1::2::3]/a", "IPv6"), ("rtmp://[:::]/a", "IPv6"), ("rtmp://[12345::]/a", "IPv6"),
    ("rtmp://[1:2:3:4:5:6:7]/a", "IPv6"), ("rtmp://[1:2:3:4:5:6:7::8]/a", "IPv6"),
    ("rtmp://[1:2:3:4:5:6:7:8::]/a", "IPv6"), ("rtmp://[fe80::1%eth0]/a", "IPv6"),
    ("rtmp://[1.2.3.4::]/a", "IPv6"), ("rtmp://[::1]x/a", "port"), ("rtmp://h%41/a", "host"),
  ])
  func refusedURL(_ url: String, _ reason: String) throws {
    let lines = complaints("", set: ["publish.url=\(url)", "publish.key=k"])
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    #expect(line.hasPrefix("--set publish.url: ") && line.contains(reason))
  }

  @Test func lengths() throws {
    let start = "rtmp://h/"
    let longest = start + String(repeating: "a", count: 512 - start.count)
    #expect(complaints("", set: ["publish.url=\(longest)", "publish.key=k"]) == [])
    #expect(complaints("", set: ["publish.url=\(longest)a"]).count == 1)
    let name = String(repeating: "a", count: 63)
    #expect(complaints("", set: ["publish.url=rtmp://\(name).b/a", "publish.key=k"]) == [])
    #expect(complaints("", set: ["publish.url=rtmp://\(name)a.b/a"]).count == 1)
    let key = String(repeating: "k", count: 512)
    #expect(complaints("", set: ["publish.key=\(key)"]) == [])
    #expect(complaints("", set: ["publish.key=\(key)k"]).count == 1)
  }

  @Test(arguments: [
    ("rtmp://h/app", "rtmp://h/app"), ("rtmp://h:1935/app/", "rtmp://h/app"),
    ("rtmp://h:1/app/key", "rtmp://h:1/app/***"),
    ("rtmp://h/app?auth_key=x", "rtmp://h/app?***"),
    ("rtmp://[::1]:7/app/a/b?x=/y", "rtmp://[::1]:7/app/***?***"),
    ("rtmps://h:443/app/key", "rtmps://h/app/***"), ("rtmps://h:1935/app", "rtmps://h:1935/app"),
  ])
  func maskedURL(_ url: String, _ masked: String) throws {
    let parsed = try #require(
      try load("publish.url = '\(url)'\npublish.key = 'k'").settings.publish.url)
    #expect("\(parsed)" == masked && String(reflecting: parsed) == masked)
  }

  // MARK: Which key

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
    for host in ["live.example.org", "a.example", "example.com", "b.INVALID"] {
      let lines = checked("publish.url = 'rtmp://\(host)/app'\nvideo.fps = 1")
      #expect(lines.count == 3)
      #expect(lines.contains("onair.toml:1:1: publish.url: \(example)"))
    }
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
}
