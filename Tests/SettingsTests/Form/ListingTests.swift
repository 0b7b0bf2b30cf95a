// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Testing

@testable import Settings

@Suite struct ListingTests {
  @Test func text() {
    let text = Settings.text(Settings.defaults)
    #expect(
      text.contains(
        """

        video.size = "1280x720"
            The width and height of the video that is sent.
            Allowed: WIDTHxHEIGHT in even numbers, 160x90 to 1920x1080 (pixels)
            A change counts at once.

        video.fps = 30
            How many frames a second are sent.
            Allowed: a whole number, 5 to 60 (frames per second)
            A change counts at once.

        """))
    #expect(
      text.contains(
        """

        publish.key = ""
            The platform's stream key. If it is empty, OnAir reads it from
            publish.key_file, else from the systemd credential publish.key, else it
            takes the last part of publish.url. Secret.
            Allowed: at most 4096 printable ASCII characters without spaces
            A change counts at once.

        """))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  /// The value is the box's; the default stands below it.
  @Test func aSettingIsShownWithItsValue() {
    #expect(
      Settings.text([
        Settings.Shown(
          key: "video.size", value: "\"640x360\"", origin: .runTime, isPending: true)
      ]) == """
        video.size = "640x360"
            The width and height of the video that is sent.
            Allowed: WIDTHxHEIGHT in even numbers, 160x90 to 1920x1080 (pixels)
            Default: "1280x720". The value was set at run time; "onair unset" takes it
            back.
            A change counts at once. This value still waits for that.

        """)
    let relay = Settings.text([
      Settings.Shown(key: "relay.second.key", value: "(set)", origin: .file)
    ])
    #expect(relay.hasPrefix("relay.second.key = (set)\n"))
    #expect(relay.contains("Default: \"\". The value is from the settings file."))
  }

  @Test func aWordNamesASettingOrASection() {
    let keys = ["video.fps", "video.size", "relay.a.url", "relay.ab.url"]
    #expect(Settings.keys(named: "video.fps", among: keys) == ["video.fps"])
    #expect(Settings.keys(named: "video", among: keys) == ["video.fps", "video.size"])
    #expect(Settings.keys(named: "relay.a", among: keys) == ["relay.a.url"])
    for word in ["", "vid", "video.", "fps"] {
      #expect(Settings.keys(named: word, among: keys).isEmpty)
    }
  }

  @Test func json() throws {
    let values = try load("video.fps = 25\npublish.key = 'abcdef'", set: ["video.mirror=true"])
      .values
    let text = Settings.json(values, pending: ["video.fps"])
    #expect(!text.contains("abcdef"))
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let objects = try #require(parsed as? [[String: Any]])
    #expect(objects.count == Settings.declarations.count)
    let fps = try #require(objects.first { $0["key"] as? String == "video.fps" })
    #expect(fps["default"] as? Int == 30)
    #expect(fps["minimum"] as? Int == 5 && fps["maximum"] as? Int == 60)
    #expect(fps["value"] as? Int == 25 && fps["origin"] as? String == "file")
    #expect(fps["pending"] as? Bool == true && fps["effect"] as? String == "immediate")
    let key = try #require(objects.first { $0["key"] as? String == "publish.key" })
    #expect(key["value"] is NSNull && key["pending"] as? Bool == false)
    #expect(key["is_set"] is Bool && fps["is_set"] == nil)
    let mirror = try #require(objects.first { $0["key"] as? String == "video.mirror" })
    #expect(mirror["value"] as? Bool == true && mirror["origin"] as? String == "command line")
    #expect(fps["type"] as? String == "integer" && fps["secret"] as? Bool == false)
    let fit = try #require(objects.first { $0["key"] as? String == "video.fit" })
    #expect(fit["choices"] as? [String] == ["fit", "fill", "stretch"])
    #expect(fit["minimum"] is NSNull && fit["default"] as? String == "fit")
  }

  @Test func markdown() {
    let rows = Settings.markdownTable.split(separator: "\n")
    let listed = Settings.lists.reduce(0) { $0 + $1.declarations.count }
    #expect(rows.count == Settings.declarations.count + listed + 2)
    #expect(
      rows.contains(
        "| `video.gop_seconds` | `2` | a number, 1 to 4 (seconds) "
          + "| The time from one keyframe to the next. A keyframe is a whole picture; viewers "
          + "can start to watch only at one. Many platforms ask for 2. | at once |"
      ))
  }

  @Test func declarationsAreComplete() {
    let keys = Settings.declarations.map(\.key)
    #expect(Set(keys).count == keys.count)
    #expect(
      Settings.declarations.filter(\.isSecret).map(\.key) == [
        "publish.key", "publish.password", "calendar.url", "wifi.hotspot_password",
        "playout.secret",
      ])
    for declaration in Settings.declarations {
      #expect(declaration.key.split(separator: ".").count == 2)
      #expect(declaration.help.hasSuffix(".") && !declaration.allowed.isEmpty)
    }
  }

  /// The list can be used as a settings file: every default is an allowed value, and has no effect.
  @Test func defaultsAreAllowed() throws {
    let toml = Settings.declarations.map { "\($0.key) = \($0.defaultText)\n" }.joined()
    #expect(try load(toml).settings == Settings())
  }

  @Test func changesAreNamedWithTheirEffect() throws {
    let old = try load("publish.key = 'abc'\nvideo.fps = 25").settings
    let new = try load("publish.key = 'abd'\nvideo.bitrate_kbps = 900").settings
    #expect(
      old.changes(to: new).map { "\($0.key) \($0.effect.rawValue)" } == [
        "video.fps immediate", "video.bitrate_kbps immediate", "publish.key immediate",
      ])
    #expect(new.changes(to: new).isEmpty)
    // A broadcast with video keeps it.
    let silent = try load("audio.source = 'none'\nvideo.source = 'pattern'").settings
    #expect(
      Settings().changes(to: silent).map { "\($0.key) \($0.effect.rawValue)" } == [
        "video.source immediate", "audio.source next_broadcast",
      ])
    // Each setting has a property of its name; otherwise its change would not be noticed.
    #expect(Settings().values.keys == Set(Settings.declarations.map(\.key)))
  }
}
