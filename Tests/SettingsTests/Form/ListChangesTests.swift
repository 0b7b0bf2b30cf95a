// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Posix
import Testing

@testable import Settings

/// Changes of single entries of a list.
@Suite struct ListChangesTests {
  private static let toml = """
    [[overlay]]
    name = "text-2"
    kind = "text"
    text = "from the file"
    x = 0.7
    [[relay]]
    name = "one"
    url = "rtmp://example.org/live"
    key = "old"
    user = "me"
    enabled = false
    """

  /// Lets changes follow one another, as at run time.
  private struct Box {
    var configuration: Configuration

    init() throws { configuration = try load(ListChangesTests.toml) }

    mutating func change(_ values: [String: SettingsPatch.Value?]) throws {
      configuration = try Configuration.preview(
        SettingsPatch(values), of: configuration.runTime
      ) { (layer) throws(ConfigurationError) in
        try Configuration.load(
          file: "onair.toml", runTime: .given(layer), environment: [:],
          files: { (_, _) throws(FileError) in
            File.Contents(bytes: Array(ListChangesTests.toml.utf8))
          })
      }
    }
  }

  private let list = OverlaySettings.list
  private let text: NamedList.Fields = ["kind": .text("text"), "text": .text("new")]

  @Test func aNewEntryIsGivenAFreeName() throws {
    var box = try Box()
    for name in ["text-1", "text-3"] {
      #expect(box.configuration.freeName(in: list, text) == name)
      try box.change(box.configuration.addition(of: name, to: list, text))
    }
    #expect(box.configuration.freeName(in: list, ["kind": .text("image")]) == "image-1")
    #expect(box.configuration.freeName(in: list, ["kind": .text("../x")]) == "overlay-1")
    #expect(box.configuration.freeName(in: list, [:]) == "overlay-1")
    // What is removed from the file still has its name there.
    let entry = try #require(box.configuration.entries(of: list).first { $0.name == "text-2" })
    try box.change(list.removal(of: entry))
    #expect(box.configuration.entries(of: list).map(\.name) == ["text-1", "text-3"])
    #expect(box.configuration.freeName(in: list, text) == "text-4")
  }

  /// The values that the settings file has for an entry that was removed do not come back with a new one of its name.
  @Test func anEntryThatIsAddedAgainHasDefaults() throws {
    var box = try Box()
    let old = try #require(box.configuration.settings.overlays.first)
    #expect(old.x == 0.7)
    try box.change(list.removal(of: try #require(box.configuration.entries(of: list).first)))
    #expect(box.configuration.settings.overlays.isEmpty)
    try box.change(box.configuration.addition(of: "text-2", to: list, text))
    let new = try #require(box.configuration.settings.overlays.first)
    #expect(new.text == "new" && new.x == 0.1 && new.fadeMs == 300 && new.font == "Sans Bold")
    #expect(new.box == nil && new.times == ShownTimes(from: nil, until: nil))
  }

  /// What a preset gives counts, and not what an entry without it would have.
  @Test func anEntryThatIsAddedAgainFollowsItsPreset() throws {
    var box = try Box()
    try box.change(list.removal(of: try #require(box.configuration.entries(of: list).first)))
    var fields = text
    fields["preset"] = .text("lower-third")
    try box.change(box.configuration.addition(of: "text-2", to: list, fields))
    try box.change(box.configuration.addition(of: "fresh", to: list, fields))
    let (fresh, again) = (
      try #require(box.configuration.settings.overlays.first),
      try #require(box.configuration.settings.overlays.last)
    )
    #expect(fresh.name == "fresh" && again.name == "text-2" && again.preset == .lowerThird)
    #expect(again.x == fresh.x && again.anchor == fresh.anchor && again.box == fresh.box)
    #expect(again.size == fresh.size && again.width == fresh.width && again.box != nil)
  }

  /// The settings file still has the key and the user name of the removed relay, which are for another server.
  @Test func aRelayThatIsAddedAgainHasNoOldSecret() throws {
    var box = try Box()
    let list = RelaySettings.list
    try box.change(list.removal(of: try #require(box.configuration.entries(of: list).first)))
    let url: NamedList.Fields = ["url": .text("rtmp://new.test/live")]
    // An empty key would count instead of the key in the file.
    let withFile = url.merging(["key_file": .text("/etc/key"), "password_file": .text("")]) { $1 }
    let given = box.configuration.addition(of: "one", to: list, withFile)
    #expect(given["relay.one.key"] == nil && given["relay.one.password"] == .text(""))
    try box.change(box.configuration.addition(of: "one", to: list, url))
    let relay = try #require(box.configuration.relays.first)
    #expect(relay.address == nil && !relay.settings.key.isSet)
    #expect(relay.settings.user.isEmpty && relay.settings.enabled)
  }

  @Test func anEntryIsListedWithAllItsValues() throws {
    let json = try Box().configuration.json(of: list) { entry, isEnabled in
      (entry.name, isEnabled ? "a \"sentence\"" : nil)
    }
    let objects = try JSONDecoder().decode([[String: Value]].self, from: Data(json.utf8))
    let object = try #require(objects.first)
    #expect(objects.count == 1)
    #expect(Set(object.keys) == Set(list.fieldNames + ["name", "state", "sentence"]))
    #expect(object["x"]?.number == 0.7 && object["fade_ms"]?.number == 300)
    #expect(object["state"]?.text == "text-2" && object["sentence"]?.text == "a \"sentence\"")
  }

  private struct Value: Decodable {
    var text: String?
    var number: Double?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try? container.decode(String.self)
      number = try? container.decode(Double.self)
    }
  }
}
