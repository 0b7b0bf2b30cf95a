// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The kind of content that an overlay shows.
public enum OverlayKind: String, Sendable, CaseIterable {
  /// A `sticker` is an animation: an animated PNG, or a zip file with images.
  case image, text, sticker
}

/// The point of an overlay that is at `x` and `y`, and that stays there when the overlay changes its size.
public enum OverlayAnchor: String, Sendable, CaseIterable {
  case topLeft = "top-left"
  case top
  case topRight = "top-right"
  case left
  case centre = "center"
  case right
  case bottomLeft = "bottom-left"
  case bottom
  case bottomRight = "bottom-right"
}

/// How the lines of a text are aligned with one another.
public enum TextAlignment: String, Sendable, CaseIterable {
  case left
  case centre = "center"
  case right
}

/// `[[overlay]]`: an image, a text or a sticker on the picture. Outside of the settings file, the keys of its settings
/// are "overlay.NAME.file" and so on.
public struct OverlaySettings: Sendable, Equatable, NamedSection {
  /// The list `[[overlay]]`: its name, its limits, and the sentences about its problems.
  public static let list = NamedList(
    "overlay", of: OverlaySettings.self, maxEntries: 16, reserved: ["main"], essential: "kind",
    operable: ["enabled"],
    words: NamedList.Words(
      example: "\"image\"", missing: "write what it is, \"image\", \"text\" or \"sticker\"",
      excess: "overlays: remove one (onair set overlay.NAME.removed=true)"),
    codes: NamedList.Codes(excess: .tooManyOverlays))

