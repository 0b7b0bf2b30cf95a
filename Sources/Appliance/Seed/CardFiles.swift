// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

/// Which file on a card is meant as onair.toml. Computers change the name, often unseen: Windows does not show endings that
/// it knows, and copies get numbers.
struct CardFiles {
  /// The file of the right name, or the only one whose name clearly means it.
  let chosen: String?
  /// Others whose names mean it.
  let others: [String]
  /// Why none is chosen, as a sentence; `nil` if there is nothing that could be meant.
  let question: String?

  private static let endings = [".toml", ".txt", ".text", ".rtf"]
  /// What systems and browsers write behind a name that is taken: "onair (1)", "onair - Copy", "onair 2", "onair copy 2".
  private static var copyMark: Regex<Substring> {
    #/(?:[ _-]+[0-9]{1,3}|[ _-]*\([0-9]{1,3}\)|[ _-]*\(?(?:copy|kopie|copie|copia|cópia|副本)(?: ?[0-9]{1,3})?\)?)$/#
  }
  /// Of files that a person may have written: a logo or a film is not meant.
  private static let textEndings = ["", "txt", "text", "rtf", "tml", "json"]
  private static func ending(_ name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return String(name[name.index(after: dot)...])
  }

  /// What the box itself writes.
  private static let own = ["onair-errors", "onair-diagnostics"]

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
      return name.hasPrefix("onair") && !Self.own.contains(where: name.hasPrefix)
        && (name.contains("toml") || Self.textEndings.contains(Self.ending(name)))
    }
    question =
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

  /// Whether a name is onair.toml but for capitals, blanks, endings and marks of copies.
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
