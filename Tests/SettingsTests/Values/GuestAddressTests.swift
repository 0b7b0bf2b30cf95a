// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// The addresses that guests are fetched from.
@Suite struct GuestAddressTests {
  /// Each scheme, and what is shown of its address. Everything behind the server may be a secret.
  @Test(arguments: [
    ("rtmp://host/app/stream", "rtmp://host/***", "host", 1935),
    ("rtmps://host", "rtmps://host", "host", 443),
    ("http://host:8080/live.flv?token=s3cret", "http://host:8080/***?***", "host", 8080),
    ("http://host/", "http://host/", "host", 80),
    ("https://host/s3cret.m3u8", "https://host/***", "host", 443),
    ("rtsp://me:s3cret@192.168.1.9/stream1", "rtsp://***@192.168.1.9/***", "192.168.1.9", 554),
    ("rtsp://a@s3cret@cam.local:8554", "rtsp://***@cam.local:8554", "cam.local", 8554),
    ("RTSPS://[2001:db8::1]/s3cret", "rtsps://[2001:db8::1]/***", "2001:db8::1", 322),
    (
      "srt://host:9000?streamid=#!::r=s3cret,m=request&passphrase=s3cret",
      "srt://host:9000?***", "host", 9000
    ),
  ])
  func anAddressIsTakenAndMasked(
    _ text: String, _ shown: String, _ host: String, _ port: UInt16
  ) throws {
    let address = try GuestAddress(text)
    #expect("\(address)" == shown && String(reflecting: address) == shown)
    #expect(address.host == host && address.port == port)
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains("s3cret") && !"\(Optional(address) as Any)".contains("s3cret"))
    // The scheme is in the case that libavformat knows.
    let scheme = address.scheme.rawValue
    #expect(address.whole.reveal() == scheme + text.dropFirst(scheme.count))
    #expect(address.hasUser == text.contains("@"))
  }

  private static let schemes =
    "the URL must begin with rtmp://, rtmps://, http://, https://, rtsp://, rtsps:// or srt://"
  private static let characters =
    "the URL holds a character that is not allowed in one (\" \\ < > ^ ` { | } #)"
  private static let host = "the URL's host must be a name, an IPv4 address or [IPv6]"

  @Test(arguments: [
    ("file:/etc/passwd", schemes), ("file:///etc/passwd", schemes), ("/dev/video0", schemes),
    ("concat:http://h/a|http://h/b", schemes), ("pipe:0", schemes), ("data:text/plain,x", schemes),
    ("subfile,,start,0,end,9,,:/etc/passwd", schemes), ("crypto+http://h/a", schemes),
    ("tcp://h:1", schemes), ("udp://h:1", schemes), ("rtp://h:1", schemes),
    ("rtmpt://h/a", schemes), ("tls://h:1", schemes), ("async:http://h/a", schemes),
    ("host/app", schemes), ("http:/host", schemes), ("http:", schemes), ("://host", schemes),
    ("http://host/a|b", characters), ("http://host/a#b", characters), ("srt://h:1?a|b", characters),
    ("http://host/<a>", characters),
    ("http://ho st/", "the URL holds a space, a control character or one outside ASCII"),
    ("http://host/ä", "the URL holds a space, a control character or one outside ASCII"),
    ("http://", host), ("rtsp://me:pass@", host), ("http://-host-/", host), ("http://?x", host),
    ("http://[1.2.3.4]/", "the URL's host is not an IPv6 address in brackets"),
    ("http://host:0/", "the URL's port must be 1 to 65535"),
    ("http://host:70000/", "the URL's port must be 1 to 65535"),
    ("srt://host", "the URL needs a port, as in srt://HOST:9000"),
    ("http://host/" + String(repeating: "a", count: 2_000), "the URL is longer than 2000 bytes"),
  ])
  func anotherIsRefused(_ text: String, _ sentence: String) {
    do throws(ValueError) {
      _ = try GuestAddress(text)
      Issue.record("\(text) was taken")
    } catch {
      guard case .because(sentence, _) = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func theBoxItselfIsKnown() throws {
    for host in [
      "localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "0.0.0.0", "[::1]", "[::]",
      "[::ffff:127.0.0.1]",
    ] {
      #expect(try GuestAddress("http://\(host)/").namesOwnBox, "\(host)")
    }
    for host in [
      "host", "localhost.example.org", "192.168.1.9", "10.0.0.1", "[fd00::1]", "[::ffff:10.0.0.1]",
      "[2001:db8::]",
    ] {
      #expect(try !GuestAddress("http://\(host)/").namesOwnBox, "\(host)")
    }
  }
}
