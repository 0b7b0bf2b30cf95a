// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Posix
import Testing

@testable import Settings

/// `[[relay]]`: in the file, and set at run time.
@Suite struct RelayTests {
  private let two = """
    [[relay]]
    name = "second"
    url = "rtmp://two.example.net/live"
    key = "k2"

    [[relay]]
    name = "a-third_1"
    url = "rtmps://three.example.net/live/k3"
    enabled = false
    """

  private func urls(_ configuration: Configuration) -> [String] {
    configuration.relays.map { "\($0.settings.name) \($0.address.map { "\($0)" } ?? "none")" }
  }

  @Test func relaysAreReadFromTheFile() throws {
    let configuration = try load(two)
    #expect(
      urls(configuration) == [
        "a-third_1 rtmps://three.example.net/live/***", "second rtmp://two.example.net/live/***",
      ])
    #expect(configuration.relays.map(\.settings.enabled) == [false, true])
    #expect(configuration.relays[1].address?.playpath.reveal() == "k2")
    #expect(configuration.relays[0].address?.playpath.reveal() == "k3")
    #expect(configuration.entries.map(\.isInFile) == [true, true])
    let inline = try load(#"relay = [{ name = "x", url = "rtmp://h/a/k" }]"#)
    #expect(inline.relays.map(\.settings.name) == ["x"])
    let none = try load("")
    #expect(none.relays.isEmpty)
  }

