// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Testing

@testable import Settings

@Suite struct BoxSettingsTests {
  /// The files of a machine with two time zones, and one file in their folder that is none.
  private static let zones = [
    "/usr/share/zoneinfo/UTC": File.Contents(bytes: Array("TZif2".utf8)),
    "/usr/share/zoneinfo/Asia/Shanghai": File.Contents(bytes: Array("TZif2".utf8)),
    "/usr/share/zoneinfo/tzdata.zi": File.Contents(bytes: Array("# version".utf8)),
  ]

  private func complaint(_ setting: String) -> String? {
    complaints("", set: [setting], others: Self.zones).first
  }

  @Test func aZoneIsOneOfTheMachine() throws {
    for zone in ["", "UTC", "Asia/Shanghai"] { #expect(complaint("box.zone=\(zone)") == nil) }
    for zone in ["Europe/Atlantis", "Asia", "asia/shanghai"] {
      #expect(
        complaint("box.zone=\(zone)")
          == "--set box.zone: is not in the list of time zones: choose one as in \"Europe/Berlin\"")
    }
    #expect(
      complaints("", set: ["box.zone=UTC"]) == [
        "--set box.zone: cannot be looked up: install the package tzdata"
      ])
  }

  /// A zone becomes part of a path.
  @Test(arguments: [
    "../../../etc/passwd", "/etc/passwd", "Asia/../UTC", "Asia//Shanghai", "Asia/", ".", "UTC ",
    "a/b/c/d", "Üml/aut", "tzdata.zi",
  ]) func aPathIsNoZone(_ zone: String) {
    #expect(
      complaints("box.zone = '\(zone)'", others: Self.zones) == [
        "onair.toml:1:1: box.zone: must be a time zone (Europe/Berlin), or empty"
      ])
  }

  /// Nobody sees all of these: direction marks and overrides, spaces without a width, tags, fillers, joiners that join nothing.
  private static let hidden = [
    "a\\u202Eb", "a\\u200Fb", "\\u2066ab", "a\\u200Bb", "\\uFEFFab", "a\\U000E0041", "a\\u00ADb",
    "\\u3164",
    "a\\u200Db", "ö\\u200C\\u200Cö", "ö\\u200D", "\\u200Dö", "a\\uFE0F", "a\\uFFFDb",
  ]

  @Test(arguments: hidden) func noNameHasCharactersThatNobodySees(_ name: String) {
    #expect(complaints("wifi.hotspot_name = \"\(name)\"").count == 1)
  }

  @Test(arguments: [
    "a\u{202E}gpj.exe", "clip\u{200B}.mp4", "\u{FEFF}clip.mp4", "clip\u{E0041}.mp4", "a\u{FFFD}",
  ])
  func noMediaFileHasCharactersThatNobodySees(_ name: String) {
    #expect(!MediaFolder.isName(name))
    #expect(MediaFolder.isName("فیلم\u{200C}ها.mp4"))
  }

  @Test func aNameIsOneLineOfBearableLength() throws {
    for name in [
      "", "Town hall", "会堂 2", "نمی\u{200C}دانم",
      "👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥 1\u{FE0F}\u{20E3}",
      String(repeating: "ö", count: 64),
    ] {
      #expect(try load("box.name = '\(name)'").settings.box.name == name)
    }
    for name in [String(repeating: "ö", count: 65), "a\\nb", "a\\u0007"] + Self.hidden {
      #expect(
        complaints("box.name = \"\(name)\"") == [
          "onair.toml:1:1: box.name: must be at most 64 characters, or empty"
        ])
    }
  }

  @Test(arguments: [
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "http://192.168.1.5:8080/live/a.m3u8",
    "HTTPS://example.org", "https://[::1]:443/a#b", "https://example.org/%E4%BC%9A?a=b&c=d", "",
  ]) func addressesToWatchAt(_ address: String) throws {
    #expect(try load("publish.play_url = '\(address)'").settings.publish.playUrl == address)
  }

  /// What a browser would run, or a link that leads elsewhere than it seems to.
  @Test(arguments: [
    ("javascript:alert(1)", "must begin with https:// or http://"),
    ("data:text/html,x", "must begin with https:// or http://"),
    ("rtmp://example.org/a", "must begin with https:// or http://"),
    ("example.org/a", "must begin with https:// or http://"),
    ("https:example.org", "must begin with https:// or http://"),
    (
      "https://a b", "holds a character that is not allowed in an address: copy it from the browser"
    ),
    (
      "https://a/\"x",
      "holds a character that is not allowed in an address: copy it from the browser"
    ),
    (
      "https://a/<b",
      "holds a character that is not allowed in an address: copy it from the browser"
    ),
    (
      "https://ä.org/",
      "holds a character that is not allowed in an address: copy it from the browser"
    ),
    (
      "https://bank.example@evil.example/",
      "holds a user name: copy the address that everybody may see"
    ),
    ("https://", "names no server"), ("https:///a", "names no server"),
    ("https://?a", "names no server"), ("https://[::1/a", "names no server"),
    ("https://a:0/", "has a port that is not 1 to 65535"),
    ("https://a:b/", "has a port that is not 1 to 65535"),
    ("https://a:70000/", "has a port that is not 1 to 65535"),
    ("https://a/" + String(repeating: "a", count: 500), "is longer than 500 characters"),
  ]) func noAddressesToWatchAt(_ address: String, _ complaint: String) {
    #expect(
      complaints("publish.play_url = '\(address)'") == [
        "onair.toml:1:1: publish.play_url: \(complaint)"
      ])
  }
}
