// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

extension Settings {
  /// The keys of all settings outside of lists, for example "video.size".
  public static var keys: [String] { declarations.map(\.key) }

  /// A setting as `onair settings` shows it.
  public struct Shown: Sendable {
    /// The key, for example "video.size" or "relay.second.url".
    public var key: String
    /// The value as a TOML literal; "(set)" for a secret that is set.
    public var value: String
    public var origin: Origin
    /// Whether the value takes effect only after a restart.
    public var isPending: Bool

    public init(key: String, value: String, origin: Origin, isPending: Bool = false) {
      (self.key, self.value, self.origin, self.isPending) = (key, value, origin, isPending)
    }
  }

  /// All settings with their defaults. Each list is represented by an entry called "NAME".
  public static var defaults: [Shown] { allDeclarations.map(\.atDefault) }

  /// The settings of lists with their defaults. Each list is represented by an entry called "NAME".
  public static var listDefaults: [Shown] { lists.flatMap(\.declarations).map(\.atDefault) }

  /// The output of `onair settings`: for each setting its value, help, allowed values, unit and default.
  public static func text(_ settings: [Shown]) -> String {
    var out = ""
    for setting in settings {
      guard let declaration = declaration(of: setting.key) else { continue }
      if !out.isEmpty { out += "\n" }
      out += "\(setting.key) = \(setting.value)\n"
      let unit = declaration.unit.isEmpty ? "" : " (\(declaration.unit))"
      let secret = declaration.isSecret ? " Secret." : ""
      out += wrapped("\(declaration.help)\(secret)")
      out += wrapped("Allowed: \(declaration.allowed)\(unit)")
      if let source = setting.origin.sentence {
        out += wrapped("Default: \(declaration.defaultText). \(source)")
      }
      let pending = setting.isPending ? " This value still waits for that." : ""
      out += wrapped("\(declaration.effect.sentence)\(pending)")
    }
    return out
  }

  /// The elements of `keys` that `word` names: the key itself if `word` is one, or all keys of the section or list
  /// entry `word`.
  public static func keys(named word: String, among keys: [String]) -> [String] {
    keys.filter { $0 == word || $0.hasPrefix("\(word).") }
  }

  /// The output of `onair settings --json` and `GET /api/settings`: an array with an object for each setting. Its
  /// fields are key, type, unit, default, allowed, choices, minimum and maximum (numbers or null), help, effect,
  /// secret, value (null for a secret), origin and pending. A secret also has the field is_set. A setting whose
  /// `SettingValue.effective` is not `nil` also has the field effective.
  /// - Parameter pending: the keys of the settings whose value takes effect only after a restart.
  public static func json(_ values: [SettingValue], pending: Set<String> = []) -> String {
    let objects = values.map { value in
      let declaration = value.declaration
      let minimum = declaration.range.map { number($0.lowerBound) } ?? "null"
      let maximum = declaration.range.map { number($0.upperBound) } ?? "null"
      let isSet = [("is_set", "\(value.text != declaration.defaultText)")]
      let fields =
        [
          ("key", quoted(declaration.key)),
          ("type", quoted(declaration.type.rawValue)),
          ("unit", quoted(declaration.unit)),
          ("default", declaration.defaultText),
          ("allowed", quoted(declaration.allowed)),
          ("choices", "[\(declaration.choices.map(quoted).joined(separator: ", "))]"),
          ("minimum", minimum),
          ("maximum", maximum),
          ("help", quoted(declaration.help)),
          ("effect", quoted(declaration.effect.rawValue)),
          ("secret", "\(declaration.isSecret)"),
          ("value", declaration.isSecret ? "null" : value.text),
          ("origin", quoted(value.origin.rawValue)),
          ("pending", "\(pending.contains(declaration.key))"),
        ] + (declaration.isSecret ? isSet : [])
        + (value.effective.map { [("effective", $0)] } ?? [])
      return "  {" + fields.map { "\(quoted($0.0)): \($0.1)" }.joined(separator: ", ") + "}"
    }
    return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
  }

  /// The output of `onair settings --markdown`, which is the table in systemd/README.md.
  public static var markdownTable: String {
    var out =
      "| Setting | Default | Allowed | What it does | A change counts |\n|---|---|---|---|---|\n"
    for declaration in allDeclarations {
      let unit = declaration.unit.isEmpty ? "" : " (\(declaration.unit))"
      let secret = declaration.isSecret ? " Secret." : ""
      let cells = [
        "`\(declaration.key)`", "`\(declaration.defaultText)`", declaration.allowed + unit,
        declaration.help + secret, declaration.effect.timePhrase,
      ]
      // In Markdown "|" ends a cell, and "<" starts an HTML tag.
      let safe = cells.map { cell in
        String(cell.flatMap { $0 == "|" ? Array("\\|") : $0 == "<" ? Array("&lt;") : [$0] })
      }
      out += "| \(safe.joined(separator: " | ")) |\n"
    }
    return out
  }

  /// A number as text, without ".0" if it is whole.
  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Wraps `text` to 80 columns with an indent of four spaces.
  private static func wrapped(_ text: String) -> String {
    var out = ""
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, 4 + line.count + 1 + word.count > 80 {
        out += "    \(line)\n"
        line = ""
      }
      line += line.isEmpty ? "\(word)" : " \(word)"
    }
    return out + "    \(line)\n"
  }
}

extension Declaration {
  /// The setting with its default value, for listings.
  fileprivate var atDefault: Settings.Shown {
    Settings.Shown(key: key, value: defaultText, origin: .builtIn)
  }
}
