// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// `[[filter]]`.
@Suite struct FilterTests {
  @Test func aMaskHidesTheWholePictureUnlessARegionIsSet() throws {
    let settings = try load("[[filter]]\nname = \"window\"\nkind = \"mask\"\n").settings
    let filter = try #require(settings.filters.first)
    #expect(filter.name == "window" && filter.kind == .mask)
    #expect(filter.enabled && filter.order == 1)
    let mask = filter.mask
    #expect([mask.x, mask.y, mask.width, mask.height] == [0, 0, 1, 1])
    #expect(mask.style == .solid && mask.cover.text == "#000000")
    #expect(!settings.mayLackMasks)
  }

  @Test func aFilterHasDefaults() throws {
    let settings = try load("[[filter]]\nname = \"f\"\nkind = \"skin\"\n").settings
    let filter = try #require(settings.filters.first)
    #expect(filter.skin.effective == (70, 40, 40) && filter.sharpness == 30)
    #expect(filter.colour.brightness == 0 && filter.colour.tint == 0)
    let presets = try (1...5).map { preset in
      try load(
        "[[filter]]\nname = \"f\"\nkind = \"skin\"\n", set: ["filter.f.preset=\(preset)"]
      ).settings.filters[0].skin.effective
    }
    #expect(presets.map(\.white) == [35, 80, 100, 70, 100])
    #expect(presets.map(\.buffing) == [40, 60, 50, 40, 70])
    #expect(presets.map(\.ruddy) == [10, 20, 20, 40, 10])
  }

  @Test(arguments: [
    ("enabled = true", "is missing: write what it is: \"mask\""),
    ("kind = \"blur\"", "must be \"mask\""),
    ("kind = \"mask\"\non = \"main\"", "must be \"camera\""),
    ("kind = \"mask\"\nx = 1", "a number, 0 to 0.99"),
    ("kind = \"mask\"\nwidth = 0", "a number, 0.01 to 1"),
    ("kind = \"mask\"\ncover = \"#00000080\"", "must be a colour as #rrggbb"),
    ("kind = \"mask\"\nstyle = \"blur\"", "must be \"solid\" or \"blocks\""),
    ("kind = \"colour\"\nbrightness = 101", "a whole number, -100 to 100"),
    ("kind = \"skin\"\npreset = 6", "a whole number, 0 to 5"),
    ("kind = \"mask\"\non = \"screen\"", "must be \"camera\""),
  ])
  func aMistakeIsTold(fields: String, sentence: String) {
    let told = complaints("[[filter]]\nname = \"a\"\n\(fields)\n")
    #expect(told.contains { $0.contains(sentence) }, "\(told)")
  }

  @Test func thereAreAtMostSixteen() {
    let all = (0..<17).map { "[[filter]]\nname = \"n\($0)\"\nkind = \"skin\"\n" }
    #expect(complaints(all.dropLast().joined()).isEmpty)
    #expect(complaints(all.joined()).contains { $0.contains("more than 16 filters") })
  }
}
