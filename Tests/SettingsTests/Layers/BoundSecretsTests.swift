// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Testing

@testable import Settings

/// No change from elsewhere than the box sends a secret to a server for which nobody gave it: all changes of one
/// and two settings, one after another in every order and number, on boxes that have their key from everywhere.
@Suite struct BoundSecretsTests {
  struct Box: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var toml = ""
    var overrides: [String] = []
    var hasCredentials = false
    /// Set at the box.
    var runTime: [String: SettingsPatch.Value?] = [:]
    var section = "publish"
    var hasPassword: Bool { toml.contains("password") }

    func load(
      _ layer: RunTimeSettings, toml other: String? = nil
    ) throws(ConfigurationError) -> Configuration {
      let text = other ?? toml
      return try Configuration.load(
        file: "onair.toml", runTime: .given(layer), overrides: overrides,
        environment: hasCredentials ? ["CREDENTIALS_DIRECTORY": "/c"] : [:],
        files: { path, _ throws(FileError) in
          switch path {
          case "onair.toml": file(text)
          case "/key", "/c/publish.key", "/c/relay.r.key": file("owner-\(path)")
          default: throw .missing
          }
        })
    }
  }

  private static let address = "publish.url = 'rtmps://good/live'\n"

  static let boxes = [
    Box(testDescription: "key in the file", toml: address + "publish.key = 'owner-1'"),
    Box(testDescription: "key in the file, no server", toml: "publish.key = 'owner-1'"),
    Box(testDescription: "key file", toml: address + "publish.key_file = '/key'"),
    Box(testDescription: "key file, no server", toml: "publish.key_file = '/key'"),
    Box(testDescription: "credential", toml: address, hasCredentials: true),
    Box(testDescription: "credential, no server", hasCredentials: true),
    Box(
      testDescription: "key of the command line", toml: address,
      overrides: ["publish.key=owner-1"]),
    Box(
      testDescription: "server and key of the command line",
      overrides: ["publish.key=owner-1", "publish.url=rtmps://good/live"]),
    Box(
      testDescription: "two servers",
      toml: address + "publish.backup_url = 'rtmps://good2/live'\npublish.key = 'owner-1'"),
    Box(
      testDescription: "another server and key set at the box",
      toml: address + "publish.key = 'owner-1'",
      runTime: [
        "publish.url": .text("rtmp://second/live"), "publish.key": .text("owner-2"),
      ]),
    Box(
      testDescription: "another key file set at the box",
      toml: address + "publish.key = 'owner-1'",
      runTime: [
        "publish.url": .text("rtmp://second/live"), "publish.key_file": .text("/key"),
      ]),
    Box(testDescription: "key in the address", toml: "publish.url = 'rtmps://good/live/owner-1'"),
    Box(
      testDescription: "key and password",
      toml: address + "publish.key = 'owner-1'\npublish.user = 'u'\npublish.password = 'owner-3'"),
    Box(
      testDescription: "password of a file",
      toml: address + "publish.key = 'owner-1'\npublish.user = 'u'\npublish.password_file = '/key'"),
    Box(testDescription: "nothing"),
    Box(
      testDescription: "relay",
      toml: "[[relay]]\nname = 'r'\nurl = 'rtmps://good/live'\nkey = 'owner-1'",
      section: "relay.r"),
    Box(
      testDescription: "relay with a password",
      toml: "[[relay]]\nname = 'r'\nurl = 'rtmps://good/live/k'\nuser = 'u'\npassword = 'owner-3'",
      section: "relay.r"),
    Box(
      testDescription: "relay with a credential",
      toml: "[[relay]]\nname = 'r'\nurl = 'rtmps://good/live'", hasCredentials: true,
      section: "relay.r"),
    Box(testDescription: "credential of no relay", hasCredentials: true, section: "relay.r"),
    Box(
      testDescription: "relay set at the box",
      toml: "[[relay]]\nname = 'r'\nurl = 'rtmps://good/live'\nkey = 'owner-1'",
      runTime: [
        "relay.r.url": .text("rtmp://second/live"), "relay.r.key": .text("owner-2"),
      ], section: "relay.r"),
  ]

  /// "owner-1 rtmps://good:443" for each of the owner's secrets and each server that it is sent to.
  private func sent(_ configuration: Configuration) -> Set<String> {
    let addresses =
      [configuration.destination, configuration.backup] + configuration.relays.map(\.address)
    return Set(
      addresses.compactMap(\.self).flatMap { address in
        let scheme = address.isSecure ? "rtmps" : "rtmp"
        return [address.playpath, address.password].map { $0.reveal() }
          .filter { $0.hasPrefix("owner-") }
          .map { "\($0) \(scheme)://\(address.host):\(address.port)" }
      })
  }

  /// All changes of one and two settings of a section.
  private func changes(_ section: String, hasPassword: Bool) -> [SettingsPatch] {
    var texts: [(String, [String])] = [
      // The last two: not encrypted, and another application.
      ("url", ["", "rtmp://evil/live", "rtmp://good/live", "rtmps://good/other"]),
      section == "publish" ? ("backup_url", ["rtmp://evil/live"]) : ("removed", ["true"]),
      ("key", ["", "mine"]),
    ]
    if hasPassword { texts.append(("password", [""])) }
    return texts.reduce([SettingsPatch([:])]) { patches, setting in
      let values: [SettingsPatch.Value?] = setting.1.map { .text($0) } + [nil]
      return patches
        + patches.flatMap { patch in
          values.map { value in
            var more = patch
            more.values["\(section).\(setting.0)"] = .some(value)
            return more
          }
        }
    }.filter { (1...2).contains($0.values.count) }
  }

  /// All settings that are reached from a box by changes from elsewhere.
  private func reached(_ box: Box, from start: RunTimeSettings) throws -> [Configuration] {
    let changes = changes(box.section, hasPassword: box.hasPassword)
    var found = [start.toml: try box.load(start)]
    var waiting = Array(found.values)
    // Many changes lead to the same settings.
    var loaded: [String: Result<Configuration, ConfigurationError>] = [:]
    func load(_ layer: RunTimeSettings) throws(ConfigurationError) -> Configuration {
      let result =
        loaded[layer.toml]
        ?? Result { () throws(ConfigurationError) in try box.load(layer) }
      loaded[layer.toml] = result
      return try result.get()
    }
    while let present = waiting.popLast() {
      for change in changes {
        let next = try? present.previewRemote(change, load: load)
        guard let next, found.updateValue(next, forKey: next.runTime.toml) == nil else { continue }
        waiting.append(next)
      }
    }
    return Array(found.values)
  }

  @Test(arguments: boxes) func noChangeFromElsewhereSendsASecretElsewhere(_ box: Box) throws {
    let start = RunTimeSettings().applying(SettingsPatch(box.runTime))
    // What the box sends by itself, with and without what was set at it.
    let given = sent(try box.load(start)).union(sent(try box.load(RunTimeSettings())))
    let all = try reached(box, from: start)
    for configuration in all {
      let strayed = sent(configuration).subtracting(given)
      #expect(strayed == [], "with \(configuration.runTime.toml)")
    }
    #expect(all.count > 8, "\(all.count) reached")
    // The owner's own server can be left and come back, and another one be given with its key.
    #expect(all.contains { $0.runTime.isEmpty } || !box.runTime.isEmpty)
    #expect(
      all.contains { configuration in
        (configuration.destination ?? configuration.relays.first?.address)?.host == "evil"
      } || !box.overrides.isEmpty)
  }

  /// A server that was named first does not get what is put into the settings file afterwards.
  @Test func aServerThatWaitsGetsNoKey() throws {
    let files = [
      "publish": [
        "publish.url = 'rtmps://good/live'\npublish.key = 'owner-1'", "publish.key = 'owner-1'",
        "publish.key_file = '/key'",
      ],
      "relay.r": ["[[relay]]\nname = 'r'\nurl = 'rtmps://good/live'\nkey = 'owner-1'"],
    ]
    for (section, files) in files {
      let box = Box(testDescription: "", section: section)
      for configuration in try reached(box, from: RunTimeSettings()) {
        for toml in files {
          // The file may not go with what was set.
          let then = try? box.load(configuration.runTime, toml: toml)
          let strayed = then.map(sent)?.filter { $0.contains("evil") } ?? []
          #expect(strayed == [], "with \(configuration.runTime.toml)")
        }
      }
    }
  }

  /// Of an address that cannot be used at a start no half stays, and none comes back with another's half.
  @Test func anAddressAndItsKeyGoTogether() throws {
    let folder = StateFolder("publish.url = 'rtmp://good/live'\npublish.key = 'owner-1'")
    folder.write(
      "publish.url = 'rtmp://evil/live'\npublish.key = '\(String(repeating: "k", count: 9_000))'\n",
      to: folder.runTimeFile)
    let configuration = try folder.load()
    #expect(configuration.destination?.host == "good")
    #expect(configuration.unusedRunTime.keys == ["publish.key", "publish.url"])
    let change = SettingsPatch(["publish.key": .text("owner-2")])
    #expect(configuration.unusedRunTime.removing(change).isEmpty)
  }

  /// What was set from elsewhere can be unset by the same keys, at the box and from elsewhere.
  @Test(arguments: ["publish", "relay.r"]) func whatWasSetCanBeUnset(_ section: String) throws {
    let box = Box(testDescription: "", section: section)
    func load(_ layer: RunTimeSettings) throws(ConfigurationError) -> Configuration {
      try box.load(layer)
    }
    let address = SettingsPatch([
      "\(section).url": .text("rtmp://h/a"), "\(section).key": .text("mine"),
    ])
    let none = SettingsPatch(address.values.mapValues { _ in nil })
    let set = try box.load(RunTimeSettings()).previewRemote(address, load: load)
    #expect(set.runTime.keys.contains("\(section).password"))
    #expect(try set.previewRemote(none, load: load).runTime.isEmpty)
    #expect(try Configuration.preview(none, of: set.runTime, load: load).runTime.isEmpty)
  }

  /// Each setting whose secrets belong to an address is known from its declaration.
  @Test func secretsAreBoundByTheirDeclarations() {
    let secrets = Settings.declarations.filter(\.isSecret).map(\.key)
    for key in secrets where key.hasPrefix("publish.") {
      #expect(Settings.secretKeys(of: "publish.url").contains(key))
    }
    #expect(Settings.boundKeys(of: "publish.key").contains("publish.key_file"))
    #expect(Settings.boundKeys(of: "publish.url").contains("publish.password_file"))
    #expect(Settings.secretKeys(of: "relay.x.url").contains("relay.x.password"))
    #expect(Settings.boundKeys(of: "relay.x.url").contains("relay.x.key"))
    #expect(Settings.boundKeys(of: "wifi.hotspot_password").isEmpty)
    #expect(!Settings.boundKeys(of: "publish.url").contains("publish.autostart"))
    let patch = SettingsPatch(address: "rtmp://h/a", key: "k")
    #expect(Set(patch.values.keys) == Settings.boundKeys(of: "publish.url"))
  }
}
