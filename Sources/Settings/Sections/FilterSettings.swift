// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a filter does to a source's picture.
public enum FilterKind: String, Sendable, CaseIterable {
  /// `mask` hides a part of the picture, `colour` corrects colours, `sharpen` makes edges clearer, `skin` makes faces
  /// softer, `frei0r` runs a plug-in of frei0r, and `outside` runs a program on the box.
  case mask, colour, sharpen, skin, frei0r, outside
}

/// The source whose picture a filter changes.
private enum FilteredSource: String, Sendable, CaseIterable {
  case camera
}

/// How a privacy mask hides the picture below it.
public enum MaskStyle: String, Sendable, CaseIterable {
  /// `solid` shows one colour, `blocks` coarse blocks of the colours behind the mask.
  case solid, blocks
}

/// `[[filter]]`: a filter on a source's picture. Outside of the settings file, the keys of its settings are
/// "filter.NAME.kind" and so on. A new kind of filter needs a case of `FilterKind`, and a property for its parameters.
public struct FilterSettings: Sendable, Equatable, NamedSection {
  /// The list `[[filter]]`: its name, its limits, and the sentences about its problems.
  public static let list = NamedList(
    "filter", of: FilterSettings.self, maxEntries: 16, reserved: ["main"], essential: "kind",
    words: NamedList.Words(
      example: "\"mask\"",
      missing: "write what it is: \(listed(FilterKind.allCases.map { quoted($0.rawValue) }))",
      excess: "filters: remove one (onair set filter.NAME.removed=true)"),
    codes: NamedList.Codes(excess: .tooManyFilters))