  @Test func keysComeFromFilesAndCredentials() throws {
    let toml = """
      [[relay]]
      name = "one"
      url = "rtmp://h/a"
      key_file = "/key"
      [[relay]]
      name = "two"
      url = "rtmp://h/a"
      [[relay]]
      name = "three"
      url = "rtmp://h/a"
      """
    let configuration = try load(
      toml, environment: ["CREDENTIALS_DIRECTORY": "/c"],
      others: ["/key": file("from-file\n"), "/c/relay.two.key": file("from-systemd")])
    let keys = configuration.relays.map { $0.address?.playpath.reveal() }
    #expect(keys == ["from-file", nil, "from-systemd"])
    #expect(
      configuration.warnings == [
        "relay.three.key is missing: without it nothing is sent to h; copy it from the platform's page (onair relay set three "
          + "key -)"
      ])
  }

  @Test func mistakesAreTold() {
    #expect(
      complaints("[[relay]]\nurl = 'rtmp://h/a/k'").first
        == "onair.toml:2:1: relay.name: must be 1 to 32 letters, digits, \"-\" and \"_\", and none of main, start, stop, pause, resume"
    )
    #expect(complaints("[[relay]]\nname = 'main'\nurl = 'rtmp://h/a/k'").count == 1)
    #expect(complaints("[[relay]]\nname = 'x'\nurl = 'rtmp://h/a/k'\nkye = '1'").count == 1)
    #expect(
      complaints("[[relay]]\nname = 'x'")
        == ["onair.toml:2:1: relay.x.url: is missing: write the address of the server"])
    #expect(
      complaints("[[relay]]\nname = 'x'\nurl = 'http://h'").map { $0.prefix(24) }
        == ["onair.toml:3:1: relay.x."])
    let twice = String(repeating: "[[relay]]\nname = 'x'\nurl = 'rtmp://h/a/k'\n", count: 2)
    #expect(
      complaints(twice) == ["onair.toml:5:1: relay.name: is the name of another relay, too"])
    let same = "publish = {url = 'rtmp://h/a', key = 'k'}\n[[relay]]\nname = 'x'\nurl = "
    #expect(
      complaints("\(same)'rtmp://H/a/k'").first?.contains("is sent to by publish.url already")
        ?? false)
    #expect(complaints("\(same)'rtmp://h/a/other'") == [])
    let five = (1...5).map { "[[relay]]\nname = 'r\($0)'\nurl = 'rtmp://h/a/k\($0)'\n" }.joined()
    #expect(
      complaints(five) == [
        "onair.toml:14:1: relay: has more than 4 servers: remove one (onair relay remove NAME)"
      ])
    #expect(complaints("[relay]\nurl = 'rtmp://h/a'").first?.contains("is a list") ?? false)
    #expect(complaints("relay = 3").first?.contains("is a list") ?? false)
    #expect(complaints("[[video]]\nfps = 3").count == 1)
  }

  @Test func aRelayIsAddedChangedAndRemovedAtRunTime() throws {
    let folder = StateFolder(two)
    try folder.change([
      "relay.new.url": .text("rtmp://new.example.net/live"), "relay.new.key": .text("k"),
      "relay.second.enabled": .flag(false),
    ])
    var configuration = try folder.load()
    #expect(configuration.relays.map(\.settings.name) == ["a-third_1", "new", "second"])
    #expect(configuration.relays.map(\.settings.enabled) == [false, true, false])
    #expect(configuration.entries.map(\.isInFile) == [true, false, true])
    #expect(try folder.shown("relay.new.key") == "\"(set)\" from run time")
    try folder.change(["relay.second.removed": .flag(true)])
    #expect(try folder.load().relays.map(\.settings.name) == ["a-third_1", "new"])
    try folder.change([
      "relay.second.removed": nil, "relay.second.enabled": nil, "relay.new.url": nil,
      "relay.new.key": nil,
    ])
    configuration = try folder.load()
    #expect(configuration.relays.map(\.settings.name) == ["a-third_1", "second"])
    #expect(configuration.runTime.isEmpty)
    #expect(!folder.problems(["relay.new.enabled": .flag(true)]).isEmpty, "it has no address")
    #expect(!folder.problems(["relay.second.size": .text("1x1")]).isEmpty)
    #expect(!folder.problems(["relay.second": .text("rtmp://h/a")]).isEmpty)
  }

  /// What a change from elsewhere may not do with a key that nobody can read there.
  @Test func aKeyStaysWithItsServer() throws {
    let configuration = try load(two)
    func problems(_ values: [String: SettingsPatch.Value?]) -> [String?] {
      do throws(ConfigurationError) {
        _ = try configuration.previewRemote(SettingsPatch(values)) {
          layer throws(ConfigurationError) in
          try Configuration.load(
            file: "onair.toml", runTime: .given(layer), environment: [:],
            files: { [two] _, _ throws(FileError) in file(two) })
        }
        return []
      } catch {
        return error.problems.map(\.key)
      }
    }
    #expect(problems(["relay.second.url": .text("rtmp://evil/live")]) == ["relay.second.key"])
    #expect(problems(["relay.gone.url": .text("rtmp://evil/live")]) == [], "it has no key")
    #expect(problems(["relay.second.url": .text("rtmp://two.example.net/other")]) == [])
    #expect(
      problems(["relay.second.url": .text("rtmp://evil/live"), "relay.second.key": .text("x")])
        == [])
    #expect(problems(["relay.second.key_file": .text("/etc/shadow")]) == ["relay.second.key_file"])
    #expect(problems(["relay.second.ca_file": .text("/x")]) == ["relay.second.ca_file"])
    #expect(
      problems(["relay.second.ca_file": nil, "relay.second.key_file": nil])
        == ["relay.second.ca_file", "relay.second.key_file"], "it stays")
    #expect(problems(["relay.second.ca_file": nil, "relay.second.removed": .flag(true)]) == [])
    #expect(problems(["relay.gone.ca_file": nil, "relay.gone.url": nil]) == [])
    #expect(
      problems(["relay.second.url": .text("rtmp://two.example.net/a"), "relay.second.key": nil])
        == [], "it is the key of that server")
    #expect(problems(["relay.second.url": .text("rtmps://two.example.net/live")]).count == 1)
  }

  /// One that the file no longer has takes nothing else with it.
  @Test func whatIsLeftOfARelayHarmsNothingElse() throws {
    let folder = StateFolder(two)
    try folder.change(["relay.second.enabled": .flag(false), "video.fps": .integer(25)])
    folder.write("", to: folder.file)
    let configuration = try folder.load()
    #expect(configuration.settings.video.fps == 25)
    #expect(configuration.relays.isEmpty)
    #expect(configuration.unusedRunTime.keys == ["relay.second.enabled"])
  }

  /// Other spellings of one stream: a platform would end the one for the other.
  @Test func oneStreamIsOneStreamHoweverItIsWritten() throws {
    func identity(_ url: String, _ key: String) throws -> [String]? {
      RTMPAddress(try RTMPURL(url), key: Secret(key))?.identity
    }
    let main = try identity("rtmp://host/app", "K")
    for (url, key) in [
      ("rtmp://HOST:1935/app/", "K"), ("rtmps://host/app", "K"), ("rtmp://host/app", "K?x=1"),
      ("rtmp://host/%61pp", "K"), ("rtmp://host/app/K", ""),
    ] {
      #expect(try identity(url, key) == main, "\(url) \(key)")
    }
    #expect(try identity("rtmp://host/app", "a%+Ab") != identity("rtmp://host/app", "a%0Ab"))
    #expect(try identity("rtmp://host/a/b", "c") == identity("rtmp://host/a", "b/c"))
    #expect(try identity("rtmp://[::1]/a", "c") == identity("rtmp://[0:0:0:0:0:0:0:1]/a", "c"))
    for (url, key) in [
      ("rtmp://host/app", "k"), ("rtmp://host:1936/app", "K"), ("rtmp://host/app?backup=1", "K"),
    ] {
      #expect(try identity(url, key) != main, "\(url) \(key)")
    }
    #expect(try identity("rtmp://host/app", "?a=1") != identity("rtmp://host/app", "?a=2"))
  }

  @Test func changesAreTold() throws {
    let (before, after) = (try load(two).settings, try load("").settings)
    #expect(before.changes(to: before) == [])
    #expect(after.changes(to: before).map(\.key).contains("relay.second.url"))
    #expect(before.changes(to: after).map(\.key).contains("relay.second.url"))
  }
}
