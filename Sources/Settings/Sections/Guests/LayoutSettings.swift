// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[[layout]]`: where the pictures of camera and guests are, besides the presets. Outside of the settings file, the
/// keys of its settings are "layout.NAME.panes" and so on.
public struct LayoutSettings: Sendable, Equatable, NamedSection {
  /// The layouts that need no settings. The names are part of the API, so they must not change.
  public static let presets = [
    "single", "side_by_side", "pip", "pip_top_left", "pip_top_right", "pip_bottom_left", "grid",
    "guest",
  ]
  /// The names of layouts, as a continuation of "must be".
  static let allowedNames = "\(listed(presets.map(quoted) + ["the name of a [[layout]]"]))"

  public static let list = NamedList(
    "layout", of: LayoutSettings.self, maxEntries: 16,
    // "pip_bottom_right" is another word for "pip"; "auto" gives the choice of the layout back to the box.
    reserved: presets + ["pip_bottom_right", "auto"], essential: "panes",
    words: NamedList.Words(
      example: quoted(LayoutPane.example),
      missing: "write a line for each pane, as in \(quoted(LayoutPane.example))",
      excess: "layouts: remove one (onair set layout.NAME.removed=true)"),
    codes: NamedList.Codes(missing: .notAllowed, excess: .tooManyLayouts))

  /// The layout's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  /// The panes, in the order of their lines; empty only in an entry with mistakes.
  public let panes: [LayoutPane]

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    panes = form.value(
      entry.key("panes"), .panes, default: [],
      help: """
        A line for each pane: "host" for the camera, a guest's name, or #1, #2 and so on for the other guests in their \
        order; then the left edge, the upper edge, the width and the height as fractions of the picture, as in \
        "host 0 0 0.5 1". After that, z=2 places it in front of those with \
        a lower number, and fit=fill, fit=fit or fit=stretch says how a picture of another shape is placed. A guest who is \
        not on air has no pane.
        """)
  }
}

/// A pane of a `[[layout]]`.
public struct LayoutPane: Sendable, Equatable {
  /// Whose picture a pane shows.
  public enum Source: Sendable, Equatable {
    /// The box's own camera.
    case host
    /// The guest with this name, who may be absent.
    case guest(String)
    /// Of the guests whom the layout does not name, the first (1), the second (2) and so on.
    case number(Int)

    /// Parses the first word of a line.
    fileprivate init?(_ word: Substring) {
      if word == "host" {
        self = .host
      } else if word.hasPrefix("#") {
        guard isNumber(word.dropFirst(), digits: 2), let number = Int(word.dropFirst()),
          (1...LayoutPane.maxCount).contains(number)
        else { return nil }
        self = .number(number)
      } else {
        guard GuestSettings.list.isName(String(word)) else { return nil }
        self = .guest(String(word))
      }
    }

    fileprivate var text: String {
      switch self {
      case .host: "host"
      case .guest(let name): name
      case .number(let number): "#\(number)"
      }
    }
  }

  /// The most panes of a layout.
  static let maxCount = 16
  static let example = "host 0 0 0.5 1"
  private static let orders = 1...100

  public let source: Source
  /// The place, as fractions of the picture's width and height, from its upper left corner.
  public let x, y, width, height: Double
  /// A pane covers those with a lower number, and of those with the same number the ones before it.
  public let z: Int
  /// How the picture is placed in the pane; `nil` for the way of its source.
  public let fit: Fit?

  /// The pane as a line of the settings.
  var text: String {
    ([source.text] + [x, y, width, height].map(numberText) + (z == 1 ? [] : ["z=\(z)"])
      + (fit.map { ["fit=\($0.rawValue)"] } ?? [])).joined(separator: " ")
  }

  /// Parses a line of the settings.
  /// - Parameter panes: those of the lines before.
  /// - Throws: what is wrong, as a continuation of "line 2: ".
  fileprivate init(_ line: Substring, after panes: [LayoutPane]) throws(ValueError) {
    func fail(_ reason: String) -> ValueError { .because(reason, .notAllowed) }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.count >= 5, !words.prefix(5).contains(where: { $0.contains("=") }) else {
      throw fail("write SOURCE X Y WIDTH HEIGHT, as in \(quoted(Self.example))")
    }
    guard let source = Source(words[0]) else {
      throw fail(
        "SOURCE must be host, the name of a guest, or #1 to #\(Self.maxCount) for the others")
    }
    self.source = source
    guard !panes.map(\.source).contains(source) else {
      throw fail("this source has a pane already")
    }
    func number(_ index: Int, _ what: String, from least: Double) throws(ValueError) -> Double {
      let word = words[index]
      guard word.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let number = Double(word),
        (least...1).contains(number)
      else { throw fail("\(what) must be a number, \(numberText(least)) to 1") }
      return number
    }
    (x, y) = (try number(1, "X", from: 0), try number(2, "Y", from: 0))
    let ends = (try number(3, "WIDTH", from: 0.01), try number(4, "HEIGHT", from: 0.01))
    // Sums of decimal fractions are a little more than 1 in some cases where they should be 1.
    guard x + ends.0 < 1.000_1 else { throw fail("X and WIDTH together must be at most 1") }
    guard y + ends.1 < 1.000_1 else { throw fail("Y and HEIGHT together must be at most 1") }
    (width, height) = (min(ends.0, 1 - x), min(ends.1, 1 - y))
    var options: [Substring: Substring] = [:]
    for word in words.dropFirst(5) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, ["z", "fit"].contains(parts[0]) else {
        throw fail("after the four numbers only z=NUMBER and fit=WAY can follow")
      }
      guard options.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw fail("\(parts[0]) is there twice")
      }
    }
    z = options["z"].map { Int($0) ?? 0 } ?? 1
    guard Self.orders.contains(z) else {
      throw fail("z must be a whole number, \(Self.orders.lowerBound) to \(Self.orders.upperBound)")
    }
    fit = try options["fit"].map { word throws(ValueError) in
      guard let fit = Fit(rawValue: String(word)) else {
        throw fail("fit must be \(listed(Fit.allCases.map(\.rawValue)))")
      }
      return fit
    }
  }
}

extension Kind where Value == [LayoutPane] {
  /// The kind of a setting whose value is a list of panes, one a line. Empty lines do not count.
  fileprivate static var panes: Kind {
    .text(
      "1 to \(LayoutPane.maxCount) lines of SOURCE X Y WIDTH HEIGHT [z=1] [fit=fill]",
      read: { text throws(ValueError) in
        var panes: [LayoutPane] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
          guard panes.count < LayoutPane.maxCount else {
            throw .because("has more than \(LayoutPane.maxCount) panes", .notAllowed)
          }
          do throws(ValueError) {
            panes.append(try LayoutPane(line, after: panes))
          } catch {
            guard case .because(let reason, let code) = error else { throw error }
            throw .because("line \(index + 1): \(reason)", code)
          }
        }
        return panes
      },
      show: { $0.map(\.text).joined(separator: "\n") })
  }
}