  /// The overlay's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// The kind of content; `nil` if the settings name none, which is reported as a mistake.
  public let kind: OverlayKind?
  /// The path of an image or a sticker; empty if there is none.
  public let file: String
  /// The words of a text, with variables such as {time:%H:%M}.
  public let text: String
  /// The preset that gives the other settings their defaults.
  public let preset: OverlayPreset
  /// The position of the overlay's anchor point, as fractions of the picture's width and height, from the picture's
  /// upper left corner.
  public let x, y: Double
  /// The point of the overlay that is at `x` and `y`.
  public let anchor: OverlayAnchor
  /// The size, as fractions of the picture's width and height; a side of 0 follows from the image or the text.
  public let width, height: Double
  /// The order of overlays, 1 to 100: an overlay covers those with a lower number.
  public let z: Int
  /// How much the overlay covers the picture, 0 (not at all) to 1 (completely).
  public let opacity: Double
  /// The time in milliseconds for which the overlay fades in and out, 0 to 5000.
  public let fadeMs: Int
  /// When the overlay is shown: the values of the settings `from` and `until`.
  public let times: ShownTimes
  /// Whether the overlay is shown, at the times in `times`.
  public let enabled: Bool
  /// Whether the overlay is also shown on stills.
  public let onStills: Bool
  /// The font family of a text, followed by its weight: "DejaVu Sans Bold".
  public let font: String
  /// The size of the letters, as a fraction of the picture's height.
  public let size: Double
  /// The size of the letters after the first line, as a fraction of `size`.
  public let secondSize: Double
  /// How fast a text moves to the left, in widths of the picture per second; below 0 to the right, 0 for a text that
  /// stands still.
  public let scroll: Double
  /// The colour of the letters of a text.
  public let colour: RGBA
  /// The colours of the outline around the letters and of the box behind the text; `nil` for none.
  public let outline, box: RGBA?
  /// How the lines of a text are aligned with one another.
  public let align: TextAlignment

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    kind = form.value(
      entry.key("kind"), .optional(.choice()), default: nil,
      help: """
        What is shown: "image" a file, "text" words, "sticker" an animated PNG, or images and their config.json in a zip.
        """)
    preset = form.value(
      entry.key("preset"), .choice(), default: .none,
      help: """
        A look for a text, which gives other defaults to place, size and colours: "lower-third" is a name with a smaller \
        second line in a box, "title" large, "corner" small, "ticker" a line that moves along the lower edge.
        """)
    let own = preset.defaults
    file = form.value(
      entry.key("file"), .path(.media), default: "",
      help: """
        The image: a PNG or JPEG file. Transparent parts of a PNG stay transparent. A sticker's is an animated PNG, or a \
        zip or a folder of PNG images and a config.json.
        """)
    text = form.value(
      entry.key("text"), .multilineText(maxCharacters: 2_000), default: "",
      help: """
        The words. {time:%H:%M} is the time in box.zone, {date} the date, {elapsed} how long the broadcast has been on, \
        {countdown:18:30} the time until half past six in the evening, {name} the box's name, {file:NAME} what is in the \
        uploaded text file NAME, {api:NAME} what "onair text NAME" or a program has set.
        """)
    x = form.value(
      entry.key("x"), .number(-1...2), default: own.x, unit: "of the picture's width",
      help: """
        Where it is, from the left (0) to the right (1).
        """)
    y = form.value(
      entry.key("y"), .number(-1...2), default: own.y, unit: "of the picture's height",
      help: """
        Where it is, from the top (0) to the bottom (1).
        """)
    anchor = form.value(
      entry.key("anchor"), .choice(), default: own.anchor,
      help: """
        The corner, edge or middle of it that is at x and y.
        """)
    width = form.value(
      entry.key("width"), .number(0...2), default: own.width, unit: "of the picture's width",
      help: """
        How wide it is. 0 takes all the width there is for an image of a given height, and the width of its lines for a text.
        """)
    height = form.value(
      entry.key("height"), .number(0...2), default: 0, unit: "of the picture's height",
      help: """
        The height that an image is fitted into. 0 follows from its width.
        """)
    z = form.value(
      entry.key("z"), .wholeNumber(1...100), default: 1,
      help: """
        Overlays with a higher number cover those with a lower one.
        """)
    opacity = form.value(
      entry.key("opacity"), .number(0...1), default: 1,
      help: """
        1 covers what is below, 0.5 lets half of it through.
        """)
    fadeMs = form.value(
      entry.key("fade_ms"), .wholeNumber(0...5_000), default: 300, unit: "milliseconds",
      help: """
        How long it takes to come and to go.
        """)
    times = ShownTimes(
      from: form.value(
        entry.key("from"), .optional(.clockTime, end: ", or empty"), default: nil,
        help: """
          When it comes, in box.zone: a time of day ("18:30") each day, a date with a time ("2026-12-24 18:30") once. If \
          it is empty, it is there from the beginning.
          """),
      until: form.value(
        entry.key("until"), .optional(.clockTime, end: ", or empty"), default: nil,
        help: """
          When it goes, as from. A time of day before that of from is one of the next day. If it is empty, it stays: until \
          midnight if from is a time of day.
          """))
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether it is shown, between from and until.
        """)
    onStills = form.value(
      entry.key("on_stills"), .flag, default: false,
      help: """
        Whether it is shown on the image of a pause, too, and on those that take the camera's place. A text with variables, \
        or one that moves, is not; a sticker stands still there.
        """)
    font = form.value(
      entry.key("font"), .multilineText(maxCharacters: 100), default: "Sans Bold",
      help: """
        The font of a text, with its weight: "DejaVu Sans Bold". A font that was uploaded has the name of its family.
        """)
    size = form.value(
      entry.key("size"), .number(0.01...0.5), default: own.size, unit: "of the picture's height",
      help: """
        How large the letters are.
        """)
    secondSize = form.value(
      entry.key("second_size"), .number(0.2...1), default: own.secondSize, unit: "of size",
      help: """
        How large the letters of the lines after the first are.
        """)
    scroll = form.value(
      entry.key("scroll"), .number(-1...1), default: own.scroll,
      unit: "of the picture's width a second",
      help: """
        How fast the text moves in one line from the right to the left, or, below 0, from the left to the right. 0 lets it \
        stand still.
        """)
    colour = form.value(
      entry.key("colour"), .colour, default: RGBA.white,
      help: """
        The colour of the letters: "#rrggbb", or "#rrggbbaa" with how much they cover.
        """)
    outline = form.value(
      entry.key("outline"), .optional(.colour, end: ", or empty"), default: own.outline,
      help: """
        The colour of a line around the letters, which makes them readable on any picture. Empty for none.
        """)
    box = form.value(
      entry.key("box"), .optional(.colour, end: ", or empty"), default: own.box,
      help: """
        The colour of a box behind the text: "#00000080" is black that lets half of the picture through. Empty for none.
        """)
    align = form.value(
      entry.key("align"), .choice(), default: own.align,
      help: """
        Where the lines of a text begin.
        """)
    if kind == .image || kind == .sticker, file.isEmpty {
      form.report(
        entry.key("file"), "is missing: name the \(kind == .image ? "image" : "sticker")",
        at: form.place(of: entry.key("kind")), code: .other)
    }
    if kind == .image || kind == .sticker, width == 0, height == 0 {
      form.report(
        entry.key("width"), "is 0, and so is the height: give one of them",
        at: form.place(of: entry.key("width")), code: .other)
    }
    reportTimes(&form, entry)
    if kind == .text, text.isEmpty {
      form.report(
        entry.key("text"), "is missing: write the words", at: form.place(of: entry.key("kind")),
        code: .other)
    }
  }
}

extension OverlaySettings {
  /// Reports `from` and `until` if the overlay would never be shown between them.
  private func reportTimes(_ form: inout Form, _ entry: ListEntry) {
    guard let from = times.from, let until = times.until else { return }
    let isNever =
      switch (from, until) {
      case (.daily(let from), .daily(let until)): from == until
      case (.once(let from), .once(let until)): from >= until
      default: false
      }
    guard isNever else { return }
    form.report(
      entry.key("until"), "must be later than from: the overlay would never be shown",
      at: form.place(of: entry.key("until")), code: .conflict, other: entry.key("from"))
  }
}

/// A colour of the settings: "#rrggbb" or "#rrggbbaa".
public struct RGBA: Sendable, Hashable {
  /// The components, 0 to 255; `alpha` is 0 if the colour is transparent and 255 if it is opaque.
  public let red, green, blue, alpha: UInt8

  static let white = RGBA(red: 255, green: 255, blue: 255, alpha: 255)
  static let black = RGBA(red: 0, green: 0, blue: 0, alpha: 255)

  init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }

  init?(_ text: String) {
    let digits = text.dropFirst()
    guard text.first == "#", digits.utf8.count == 6 || digits.utf8.count == 8,
      digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let number = UInt32(digits, radix: 16)
    else { return nil }
    let whole = digits.utf8.count == 6 ? number << 8 | 255 : number
    func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: whole >> shift) }
    self.init(red: byte(24), green: byte(16), blue: byte(8), alpha: byte(0))
  }

  /// "#rrggbb" for an opaque colour, "#rrggbbaa" for any other.
  var text: String {
    "#"
      + ([red, green, blue] + (alpha == 255 ? [] : [alpha])).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
  }
}

extension Kind where Value == RGBA {
  /// The kind of a setting whose value is a colour: "#rrggbb" or "#rrggbbaa".
  static var colour: Kind {
    .text(
      "a colour as #rrggbb or #rrggbbaa",
      read: { text throws(ValueError) in RGBA(text) }, show: { $0.text })
  }
}

extension Kind {
  /// The kind that allows the values of `kind`, and also `nil`, which is written as an empty text.
  /// - Parameter end: a text such as ", or empty", which is appended to `kind.allowed`.
  static func optional<Wrapped>(_ kind: Kind<Wrapped>, end: String = "") -> Kind
  where Value == Wrapped? {
    Kind(
      type: kind.type, allowed: kind.allowed + end, choices: kind.choices,
      read: { raw throws(ValueError) in raw.asText == "" ? nil : try kind.read(raw) },
      show: { value in value.map { kind.show($0) } ?? quoted("") })
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is a text of at most `maxCharacters` characters (Unicode scalars). Line breaks
  /// are allowed.
  static func multilineText(maxCharacters: Int) -> Kind {
    .text(
      "text of at most \(maxCharacters) characters",
      read: { text throws(ValueError) in
        guard text.unicodeScalars.count <= maxCharacters,
          !text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" })
        else { throw .notAllowed }
        return text
      },
      show: { $0 })
  }
}
