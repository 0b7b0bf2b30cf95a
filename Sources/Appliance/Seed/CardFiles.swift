// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

/// Decides which file on a memory card is meant as the settings file onair.toml. Computers often change a file's name
/// without showing it: Windows hides extensions that it knows, and copies get numbers.
struct CardFiles {
  /// The name of the file to use: onair.toml, else the only variant of this name; `nil` if there is no such file.
  let chosen: String?
  /// The names of further files that are variants of onair.toml. They are not used.
  let others: [String]
  /// A sentence for the owner that says why no file is chosen; `nil` if a file is chosen, or if no file has a similar
  /// name.
  let refusal: String?

  /// The extensions that may follow "onair" in the name.
  private static let endings = [".toml", ".txt", ".text", ".rtf"]
  /// The text that systems and browsers append to a name that exists already: "onair (1)", "onair - Copy", "onair 2",
  /// "onair copy 2".
  private static var copyMark: Regex<Substring> {
    #/(?:[ _-]+[0-9]{1,3}|[ _-]*\([0-9]{1,3}\)|[ _-]*\(?(?:copy|kopie|copie|copia|cópia|副本)(?: ?[0-9]{1,3})?\)?)$/#
  }
  /// The extensions, without the dot, of files that a person may have written as a settings file. A logo or a film has
  /// another extension.
  private static let textEndings = ["", "txt", "text", "rtf", "tml", "json"]
  /// The part of a file name after its last dot; empty if there is no dot.
  private static func fileExtension(_ name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return String(name[name.index(after: dot)...])
  }

  /// The beginnings of the names of the files that the box itself writes to the card.
  private static let ownPrefixes = ["onair-errors", "onair-diagnostics"]

  init(_ names: [String]) {
    let names = names.sorted()
    let meant = names.filter(Self.isMeant)
    let exact =
      meant.contains(Seed.fileName)
      ? [Seed.fileName] : meant.filter { $0.lowercased() == Seed.fileName }
    chosen = exact.count == 1 ? exact.first : meant.count == 1 ? meant.first : nil
    let chosen = chosen
    others = meant.filter { $0 != chosen }
    let near = names.filter { name in
      let name = name.lowercased()
      return name.hasPrefix("onair") && !Self.ownPrefixes.contains(where: name.hasPrefix)
        && (name.contains("toml") || Self.textEndings.contains(Self.fileExtension(name)))
    }
    refusal =
      if chosen != nil || near.isEmpty {
        nil
      } else if meant.count > 1 {
        "The card has several files that may be meant, and none was taken: \(meant.joined(separator: ", ")). Keep the "
          + "right one, with the name \(Seed.fileName)."
      } else {
        "The card has a file \(near[0]), but none with the name \(Seed.fileName): give it that name. (Windows does not "
          + "show the end of a name unless \"File name extensions\" is on.)"
      }
  }

  /// Whether a name is onair.toml, apart from capitals, blanks, extensions and marks of copies.
  private static func isMeant(_ name: String) -> Bool {
    var rest = name.lowercased()
    while true {
      let before = rest
      while rest.last?.isWhitespace == true { rest.removeLast() }
      if let ending = endings.first(where: rest.hasSuffix) { rest.removeLast(ending.count) }
      if let mark = rest.firstMatch(of: copyMark) { rest.removeSubrange(mark.range) }
      if rest == before { return rest == "onair" }
    }
  }
}
