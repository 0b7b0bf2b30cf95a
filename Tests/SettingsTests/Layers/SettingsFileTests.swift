// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

@Suite struct SettingsFileTests {
  private let toml = """
    [video]
    size = "640x360"
    fps = 30
    [audio]
    gain_db = 1.5
    [publish]
    url = "rtmps://live.example.org/app"
    backup_url = "rtmp://two.example.org/app/t0ken?auth=abc"
    key = "s3cret"
    [pause]
    image = "/srv/still.png"
    [wifi]
    hotspot_password = "s3cret two"
    [panel]
    lamp_relays = true
    [[relay]]
    name = "second"
    url = "rtmp://three.example.org/app"
    key = "s3cret three"
    enabled = false
    """

  @Test func whatDiffersIsWrittenWithoutSecrets() throws {
    let box = try load(toml.replacing("s3cret three", with: "s3cret3"), set: ["video.mirror=true"])
    #expect(
      box.exported(withSecrets: false, title: "Settings of \"Hall\".") == """
        # Settings of "Hall".
        video.size = "640x360"
        video.mirror = true
        audio.gain_db = 1.5
        # pause.image is not here: it names a file of this box.
        publish.url = "rtmps://live.example.org/app"
        # publish.backup_url is not here: it is secret.
        # publish.key is not here: it is secret.
        relay.second.url = "rtmp://three.example.org/app"
        # relay.second.key is not here: it is secret.
        relay.second.enabled = false
        # wifi.hotspot_password is not here: it is secret.
        panel.lamp_relays = true

        """)
  }

  /// With its secrets a file makes another box the same.
  @Test func withSecretsAnotherBoxBecomesTheSame() throws {
    let box = try load(
      toml.replacing("s3cret three", with: "s3cret3").replacing("/srv/still.png", with: ""))
    let file = box.exported(withSecrets: true, title: "")
    #expect(!file.contains("is not here"))
    let fresh = try load("")
    let change = try fresh.change(toImported: file)
    let other = try Configuration.preview(change, of: fresh.runTime) {
      (layer) throws(ConfigurationError) in
      try Configuration.load(file: nil, runTime: .given(layer), environment: [:])
    }
    #expect(other.settings == box.settings)
    #expect(other.exported(withSecrets: true, title: "") == file)
  }

  /// A key that is in a file or a credential stays there.
  @Test func aKeyOfAFileStaysThere() throws {
    let box = try load(
      "publish.url = 'rtmp://h/a'\npublish.key_file = '/k'", others: ["/k": file("s3cret")])
    for withSecrets in [false, true] {
      let file = box.exported(withSecrets: withSecrets, title: "")
      #expect(!file.contains("s3cret"))
      #expect(file.contains("# publish.key is not here: it is in a file of this box."))
      #expect(file.contains("# publish.key_file is not here: it names a file of this box."))
    }
  }

  /// What was set since goes back to its default; servers, secrets and files of the box stay.
  @Test func anImportUnsetsWhatTheFileDoesNotName() throws {
    var layer = RunTimeSettings()
    layer = layer.applying(
      SettingsPatch([
        "video.fps": .integer(25), "video.mirror": .flag(true), "pause.image": .text("/x.png"),
        "publish.url": .text("rtmp://h/a"), "publish.key": .text("k"),
        "wifi.hotspot_password": .text("longer than 8"),
        "relay.b.url": .text("rtmp://i/a"), "box.name": .text("Hall"),
      ]))
    let box = try Configuration.load(file: nil, runTime: .given(layer), environment: [:])
    let change = try box.change(toImported: "video.fps = 50\naudio = {gain_db = -3}\n")
    #expect(
      change
        == SettingsPatch([
          "video.fps": .integer(50), "audio.gain_db": .integer(-3), "video.mirror": nil,
          "box.name": nil,
        ]))
  }

  /// A settings file can be taken over as well.
  @Test func aRelayOfASettingsFileIsTaken() throws {
    let change = try load("").change(
      toImported: "[[relay]]\nname = 'b'\nurl = 'rtmp://i/a'\n[video]\nfps = 25\n")
    #expect(
      change
        == SettingsPatch(["relay.b.url": .text("rtmp://i/a"), "video.fps": .integer(25)]))
  }

  @Test func aFileThatIsNoTOMLIsRefused() throws {
    #expect {
      try load("").change(toImported: "video.fps = 25\nvideo size\n")
    } throws: { error in
      (error as? ConfigurationError)?.problems.first?.fileText?.hasPrefix("settings:2:") == true
    }
  }

  /// It would take everything back.
  @Test(arguments: ["", "\n", "# video.fps = 25\n", "[video]\n"])
  func aFileWithoutSettingsIsRefused(_ text: String) throws {
    #expect {
      try load("").change(toImported: text)
    } throws: { error in
      "\(error)" == "settings: holds no settings: take another file"
    }
  }

  /// It may hold secrets.
  @Test func nothingPrintsTheValues() throws {
    let box = try load("publish.url = 'rtmp://h/a'\npublish.key = 's3cret'")
    var text = "\(box)"
    dump(box, to: &text)
    #expect(!text.contains("s3cret"))
  }
}
