// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// A change that is taken back by itself uncovers nothing that is covered now.
@Suite struct KeepingMasksTests {
  /// The settings of mask "a" now, what the change back sets, and what it then sets to keep what is covered.
  struct Case: Sendable {
    var now: [String: SettingsPatch.Value] = [:]
    var back: [String: SettingsPatch.Value?]
    var kept: [String: SettingsPatch.Value?]
  }

  private static func number(_ value: Double) -> SettingsPatch.Value { .number(value) }

  private static let cases: [Case] = [
    // It was enlarged meanwhile, or moved: both regions are covered then.
    Case(
      now: ["width": number(0.75)], back: ["width": number(0.25)], kept: ["width": number(0.75)]),
    Case(
      now: ["x": number(0.25), "width": number(0.25)], back: ["x": number(0.5)],
      kept: ["x": number(0.25), "width": number(0.5)]),
    Case(
      now: ["x": number(0.5), "width": number(0.25)],
      back: ["x": number(0.125), "width": number(0.125)],
      kept: ["x": number(0.125), "width": number(0.625)]),
    Case(
      now: ["y": number(0.5)], back: ["y": number(0.25), "height": number(0.5)],
      kept: ["y": number(0.25), "height": number(1)]),
    // The change back covers all of it: it stays as it is.
    Case(
      now: ["x": number(0.5), "width": number(0.25)], back: ["x": nil, "width": nil],
      kept: ["x": nil, "width": nil]),
    Case(
      now: ["width": number(0.25)], back: ["width": number(0.75)], kept: ["width": number(0.75)]),
    // Blocks show more than one colour.
    Case(
      now: ["style": .text("solid")], back: ["style": .text("blocks")],
      kept: ["style": .text("solid")]),
    Case(
      now: ["style": .text("blocks")], back: ["style": .text("solid"), "cover": .text("#ff0000")],
      kept: ["style": .text("solid"), "cover": .text("#ff0000")]),
    // It would be no mask any more.
    Case(back: ["enabled": .flag(false), "x": number(0.5)], kept: [:]),
    Case(back: ["kind": .text("skin")], kept: [:]),
    Case(back: ["kind": nil, "x": nil], kept: [:]),
    // Nothing is covered now.
    Case(
      now: ["enabled": .flag(false), "width": number(0.75)],
      back: ["enabled": nil, "width": number(0.25)], kept: ["enabled": nil, "width": number(0.25)]),
  ]

  @Test(arguments: cases)
  func aMaskBecomesNoSmaller(one: Case) throws {
    let folder = StateFolder()
    func patch(_ fields: [String: SettingsPatch.Value?]) -> [String: SettingsPatch.Value?] {
      fields.reduce(into: [:]) { $0["filter.a.\($1.key)"] = .some($1.value) }
    }
    try folder.change(
      patch(one.now.mapValues { $0 }).merging(["filter.a.kind": .text("mask")]) { own, _ in own })
    let configuration = try folder.load()
    let back = SettingsPatch(patch(one.back).merging(["video.fps": .integer(20)]) { $1 })
    let kept = configuration.keepingMasks(back) { layer throws(ConfigurationError) in
      try folder.load(.given(layer))
    }
    #expect(kept.values == patch(one.kept).merging(["video.fps": .integer(20)]) { $1 })
  }

  /// What adds up to a bit less than before is rounded up.
  @Test func noRoundingUncoversAnything() throws {
    let folder = StateFolder()
    for step in 1...60 {
      let (x, width) = (Double(step) / 100, 0.37)
      let mask: [String: SettingsPatch.Value?] = [
        "filter.a.kind": .text("mask"), "filter.a.x": .number(x), "filter.a.width": .number(width),
      ]
      try folder.change(mask)
      let configuration = try folder.load()
      let back = SettingsPatch(["filter.a.x": .number(0.001), "filter.a.width": .number(0.01)])
      let kept = configuration.keepingMasks(back) { layer throws(ConfigurationError) in
        try folder.load(.given(layer))
      }
      try folder.change(kept.values)
      let after = try #require(folder.load().settings.filters.first?.mask)
      #expect(after.x == 0.001 && after.x + after.width >= x + width)
    }
  }
}
