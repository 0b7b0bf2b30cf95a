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

  /// As platforms show it, with the key apart.
  @Test(arguments: [
    ("rtmps://h.example", "", "rtmps://h.example/", "rtmps://h.example/***"),
    ("rtmps://h.example/", "", "rtmps://h.example/", "rtmps://h.example/***"),
    ("rtmp://[::1]:99", "", "rtmp://[::1]:99/", "rtmp://[::1]:99/***"),
    ("rtmp://h?sign=x", "?sign=x", "rtmp://h/?sign=x", "rtmp://h/***"),
  ])
  func withoutAnApplication(
    _ url: String, _ app: String, _ tcURL: String, _ masked: String
  ) throws {
    let address = try destination(url, key: "k?a=b")
    #expect(address.app.reveal() == app && address.playpath.reveal() == "k?a=b")
    #expect(address.tcURL.reveal() == tcURL)
    #expect("\(address)" == masked)
    #expect(try load("publish.url = '\(url)'").destination == nil, "without a key it says nothing")
  }

  /// A query that says nothing of who publishes is no stream key: it is missing, and nothing is sent anywhere.
  @Test(arguments: [
    "rtmps://h/live2?backup=1", "rtmp://h/live?x", "rtmp://h/live?user=", "rtmp://h/live?v=2&a=b",
  ])
  func aQueryIsNotAKey(_ url: String) throws {
    #expect(try load("publish.url = '\(url)'").destination == nil)
  }

  /// The application is the stream, and who may publish it is in the query; or the key has no name of its own.
  @Test(arguments: [
    ("rtmp://h/room?user=u&pass=p", "room?user=u&pass=p", ""),
    ("rtmp://h:1/room?jwt=a.b/c", "room?jwt=a.b/c", ""),
    ("rtmps://h/app/?streamname=x&key=y", "app", "?streamname=x&key=y"),
    ("rtmp://h/app/room?user=u", "app", "room?user=u"),
  ])
  func withoutAKey(_ url: String, _ app: String, _ name: String) throws {
    let address = try destination(url)
    #expect(address.app.reveal() == app && address.playpath.reveal() == name)
    #expect(address.tcURL.reveal().hasSuffix("/\(app)"))
    #expect(!"\(address)".contains("?"))
    #expect(try load("publish.url = '\(url)'").warnings == [])
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
    "rtmp://h", "rtmps://h/", "rtmp://h:1", "rtmp://h?x", "rtmp://[::1]/?x=/y",
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
    let longest = start + String(repeating: "a", count: 4_096 - start.count)
    #expect(complaints("", set: ["publish.url=\(longest)", "publish.key=k"]) == [])
    #expect(complaints("", set: ["publish.url=\(longest)a"]).count == 1)
    let name = String(repeating: "a", count: 63)
    #expect(complaints("", set: ["publish.url=rtmp://\(name).b/a", "publish.key=k"]) == [])
    #expect(complaints("", set: ["publish.url=rtmp://\(name)a.b/a"]).count == 1)
    let key = String(repeating: "k", count: 4_096)
    #expect(complaints("", set: ["publish.key=\(key)"]) == [])
    #expect(complaints("", set: ["publish.key=\(key)k"]).count == 1)
  }

  @Test(arguments: [
    ("rtmp://h/app", "rtmp://h/app"), ("rtmp://h:1935/app/", "rtmp://h/app"),
    ("rtmp://h:1/app/key", "rtmp://h:1/app/***"), ("rtmp://h/", "rtmp://h"),
    ("rtmps://h:1/?sign=x", "rtmps://h:1?***"),
    ("rtmp://h/app?auth_key=x", "rtmp://h/app?***"),
    ("rtmp://[::1]:7/app/a/b?x=/y", "rtmp://[::1]:7/app/***?***"),
    ("rtmps://h:443/app/key", "rtmps://h/app/***"), ("rtmps://h:1935/app", "rtmps://h:1935/app"),
  ])
  func maskedURL(_ url: String, _ masked: String) throws {
    let parsed = try #require(
      try load("publish.url = '\(url)'\npublish.key = 'k'").settings.publish.url)
    #expect("\(parsed)" == masked && String(reflecting: parsed) == masked)
  }
}
