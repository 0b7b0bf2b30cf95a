// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// `[[layout]]`.
@Suite struct LayoutTests {
  private func toml(_ panes: String, name: String = "two") -> String {
    "[[layout]]\nname = \"\(name)\"\npanes = \"\"\"\n\(panes)\"\"\"\n"
  }

  @Test func panesAreLines() throws {
    let text = "host 0 0 0.5 1\n\n  anna\t0.5 0.25 .5 0.50 fit=fit z=2 \r\n#1 0 0 1 1"
    let layout = try #require(load(toml(text)).settings.layouts.first)
    #expect(
      layout.name == "two" && layout.panes.map(\.source) == [.host, .guest("anna"), .number(1)])
    let (host, anna) = (layout.panes[0], layout.panes[1])
    #expect([host.x, host.y, host.width, host.height] == [0, 0, 0.5, 1])
    #expect([anna.x, anna.y, anna.width, anna.height] == [0.5, 0.25, 0.5, 0.5])
    #expect(host.z == 1 && host.fit == nil && anna.z == 2 && anna.fit == .fit)
    // What is listed can be written.
    let shown = try #require(
      load(toml(text)).values.first { $0.declaration.key == "layout.two.panes" })
    #expect(
      shown.text == #""host 0 0 0.5 1\u000aanna 0.5 0.25 0.5 0.5 z=2 fit=fit\u000a#1 0 0 1 1""#)
    let again = try load("[[layout]]\nname = \"two\"\npanes = \(shown.text)\n").settings.layouts
    #expect(again.map(\.panes) == [layout.panes])
  }

  @Test func elsewhereALayoutIsChangedByItsName() throws {
    let settings = try load(
      toml("host 0 0 1 1"), set: ["layout.two.panes=host 0 0 1 0.5", "layout.b.panes=bob 0 0 1 1"]
    ).settings
    #expect(settings.layouts.map(\.name) == ["b", "two"])
    #expect(settings.layouts.last?.panes.first?.height == 0.5)
    #expect(
      try load(toml("host 0 0 1 1"), set: ["guests.layout=two"]).settings.allGuests.layout
        == "two")
    // The layout in use stays.
    let folder = StateFolder("guests.layout = \"two\"\n\(toml("host 0 0 1 1"))")
    #expect(
      folder.problems(["layout.two.removed": .flag(true)]).map(withoutPlace) == [
        "guests.layout: names no layout: it must be \(LayoutSettings.allowedNames)"
      ])
  }

  private static let form = #"write SOURCE X Y WIDTH HEIGHT, as in "host 0 0 0.5 1""#

  private static let sources =
    "SOURCE must be host, the name of a guest, or #1 to #16 for the others"

  @Test(arguments: [
    ("host 0 0 1", "line 1: \(form)"), ("host", "line 1: \(form)"),
    ("host 0 0 1 z=1", "line 1: \(form)"),
    ("host 0 0 1 1\n\nanna", "line 3: \(form)"),
    ("main 0 0 1 1", "line 1: \(sources)"),
    ("guest:anna 0 0 1 1", "line 1: \(sources)"),
    ("#0 0 0 1 1", "line 1: \(sources)"), ("#17 0 0 1 1", "line 1: \(sources)"),
    ("# 0 0 1 1", "line 1: \(sources)"),
    ("#1 0 0 1 1\n#1 0 0 1 1", "line 2: this source has a pane already"),
    ("host -1 0 1 1", "line 1: X must be a number, 0 to 1"),
    ("host nan 0 1 1", "line 1: X must be a number, 0 to 1"),
    ("host 0 1.1 1 1", "line 1: Y must be a number, 0 to 1"),
    ("host 0 0x1 1 1", "line 1: Y must be a number, 0 to 1"),
    ("host 0 0 0 1", "line 1: WIDTH must be a number, 0.01 to 1"),
    ("host 0 0 1 50%", "line 1: HEIGHT must be a number, 0.01 to 1"),
    ("host 0.6 0 0.5 1", "line 1: X and WIDTH together must be at most 1"),
    ("host 0 0.6 1 0.5", "line 1: Y and HEIGHT together must be at most 1"),
    ("host 0 0 1 1 z=0", "line 1: z must be a whole number, 1 to 100"),
    ("host 0 0 1 1 z=top", "line 1: z must be a whole number, 1 to 100"),
    ("host 0 0 1 1 z=101", "line 1: z must be a whole number, 1 to 100"),
    ("host 0 0 1 1 fit=crop", "line 1: fit must be fit, fill or stretch"),
    ("host 0 0 1 1 fill", "line 1: after the four numbers only z=NUMBER and fit=WAY can follow"),
    ("host 0 0 1 1 a=1", "line 1: after the four numbers only z=NUMBER and fit=WAY can follow"),
    ("host 0 0 1 1 z=1 z=2", "line 1: z is there twice"),
    ("host 0 0 1 1\nhost 0 0 1 1", "line 2: this source has a pane already"),
    ("\n \n", "is missing: write a line for each pane, as in \"host 0 0 0.5 1\""),
  ])
  func aMistakeIsTold(panes: String, sentence: String) {
    let told = complaints(toml(panes))
    #expect(told.map(withoutPlace) == ["layout.two.panes: \(sentence)"])
  }

  /// Three thirds are no more than the whole.
  @Test func sumsOfFractionsMayBeRounded() throws {
    let panes = try #require(
      load(toml("host 0 0 0.3333 1\nanna 0.6667 0.9 0.33334 0.1")).settings.layouts.first?.panes)
    #expect(panes.count == 2)
    for pane in panes { #expect(pane.x + pane.width <= 1 && pane.y + pane.height <= 1) }
  }

  @Test func thereAreSixteenPanesAtMost() {
    let lines = (1...17).map { "g\($0) 0 0 1 1" }
    #expect(complaints(toml(lines.dropLast().joined(separator: "\n"))) == [])
    for count in [17, 10_000] {
      let all = (1...count).map { "g\($0) 0 0 1 1" }.joined(separator: "\n")
      #expect(
        complaints(toml(all)) == ["onair.toml:3:1: layout.two.panes: has more than 16 panes"])
    }
  }

  @Test func thereAreSixteenLayoutsAtMost() {
    let all = (0..<17).map { toml("host 0 0 1 1", name: "n\($0)") }
    #expect(complaints(all.dropLast().joined()) == [])
    #expect(
      complaints(all.joined()).map(withoutPlace) == [
        "layout: has more than 16 layouts: remove one (onair set layout.NAME.removed=true)"
      ])
  }

  @Test(arguments: LayoutSettings.presets + ["pip_bottom_right", "auto"])
  func theNamesOfPresetsAreTaken(_ name: String) {
    #expect(
      complaints(toml("host 0 0 1 1", name: name)) == [
        "onair.toml:2:1: layout.name: must be 1 to 32 letters, digits, \"-\" and \"_\", and none of single, side_by_side, "
          + "pip, pip_top_left, pip_top_right, pip_bottom_left, grid, guest, pip_bottom_right, auto"
      ])
  }
}
