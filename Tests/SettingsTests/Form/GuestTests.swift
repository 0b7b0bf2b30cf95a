// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Posix
import Testing

@testable import Settings

/// `[[guest]]`, `[guests]`, and the other settings that name guests.
@Suite struct GuestTests {
  private let two = """
    [[guest]]
    name = "anna"
    key = "s3cret-of-anna"

    [[guest]]
    name = "yard"
    url = "rtsp://me:s3cret@192.168.1.9/stream1"
    """

  /// The problems of a change at the box, and of one from elsewhere.
  private func problems(
    _ values: [String: SettingsPatch.Value?], isRemote: Bool = false
  ) -> [String] {
    func load(_ layer: RunTimeSettings) throws(ConfigurationError) -> Configuration {
      try Configuration.load(
        file: "onair.toml", runTime: .given(layer), environment: [:],
        files: { [two] _, _ throws(FileError) in file(two) })
    }
    do throws(ConfigurationError) {
      let present = try load(RunTimeSettings())
      let change = SettingsPatch(values)
      _ =
        isRemote
        ? try present.previewRemote(change, load: load)
        : try Configuration.preview(change, of: present.runTime, load: load)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func guestsAreReadFromTheFile() throws {
    let configuration = try load(two)
    let guests = configuration.settings.guests
    #expect(guests.map(\.name) == ["anna", "yard"])
    #expect(configuration.entries.map(\.isInFile) == [true, true])
    let (anna, yard) = (guests[0], guests[1])
    #expect(anna.url == nil && anna.key.reveal() == "s3cret-of-anna")
    #expect(yard.url?.whole.reveal() == "rtsp://me:s3cret@192.168.1.9/stream1")
    #expect(!yard.key.isSet && yard.allowsOwnBox && !anna.allowsOwnBox)
    #expect(anna.admission == .hand && anna.takesPicture && anna.takesSound && anna.enabled)
    #expect(anna.volume == 50 && !anna.isMuted && anna.delayMs == 0 && anna.label.isEmpty)
    #expect(!anna.mirror && anna.fit == .fill && anna.crop == .none)
    let rules = configuration.settings.allGuests
    #expect(rules.followsGuests && rules.layout == "side_by_side" && rules.listen == nil)
    #expect(rules.lostSeconds == 10 && rules.most == 3 && rules.background.text == "#000000")
    #expect(try load("guests.listen = \"0.0.0.0:1935\"").settings.allGuests.listen?.port == 1_935)
  }

  /// Neither a listing nor an exported file shows a key, or more of an address than its server.
  @Test func secretsAreMasked() throws {
    let configuration = try load(two)
    let json = Settings.json(configuration.values)
    let list = configuration.json(of: GuestSettings.list) { _, _ in ("waiting", nil) }
    let exported = configuration.exported(withSecrets: false, title: "box")
    for text in [json, list, exported] { #expect(!text.contains("s3cret")) }
    #expect(list.contains(#""url": "rtsp://***@192.168.1.9/***""#) && !list.contains(#""key""#))
    #expect(exported.contains("# guest.yard.url is not here: it is secret."))
    #expect(exported.contains("# guest.anna.key is not here: it is secret."))
    let whole = configuration.exported(withSecrets: true, title: "box")
    #expect(try load(whole).settings.guests == configuration.settings.guests)
  }

  /// The file of a card is emptied of them, and keeps what no secret is in.
  @Test func secretsOfACardAreEmptied() throws {
    let toml = "\(two)\n[[guest]]\nname = \"open\"\nurl = \"http://cam.local:8080\"\n"
    let seed = try Seed(Array(toml.utf8))
    let emptied = String(decoding: seed.emptied, as: UTF8.self)
    #expect(!emptied.contains("s3cret") && !emptied.contains("192.168.1.9"))
    #expect(emptied.contains("http://cam.local:8080"))
    #expect(seed.change.values["guest.yard.url"] != nil)
    let again = try Seed(seed.emptied)
    #expect(again.change.values.keys.sorted() == ["guest.open.url"])
    #expect(throws: ConfigurationError.self) { try Seed(Array("[[guest]]\nname = 'x'".utf8)) }
  }

  @Test func secretsThatOthersCanReadAreTold() throws {
    let open = try Configuration.load(
      file: "onair.toml", environment: [:],
      files: { [two] path, _ throws(FileError) in
        guard path == "onair.toml" else { throw .missing }
        return file(two, isReadableByAll: true)
      })
    #expect(
      open.warnings == [
        "onair.toml: holds guest.anna.key and may be read by every user: chmod o-r it",
        "onair.toml: holds the password in guest.yard.url and may be read by every user: chmod o-r it",
      ])
    #expect(
      try load("", set: ["guest.a.key=12345678", "guest.b.url=http://h/x"]).warnings == [
        "guest.a.key on the command line can be seen by every user of this machine: write it into the settings file"
      ])
  }

  private static let names =
    "must be 1 to 32 letters, digits, \"-\" and \"_\", and none of main, music, host, camera, programme"
  private static let keys = "must be 8 to 64 letters, digits, \"-\" and \"_\", or empty"
  private static let url = "url = 'http://h'"
  private static let cropSentence =
    "guest.a.crop: must be four whole numbers from 0 to 45, or empty"

  @Test(arguments: [
    (
      "",
      "guest.a.url: is missing: write the address that the guest is fetched from, or the key that he sends with"
    ),
    (
      "url = ''\nkey = ''",
      "guest.a.url: is missing: write the address that the guest is fetched from, or the key that he sends with"
    ),
    (
      "url = 'http://h'\nkey = '12345678'",
      "guest.a.key: is set, and so is url: a guest is either fetched (url) or sends (key); empty one of the two"
    ),
    ("key = '1234567'", "guest.a.key: \(keys)"),
    ("key = '1234 5678'", "guest.a.key: \(keys)"),
    ("key = '1234/5678'", "guest.a.key: \(keys)"),
    ("key = '\(String(repeating: "k", count: 65))'", "guest.a.key: \(keys)"),
    (
      "url = 'file:/etc/passwd'",
      "guest.a.url: the URL must begin with rtmp://, rtmps://, http://, https://, rtsp://, rtsps:// or srt://"
    ),
    ("\(url)\nadmit = 'never'", "guest.a.admit: must be \"hand\" or \"auto\""),
    ("\(url)\npicture = 1", "guest.a.picture: must be true or false, not a whole number"),
    ("\(url)\nsound = 'x'", "guest.a.sound: must be true or false, not text in quotes"),
    ("\(url)\nvolume = 101", "guest.a.volume: must be a number, 0 to 100"),
    ("\(url)\nmute = 0", "guest.a.mute: must be true or false, not a whole number"),
    ("\(url)\ndelay_ms = -1", "guest.a.delay_ms: must be a whole number, 0 to 1000"),
    (
      "\(url)\nlabel = '\(String(repeating: "x", count: 65))'",
      "guest.a.label: must be at most 64 characters, or empty"
    ),
    ("\(url)\nlabel = \"a\\nb\"", "guest.a.label: must be at most 64 characters, or empty"),
    ("\(url)\nmirror = 'x'", "guest.a.mirror: must be true or false, not text in quotes"),
    ("\(url)\ncrop = '1 2 3'", cropSentence),
    ("\(url)\ncrop = '0 0 46 0'", cropSentence),
    ("\(url)\ncrop = '0 0 -1 0'", cropSentence),
    ("\(url)\nfit = 'crop'", "guest.a.fit: must be \"fit\", \"fill\" or \"stretch\""),
  ])
  func aMistakeIsTold(fields: String, sentence: String) {
    let told = complaints("[[guest]]\nname = \"a\"\n\(fields)\n")
    #expect(told.map(withoutPlace) == [sentence])
  }

  @Test(arguments: ["main", "music", "host", "camera", "programme"])
  func theNamesOfOthersAreTaken(_ name: String) {
    #expect(
      complaints("[[guest]]\nname = '\(name)'\nurl = 'http://h'")
        == ["onair.toml:2:1: guest.name: \(Self.names)"])
  }

