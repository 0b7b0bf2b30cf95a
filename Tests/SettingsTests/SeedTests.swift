// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import TestSupport
import Testing

@testable import Settings

/// The file that a person puts on the card.
@Suite struct SeedTests {
  private func seed(_ text: String) throws(ConfigurationError) -> Seed {
    try Seed(Array(text.utf8))
  }

  private func complaints(_ bytes: [UInt8]) -> [String] {
    do throws(ConfigurationError) {
      _ = try Seed(bytes)
      return []
    } catch {
      return error.problems.map(\.editorText)
    }
  }

  private func complaints(_ text: String) -> [String] { complaints(Array(text.utf8)) }

  private let file = """
    [publish]
    url = "rtmp://example.org/live"
    key = "s3cret-K3Y"   # from the platform
    [video]
    fps = 25
    [wifi]
    ssid = "Home"
    password = 'pass\\word'
    country = "DE"
    [page]
    password = "correct \\"horse\\""
    listen = "0.0.0.0:80"
    """

  @Test func everySettingIsTaken() throws {
    let seed = try seed(file)
    #expect(
      seed.change.values.keys.sorted() == [
        "page.listen", "publish.key", "publish.url", "video.fps", "wifi.country",
      ])
    #expect(seed.wifi?.ssid == "Home")
    #expect(seed.wifi?.password.reveal() == "pass\\word")
    #expect(seed.password.reveal() == "correct \"horse\"")
  }

  /// The emptied file has the same length, and says the same without its secrets. It can be taken again.
  @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
  func secretsAreEmptied(_ lineEnd: String, _ mark: String) throws {
    let bytes = Array((mark + file).replacing("\n", with: lineEnd).utf8)
    let emptied = try Seed(bytes).emptied
    #expect(emptied.count == bytes.count)
    let text = String(decoding: emptied, as: UTF8.self)
    for secret in ["s3cret", "word'", "horse"] { #expect(!text.contains(secret)) }
    #expect(text.contains("# from the platform"))
    #expect(text.hasPrefix(mark))
    let again = try Seed(emptied)
    #expect(again.emptied == emptied)
    #expect(!again.change.values.keys.contains("publish.key"), "it stays as it was taken")
    #expect(!again.password.isSet && again.wifi?.password.isSet == false)
    #expect(again.wifi?.ssid == "Home")
  }

  @Test(arguments: [
    "publish.url = \"rtmp://example.org/live/s3cret\"",
    "publish.url = 'rtmp://example.org/live?auth=s3cret'",
    "publish = { url = \"rtmp://a.b/c\", key = \"s3cret\" }",
    "[wifi]\nssid = \"a\"\n\"password\" =\t\"s3cret-12\"",
    "[wifi]\nssid = \"ü\"\npassword = \"s3cret-\\\"\\\\\"",
  ])
  func aSecretIsFoundWhereverItStands(_ text: String) throws {
    let emptied = try seed(text).emptied
    #expect(!String(decoding: emptied, as: UTF8.self).contains("s3cret"))
    #expect(emptied.count == text.utf8.count)
    #expect(complaints(emptied) == [])
  }

  /// A power cut while the emptied file is written leaves its beginning and the old one's end.
  @Test func halfAnEmptiedFileIsKnown() throws {
    let old = Array(file.utf8)
    let whole = try Seed(old)
    for cut in 0...old.count {
      let half = Array(whole.emptied[..<cut] + old[cut...])
      #expect(Seed.isHalfEmptied(half, whole.emptied))
      // If it can be read, no part of a secret counts as one.
      guard let seed = try? Seed(half) else { continue }
      for (key, value) in seed.change.values { #expect(value == whole.change.values[key]) }
      #expect(!seed.password.isSet || seed.password == whole.password)
      #expect(seed.wifi?.password.isSet == false || seed.wifi == whole.wifi)
    }
    var edited = whole.emptied
    edited[edited.firstIndex(of: UInt8(ascii: "5")) ?? 0] = UInt8(ascii: "6")
    #expect(!Seed.isHalfEmptied(edited, whole.emptied))
  }

  @Test func mistakesAreToldInPlainSentences() {
    #expect(
      complaints("video.fsp = 25\n[wifi]\nssid = \"\"\npassword = \"abc\"\ncountry = \"Germany\"\n")
        == [
          "Line 1, column 1: video.fsp: there is no such setting; did you mean video.fps?",
          "Line 4, column 1: wifi.password: must be 8 to 63 characters of ASCII, or empty.",
          "Line 5, column 1: wifi.country: must be two capital letters (DE), or empty.",
        ])
    #expect(
      complaints("[wifi]\npassword = \"12345678\"")
        == ["Line 2, column 1: wifi.password: is set, and wifi.ssid is not."])
    #expect(
      complaints("[wifi]\nssid = “Home”\n").first?.contains("these are curly ones") == true)
    #expect(
      complaints([0x5B, 0xFC, 0x5D]).first
        == "Line 1, column 2: the file is not UTF-8: save it again, with the encoding UTF-8.")
    #expect(
      complaints("publish.key = \"\"\"\nabc\"\"\"").first?.contains("must be in one line") == true)
    #expect(complaints("publish.key = 5").count == 1)
  }

  /// Other settings come from the box.
  @Test func settingsThatGoWithOthersAreNotJudgedAlone() {
    #expect(complaints("publish.backup_url = \"rtmp://example.org/live\"") == [])
    #expect(complaints("panel.button = \"17\"") == [])
  }

  @Test func noSecretIsShown() {
    let text = complaints("[wifi]\nssid = \"a\"\npassword = \"s3c\"\n[publish]\nkey = \"s3c ret\"")
    #expect(text.count == 2)
    #expect(!text.joined().contains("s3c"))
  }

  @Test func hostileFilesEnd() {
    #expect(complaints([UInt8](repeating: UInt8(ascii: "["), count: Seed.maxBytes)).count == 1)
    #expect(complaints([UInt8](repeating: 0, count: 100)).count == 1)
    #expect(complaints([UInt8](repeating: 0x20, count: Seed.maxBytes + 1)).count == 1)
    let many = (0..<50_000).map { "k\($0) = \"\"\n" }.joined()
    #expect(complaints(many).count <= 101)
    var random = SplitMix64(seed: 20)
    for _ in 0..<500 {
      var bytes = Array(file.utf8)
      for _ in 0..<4 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if let seed = try? Seed(bytes) { #expect(seed.emptied.count == bytes.count) }
    }
  }

  /// Overlays on the card are those of a settings file, with each of their values.
  @Test func overlaysAreTakenWithAllTheirValues() throws {
    let fields = [
      "kind = \"text\"", "preset = \"title\"", "file = \"media/a.png\"",
      "text = \"Anna\\nMüller {api:score}\"", "x = 0.25", "y = 0.75", "anchor = \"bottom-left\"",
      "width = 0", "height = 0.5", "z = 7", "opacity = 0.5", "fade_ms = 0", "from = \"18:30\"",
      "until = \"2026-12-24 20:00\"", "enabled = false", "on_stills = true", "font = \"Serif\"",
      "size = 0.1", "second_size = 0.7", "scroll = 0", "colour = \"#12345678\"",
      "outline = \"#123456\"", "box = \"#ffffff80\"", "align = \"right\"",
    ]
    let names = fields.map { String($0.prefix { $0 != " " }) }
    #expect(names == OverlaySettings.list.fieldNames, "each has a value")
    let toml =
      (["[[overlay]]", "name = \"speaker\""] + fields).joined(separator: "\n")
      + "\n[[overlay]]\nname = \"plain\"\nkind = \"text\"\ntext = \"x\"\n"
    let wanted = try load(toml).settings.overlays
    #expect(wanted.map(\.name) == ["plain", "speaker"])
    let taken = try Configuration.preview(try seed(toml).change, of: RunTimeSettings()) {
      (layer) throws(ConfigurationError) in
      try Configuration.load(file: nil, runTime: .given(layer), environment: [:])
    }
    #expect(taken.settings.overlays == wanted)
    // As the state directory keeps them over a restart.
    let directory = stateDirectory()
    try taken.runTime.save(in: directory)
    let kept = try Configuration.load(
      file: nil, runTime: .directory(directory), environment: [:])
    #expect(kept.settings.overlays == wanted && kept.warnings == taken.warnings)
  }

  /// So are filters: a privacy mask on the card is there from the first picture on.
  @Test func filtersAreTaken() throws {
    let toml = """
      [[filter]]
      name = "window"
      kind = "mask"
      x = 0.5
      width = 0.25
      style = "blocks"
      [[filter]]
      name = "warm"
      kind = "colour"
      temperature = 30
      order = 2
      enabled = false
      """
    let wanted = try load(toml).settings.filters
    #expect(wanted.map(\.name) == ["warm", "window"] && wanted.last?.mask.x == 0.5)
    let taken = try Configuration.preview(try seed(toml).change, of: RunTimeSettings()) {
      (layer) throws(ConfigurationError) in
      try Configuration.load(file: nil, runTime: .given(layer), environment: [:])
    }
    let directory = stateDirectory()
    try taken.runTime.save(in: directory)
    let kept = try Configuration.load(
      file: nil, runTime: .directory(directory), environment: [:])
    #expect(taken.settings.filters == wanted && kept.settings.filters == wanted)
  }
}