  /// The filter's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// What the filter does; `nil` if the settings name no kind, which is reported as a mistake.
  public let kind: FilterKind?
  /// Whether the filter is applied.
  public let enabled: Bool
  /// Filters with a lower number are applied first, those with the same number in the order of their names. Masks come
  /// before all other filters in any case.
  public let order: Int
  /// The parameters of the kind `mask`.
  public let mask: MaskSettings
  /// The parameters of the kind `colour`.
  public let colour: ColourSettings
  /// How much clearer edges become, 0 to 100; 0 changes nothing.
  public let sharpness: Int
  /// The parameters of the kind `skin`.
  public let skin: SkinSettings
  /// The parameters of the kinds `frei0r` and `outside`.
  public let program: ProgramSettings

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    kind = form.value(
      entry.key("kind"), .optional(.choice()), default: nil,
      help: """
        What it does: "mask" hides a part of the picture, "colour" corrects brightness and colours, "sharpen" makes edges clearer, \
        "skin" makes faces softer, "frei0r" is a plug-in of Debian's package frei0r-plugins, "outside" a program on the box.
        """)
    // So far, the camera is the only source that can be filtered, so the value is not stored.
    _ = form.value(
      entry.key("on"), .choice(), default: FilteredSource.camera,
      help: """
        The source whose picture is changed.
        """)
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether it is applied.
        """)
    order = form.value(
      entry.key("order"), .wholeNumber(1...100), default: 1,
      help: """
        Filters with a lower number come first, those with the same number by name. A mask is before all others in any case.
        """)
    mask = MaskSettings(&form, entry)
    colour = ColourSettings(&form, entry)
    sharpness = form.value(
      entry.key("sharpness"), .wholeNumber(0...100), default: 30,
      help: """
        How much clearer "sharpen" makes edges. Noise becomes clearer, too.
        """)
    skin = SkinSettings(&form, entry)
    program = ProgramSettings(&form, entry)
    program.check(kind, &form, entry)
  }
}

/// The parameters of a privacy mask.
public struct MaskSettings: Sendable, Equatable {
  /// The region that the mask hides, as fractions of the camera's picture before it is rotated, mirrored or cropped.
  public let x, y, width, height: Double
  /// Whether the mask shows one colour or coarse blocks.
  public let style: MaskStyle
  /// The colour of a solid mask.
  public let cover: RGBA

  init(_ form: inout Form, _ entry: ListEntry) {
    x = form.value(
      entry.key("x"), .number(0...0.99), default: 0, unit: "of the camera's width",
      help: """
        Where a mask begins, from the left edge of the camera's own picture, before it is rotated, mirrored or cropped.
        """)
    y = form.value(
      entry.key("y"), .number(0...0.99), default: 0, unit: "of the camera's height",
      help: """
        Where a mask begins, from the upper edge of the camera's own picture.
        """)
    width = form.value(
      entry.key("width"), .number(0.01...1), default: 1, unit: "of the camera's width",
      help: """
        How wide a mask is. 1 reaches to the right edge in any case.
        """)
    height = form.value(
      entry.key("height"), .number(0.01...1), default: 1, unit: "of the camera's height",
      help: """
        How high a mask is. 1 reaches to the lower edge in any case.
        """)
    style = form.value(
      entry.key("style"), .choice(), default: .solid,
      help: """
        What a mask shows instead: "solid" one colour, "blocks" coarse blocks of the colours behind it, which hide writing and faces \
        but not that somebody is there.
        """)
    cover = form.value(
      entry.key("cover"), .opaqueColour, default: RGBA(red: 0, green: 0, blue: 0, alpha: 255),
      help: """
        The colour of a solid mask: "#rrggbb".
        """)
  }
}

/// The parameters of a colour correction: -100 to 100, where 0 changes nothing.
public struct ColourSettings: Sendable, Equatable {
  /// The strength of each correction, -100 to 100; 0 changes nothing.
  public let brightness, contrast, saturation, temperature, tint: Int

  init(_ form: inout Form, _ entry: ListEntry) {
    func value(_ name: String, _ help: String) -> Int {
      form.value(entry.key(name), .wholeNumber(-100...100), default: 0, help: help)
    }
    brightness = value(
      "brightness",
      """
      How much brighter "colour" makes the picture; below 0 darker.
      """)
    contrast = value(
      "contrast",
      """
      How much "colour" draws light and dark apart; -100 makes all one grey.
      """)
    saturation = value(
      "saturation",
      """
      How much stronger "colour" makes colours; -100 takes them away.
      """)
    temperature = value(
      "temperature",
      """
      White balance: how much warmer (more red) "colour" makes the picture; below 0 cooler (more blue).
      """)
    tint = value(
      "tint",
      """
      White balance: how much more magenta "colour" makes the picture; below 0 more green.
      """)
  }
}

/// The parameters of the skin filter: 0 to 100, where 0 changes nothing.
public struct SkinSettings: Sendable, Equatable {
  /// The values of `white`, `buffing` and `ruddy` for each preset. The first element is preset 1.
  private static let presets = [
    (white: 35, buffing: 40, ruddy: 10), (80, 60, 20), (100, 50, 20), (70, 40, 40), (100, 70, 10),
  ]

  /// The number of the preset, from 1 on; 0 if `white`, `buffing` and `ruddy` are used instead of a preset.
  public let preset: Int
  /// How much the filter brightens, smooths and reddens skin, 0 to 100 each. Used only if `preset` is 0.
  public let white, buffing, ruddy: Int

  init(_ form: inout Form, _ entry: ListEntry) {
    preset = form.value(
      entry.key("preset"), .wholeNumber(0...SkinSettings.presets.count), default: 0,
      help: """
        One of five recommended sets of white, buffing and ruddy for "skin"; 0 takes the three numbers below.
        """)
    white = form.value(
      entry.key("white"), .wholeNumber(0...100), default: 70,
      help: """
        How much brighter "skin" makes skin.
        """)
    buffing = form.value(
      entry.key("buffing"), .wholeNumber(0...100), default: 40,
      help: """
        How much "skin" smooths away of pores and noise.
        """)
    ruddy = form.value(
      entry.key("ruddy"), .wholeNumber(0...100), default: 40,
      help: """
        How much redder "skin" makes skin.
        """)
  }

  /// The values in effect: those of the preset, or those that were set if `preset` is 0.
  public var effective: (white: Int, buffing: Int, ruddy: Int) {
    preset > 0 ? SkinSettings.presets[preset - 1] : (white, buffing, ruddy)
  }
}

extension Kind where Value == RGBA {
  /// The kind of a setting whose value is a colour without transparency: "#rrggbb".
  static var opaqueColour: Kind {
    .text(
      "a colour as #rrggbb",
      read: { text throws(ValueError) in
        RGBA(text).flatMap { $0.alpha == 255 ? $0 : nil }
      }, show: { $0.text })
  }
}
