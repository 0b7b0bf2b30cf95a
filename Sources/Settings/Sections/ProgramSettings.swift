// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The frei0r plug-ins that may be used, by the names of their files. `Sources/onair-filter/plugins.h` lists them: each
/// is fast enough, accesses only its own memory, and keeps no frames.
public enum Frei0rPlugin: String, Sendable, CaseIterable {
  case balanc0r, brightness, bw0r
  case coloradjRGB = "coloradj_RGB"
  case contrast0r, equaliz0r, flippo, gamma, glow, hueshift0r, invert0r, lenscorrection, levels
  case luminance, pixeliz0r, posterize, saturat0r, sharpness, tint0r, vignette
}

/// The parameters of a filter that runs as a separate process: a frei0r plug-in or a program.
public struct ProgramSettings: Sendable, Equatable {
  /// The plug-in that a filter of the kind `frei0r` runs; `nil` if none is named.
  public let plugin: Frei0rPlugin?
  /// The file name of the program that a filter of the kind `outside` runs; empty if none is named. It has no folder,
  /// so that users who may change settings cannot run programs of other folders.
  public let file: String
  /// The parameters of the plug-in or the program, in one text.
  public let parameters: String
  /// How much a program for faces enlarges eyes, narrows faces, shortens chins and reddens cheeks, 0 to 100 each.
  public let bigEye, thinFace, shortenFace, cheekPink: Int

  init(_ form: inout Form, _ entry: ListEntry) {
    plugin = form.value(
      entry.key("plugin"), .optional(.choice(), end: ", or empty"), default: nil,
      help: """
        The plug-in that "frei0r" runs. It needs Debian's package frei0r-plugins.
        """)
    file = form.value(
      entry.key("program"), .programName, default: "",
      help: """
        The program that "outside" runs: the name of a file that root has put into /usr/local/lib/onair/filters, and that \
        nobody else can change.
        """)
    parameters = form.value(
      entry.key("parameters"), .multilineText(maxCharacters: 1_000), default: "",
      help: """
        What "frei0r" or "outside" gets as parameters: "Blur=0.3, Neutral Color=#ffe0c0" for a plug-in, where "onair-filter list" \
        prints the names, and what the program's maker says for a program.
        """)
    func value(_ name: String, _ standard: Int, _ help: String) -> Int {
      form.value(entry.key(name), .wholeNumber(0...100), default: standard, help: help)
    }
    bigEye = value(
      "big_eye", 30,
      """
      How much larger a program that finds faces makes eyes. Programs get white, buffing and ruddy, too.
      """)
    thinFace = value(
      "thin_face", 40,
      """
      How much narrower a program that finds faces makes them.
      """)
    shortenFace = value(
      "shorten_face", 50,
      """
      How much shorter a program that finds faces makes chins.
      """)
    cheekPink = value(
      "cheek_pink", 15,
      """
      How much redder a program that finds faces makes cheeks.
      """)
  }

  /// Reports that the plug-in or the program is not named although a filter of this kind needs it.
  func check(_ kind: FilterKind?, _ form: inout Form, _ entry: ListEntry) {
    let place = form.place(of: entry.key("kind"))
    if kind == .frei0r, plugin == nil, !form.isDoubtful(entry.key("plugin")) {
      form.report(
        entry.key("plugin"), "is missing: name the plug-in, \"vignette\" for example", at: place,
        code: .other)
    }
    if kind == .outside, file.isEmpty, !form.isDoubtful(entry.key("program")) {
      form.report(
        entry.key("program"), "is missing: name the program", at: place, code: .other)
    }
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is a file name without a folder, or empty. The name has 1 to 64 letters, digits,
  /// "-", "_" and ".", and does not begin with ".".
  fileprivate static var programName: Kind {
    .text(
      "a file's name of letters, digits, \"-\", \"_\" and \".\", without a folder, or empty",
      read: { text throws(ValueError) in
        let isName =
          text.utf8.count <= 64 && text.utf8.first != UInt8(ascii: ".")
          && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
              UInt8(ascii: "."):
              true
            default: false
            }
          }
        guard isName else { throw .notAllowed }
        return text
      },
      show: { $0 })
  }
}