  /// A guest's track is called "guest.NAME", which no other track can be.
  @Test func aTrackMayHaveTheNameOfAGuest() throws {
    let toml = "\(two)\n[[track]]\nname = \"anna\"\nsource = \"tone\"\n"
    #expect(complaints(toml) == [] && !TrackSettings.list.isName("guest.anna"))
  }

  @Test func guestsAreToldApartByTheirKeys() {
    #expect(
      complaints("\(two)\n[[guest]]\nname = \"bob\"\nkey = \"s3cret-of-anna\"\n") == [
        "onair.toml:10:1: guest.bob.key: is the key of guest.anna, too: each guest needs a key of his own"
      ])
    #expect(complaints("\(two)\n[[guest]]\nname = \"bob\"\nkey = \"s3cret-of-bob\"\n") == [])
  }

  @Test func thereAreEightGuestsAtMost() {
    let all = (1...9).map { "[[guest]]\nname = 'g\($0)'\nkey = 'key-of-g\($0)'\n" }
    #expect(complaints(all.dropLast().joined()) == [])
    #expect(
      complaints(all.joined()) == [
        "onair.toml:26:1: guest: has more than 8 guests: remove one (onair set guest.NAME.removed=true)"
      ])
    #expect(
      complaints("[guest]\nurl = 'http://h'").first
        == "onair.toml:2:1: guest: is a list: write [[guest]], then name = \"NAME\" and url = \"rtsp://HOST/PATH\" "
        + "below it; elsewhere guest.NAME.url")
  }

  /// An address of the box itself is for its own file: elsewhere it could lead to what only the box should reach.
  @Test func theBoxItselfIsNamedInItsFileOnly() throws {
    let own = "[[guest]]\nname = 'self'\nurl = 'rtmp://127.0.0.1/live/x'\n"
    #expect(try load(own).settings.guests.first?.allowsOwnBox == true)
    #expect(
      try load("", set: ["guest.self.url=http://localhost/x"]).settings.guests.first?.allowsOwnBox
        == true)
    let sentence =
      "guest.yard.url: is an address of the box itself, which only its own settings file can name"
    for isRemote in [false, true] {
      for host in ["127.0.0.1", "localhost", "[::1]"] {
        #expect(
          problems(["guest.yard.url": .text("http://\(host)/x")], isRemote: isRemote) == [sentence])
      }
    }
    // One of the network beside the box is for everybody who may change settings; names are judged once they are known.
    let folder = StateFolder(own)
    try folder.change(["guest.self.url": .text("http://192.168.1.9/x")])
    #expect(try folder.load().settings.guests.first?.allowsOwnBox == false)
  }

  /// An address brings its own password. The key is for the box, and goes to no server.
  @Test func anAddressIsChangedFromElsewhere() {
    #expect(problems(["guest.yard.url": .text("rtsp://elsewhere/x")], isRemote: true) == [])
    #expect(problems(["guest.new.key": .text("key-of-new")], isRemote: true) == [])
    #expect(problems(["guest.anna.key": .text("another-key")], isRemote: true) == [])
    #expect(
      problems(["guest.anna.url": .text("rtsp://elsewhere/x")], isRemote: true) == [
        "onair.toml:3:1: guest.anna.key: is set, and so is url: a guest is either fetched (url) or sends (key); empty one of the two"
      ])
    let both: [String: SettingsPatch.Value?] = [
      "guest.anna.url": .text("rtsp://elsewhere/x"), "guest.anna.key": .text(""),
    ]
    #expect(problems(both, isRemote: true) == [])
  }

  @Test func aGuestIsAddedAndRemovedAtRunTime() throws {
    let folder = StateFolder(two)
    func names() throws -> [String] { try folder.load().settings.guests.map(\.name) }
    let list = GuestSettings.list
    var present = try folder.load()
    try folder.change(present.addition(of: "new", to: list, ["key": .text("key-of-new")]))
    #expect(try names() == ["anna", "new", "yard"])
    #expect(try folder.shown("guest.new.key") == "\"(set)\" from run time")
    present = try folder.load()
    for entry in present.entries(of: list) { try folder.change(list.removal(of: entry)) }
    #expect(try names() == [])
    // Nothing of the key in the file comes back with a new guest of the same name.
    present = try folder.load()
    try folder.change(present.addition(of: "anna", to: list, ["url": .text("rtsp://h/x")]))
    let anna = try #require(folder.load().settings.guests.first)
    #expect(anna.url?.host == "h" && !anna.key.isSet)
  }

  @Test(arguments: [
    ("auto = 1", "guests.auto: must be true or false, not a whole number"),
    (
      "listen = '1935'",
      "guests.listen: must be an IP address of this machine and a port (127.0.0.1:8080, [::1]:8080), or empty"
    ),
    ("lost_seconds = 0", "guests.lost_seconds: must be a whole number, 1 to 300"),
    ("most = 9", "guests.most: must be a whole number, 1 to 8"),
    ("background = '#00000080'", "guests.background: must be a colour as #rrggbb"),
    ("layout = 'two words'", "guests.layout: must be \(layouts)"),
    ("layout = 'interview'", "guests.layout: names no layout: it must be \(layouts)"),
  ])
  func aMistakeInTheRulesIsTold(field: String, sentence: String) {
    #expect(complaints("[guests]\n\(field)\n") == ["onair.toml:2:1: \(sentence)"])
  }

  private static let layouts =
    #""single", "side_by_side", "pip", "pip_top_left", "pip_top_right", "pip_bottom_left", "grid", "guest" "#
    + "or the name of a [[layout]]"

  @Test func aGuestCanBeTheCamera() throws {
    #expect(
      try load("video.source = \"guest:yard\"\n\(two)").settings.video.source
        == .guest(name: "yard"))
    #expect(
      complaints("video.source = \"guest:nobody\"\n\(two)") == [
        "onair.toml:1:1: video.source: names a guest that is not there: add a [[guest]] with this name"
      ])
    for wrong in ["guest:", "guest:two words", "guest"] {
      #expect(
        complaints("video.source = \"\(wrong)\"\n\(two)").map { $0.prefix(62) } == [
          "onair.toml:1:1: video.source: must be \"camera\", \"camera:PATH\","
        ])
    }
    // One that is the camera stays.
    let folder = StateFolder("video.source = \"guest:yard\"\n\(two)")
    #expect(
      folder.problems(["guest.yard.removed": .flag(true)]).map(withoutPlace) == [
        "video.source: names a guest that is not there: add a [[guest]] with this name"
      ])
  }

  @Test func theButtonSwitchesLayouts() throws {
    #expect(try load("panel.second_task = 'layout'").settings.panel.secondTask == .layout)
  }
}
