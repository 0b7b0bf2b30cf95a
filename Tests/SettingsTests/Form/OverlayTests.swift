// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// `[[overlay]]`.
@Suite struct OverlayTests {
  @Test func anOverlayHasDefaults() throws {
    let settings = try load(
      "[[overlay]]\nname = \"logo\"\nkind = \"image\"\nfile = \"/a.png\"\n"
    ).settings
    let overlay = try #require(settings.overlays.first)
    #expect(overlay.name == "logo" && overlay.kind == .image && overlay.file == "/a.png")
    #expect([overlay.x, overlay.y, overlay.width, overlay.height] == [0.1, 0.1, 0.3, 0])
    #expect(overlay.anchor == .topLeft && overlay.z == 1 && overlay.opacity == 1)
    #expect(overlay.enabled && !overlay.onStills && overlay.fadeMs == 300)
    #expect(overlay.outline == nil && overlay.box == nil && overlay.colour.text == "#ffffff")
  }

  /// A preset gives other defaults; what is written counts, an empty colour, too.
  @Test func aPresetGivesDefaults() throws {
    func overlay(_ fields: String, set: [String] = []) throws -> OverlaySettings {
      let toml = "[[overlay]]\nname = \"a\"\nkind = \"text\"\ntext = \"x\"\n\(fields)\n"
      return try #require(load(toml, set: set).settings.overlays.first)
    }
    let plain = try overlay("")
    #expect(plain.preset == .none && plain.scroll == 0 && plain.secondSize == 1)
    let third = try overlay("preset = \"lower-third\"")
    #expect(third.anchor == .bottomLeft && third.width == 0 && third.secondSize == 0.65)
    #expect(third.box?.text == "#000000aa" && third.scroll == 0)
    let own = try overlay("box = \"\"\nx = 0.3", set: ["overlay.a.preset=lower-third-right"])
    #expect(own.box == nil && own.x == 0.3 && own.align == .right && own.anchor == .bottomRight)
    let ticker = try overlay("preset = \"ticker\"\nscroll = -0.2")
    #expect(ticker.width == 1 && ticker.scroll == -0.2 && ticker.y == 1)
    for preset in OverlayPreset.allCases {
      let overlay = try overlay("preset = \"\(preset.rawValue)\"")
      #expect((0...1).contains(overlay.x) && (0...1).contains(overlay.y))
    }
  }

  @Test func elsewhereAnOverlayIsChangedByItsName() throws {
    let toml =
      "[[overlay]]\nname = \"who\"\nkind = \"text\"\ntext = \"Anna\\nMayor\"\nbox = \"#00000080\"\n"
    let settings = try load(toml, set: ["overlay.who.enabled=false", "overlay.who.x=0.5"]).settings
    let overlay = try #require(settings.overlays.first)
    #expect(!overlay.enabled && overlay.x == 0.5 && overlay.text == "Anna\nMayor")
    #expect(overlay.box?.alpha == 128 && overlay.box?.text == "#00000080")
    #expect(try load(toml, set: ["overlay.who.removed=true"]).settings.overlays.isEmpty)
  }

  @Test(arguments: [
    ("kind = \"image\"", "is missing: name the image"),
    ("kind = \"text\"", "is missing: write the words"),
    ("text = \"x\"", "is missing: write what it is"),
    ("kind = \"film\"", "must be \"image\", \"text\" or \"sticker\""),
    ("kind = \"sticker\"", "is missing: name the sticker"),
    ("kind = \"sticker\"\nfile = \"a\"\nwidth = 0", "is 0, and so is the height"),
    ("kind = \"text\"\ntext = \"x\"\nscroll = 2", "a number, -1 to 1"),
    ("kind = \"text\"\ntext = \"x\"\npreset = \"lower\"", "must be \"none\", \"lower-third\""),
    ("kind = \"text\"\ntext = \"x\"\ncolour = \"red\"", "must be a colour as #rrggbb"),
    ("kind = \"text\"\ntext = \"x\"\ncolour = \"#12345\"", "must be a colour"),
    ("kind = \"text\"\ntext = \"x\"\ncolour = \"#+12345\"", "must be a colour"),
    ("kind = \"text\"\ntext = \"x\"\nsize = 2", "a number, 0.01 to 0.5"),
    ("kind = \"text\"\ntext = \"x\\u0007\"", "text of at most 2000 characters"),
    ("kind = \"image\"\nfile = \"a\"\nx = 9", "a number, -1 to 2"),
    (
      "kind = \"text\"\ntext = \"x\"\nfrom = \"half past six\"",
      "must be a time (18:30) or a date and time (2026-12-24 18:30), or empty"
    ),
    (
      "kind = \"text\"\ntext = \"x\"\nfrom = \"18:30\"\nuntil = \"18:30\"",
      "overlay.a.until: must be later than from"
    ),
    (
      "kind = \"text\"\ntext = \"x\"\nfrom = \"2026-12-24 18:30\"\nuntil = \"2026-12-24 18:00\"",
      "must be later than from"
    ),
  ])
  func aMistakeIsTold(fields: String, sentence: String) {
    let told = complaints("[[overlay]]\nname = \"a\"\n\(fields)\n")
    #expect(told.contains { $0.contains(sentence) }, "\(told)")
  }

  @Test(arguments: [("18:30", "02:00"), ("2026-12-24 18:30", "20:00"), ("", "20:00"), ("", "")])
  func timesAreTaken(from: String, until: String) throws {
    let settings = try load(
      "[[overlay]]\nname = \"a\"\nkind = \"text\"\ntext = \"x\"\nfrom = \"\(from)\"\nuntil = \"\(until)\"\n"
    ).settings
    let times = try #require(settings.overlays.first).times
    #expect([times.from?.text ?? "", times.until?.text ?? ""] == [from, until])
  }

  @Test func thereAreAtMostSixteen() {
    let all = (0..<17).map {
      "[[overlay]]\nname = \"n\($0)\"\nkind = \"text\"\ntext = \"x\"\n"
    }
    #expect(complaints(all.dropLast().joined()).isEmpty)
    #expect(complaints(all.joined()).contains { $0.contains("more than 16 overlays") })
  }
}
