// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A position in a text file. Lines and columns start at 1. A column is a Unicode scalar.
public struct Position: Sendable, Equatable, Comparable {
  public let line: Int
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (a: Position, b: Position) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  static let start = Position(line: 1, column: 1)
}

/// A mistake in the configuration, as a sentence that tells the user what to do.
///
/// It never contains a value: under a misspelt key there may be a secret.
public struct Problem: Sendable, Equatable, CustomStringConvertible {
  public enum Place: Sendable, Equatable {
    /// A file and the position of the key in it.
    case file(String, Position)
    /// A file without a position, for instance if it cannot be read.
    case wholeFile(String)
    /// `--set` on the command line.
    case commandLine
    /// A change at run time.
    case change
    /// Neither of them: the value is a default.
    case builtIn
  }

  public let place: Place
  /// The key of the setting ("video.size"); nil if the problem is not about a setting.
  public let key: String?
  /// What is wrong and what is allowed.
  public let sentence: String
  /// What is wrong, for programs.
  public let code: Code
  /// The key of another setting that has to do with it.
  public let other: String?

  public init(
    place: Place, key: String?, sentence: String, code: Code = .other, other: String? = nil
  ) {
    self.place = place
    self.key = key
    self.sentence = sentence
    self.code = code
    self.other = other
  }

  /// "onair.toml:4:11" if it is in a file.
  public var fileText: String? {
    switch place {
    case .file(let name, let position): "\(printable(name)):\(position.line):\(position.column)"
    case .wholeFile(let name): printable(name)
    case .commandLine, .builtIn, .change: nil
    }
  }

  /// `FILE:LINE:COL: key: sentence`, `FILE: sentence` or `--set key: sentence`.
  public var description: String {
    let about = key.map { "\($0): " } ?? ""
    return switch place {
    case .file(let name, let position):
      "\(printable(name)):\(position.line):\(position.column): \(about)\(sentence)"
    case .wholeFile(let name): "\(printable(name)): \(about)\(sentence)"
    case .commandLine: key == nil ? "--set: \(sentence)" : "--set \(about)\(sentence)"
    case .builtIn, .change: "\(about)\(sentence)"
    }
  }
}

extension Problem {
  /// What is wrong, for programs, such as the page, which says it in its own words. The names are a contract.
  public enum Code: String, Sendable, CaseIterable {
    /// Only the sentence tells.
    case other
    /// The value is not allowed; the declaration of the setting says which ones are.
    case notAllowed = "not_allowed"
    case unknownSetting = "unknown_setting"
    /// The value does not go with that of the setting `other`.
    case conflict
    /// Two settings have the same GPIO line; `other` is the first.
    case sameLine = "same_line"
    /// A GPIO line is given by its number, without its chip.
    case chipMissing = "chip_missing"
    /// It can be set only on the box: in the settings file, or by the command line.
    case boxOnly = "box_only"
    /// From elsewhere than the box it can name only a file of the media folder.
    case mediaOnly = "media_only"
    /// The command line of OnAir gives it a value.
    case overridden
    /// A file that it names cannot be used.
    case unfitFile = "unfit_file"

    case addressTooLong = "address_too_long"
    /// A space, or a character that an address cannot have.
    case addressCharacters = "address_characters"
    /// Neither rtmp:// nor rtmps://.
    case addressScheme = "address_scheme"
    case addressPassword = "address_password"
    case addressHost = "address_host"
    case addressPort = "address_port"
    /// Nothing after the host, or an empty part of the path.
    case addressPath = "address_path"
    /// The address of an example.
    case addressExample = "address_example"
    case addressMissing = "address_missing"
    /// The setting or relay `other` sends to this address with this key already.
    case sameStream = "same_stream"

    case keyTooLong = "key_too_long"
    case passwordTooLong = "password_too_long"
    case keyCharacters = "key_characters"
    case keyMissing = "key_missing"
    /// The address changes to another server, and the present key is that of the one before.
    case keyOfOtherServer = "key_of_other_server"
    case passwordOfOtherServer = "password_of_other_server"
    /// A key can be unset only together with its address.
    case keyBelongsToAddress = "key_belongs_to_address"

    case relayName = "relay_name"
    case relayNameTaken = "relay_name_taken"
    case tooManyRelays = "too_many_relays"
  }
}

extension Problem {
  /// For somebody who has the file in an editor: "Line 4, column 11: key: sentence."
  public var plain: String {
    let end = sentence.hasSuffix("?") ? "" : "."
    guard case .file(_, let position) = place else { return "\(description)\(end)" }
    let about = key.map { "\($0): " } ?? ""
    return "Line \(position.line), column \(position.column): \(about)\(sentence)\(end)"
  }
}

/// Why the configuration could not be loaded.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The settings file is missing or cannot be read.
  case noSuchFile(Problem)
  /// All problems: those of the file by position, then those of the command line, then all others.
  case invalid([Problem])

  /// EX_NOINPUT (66) or EX_CONFIG (78) of sysexits.h.
  public var exitCode: Int32 {
    switch self {
    case .noSuchFile: 66
    case .invalid: 78
    }
  }

  /// Never empty.
  public var problems: [Problem] {
    switch self {
    case .noSuchFile(let problem): [problem]
    case .invalid(let problems): problems
    }
  }

  /// All problems, one per line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// `name` without control characters: a file name may contain everything except "/" and NUL.
private func printable(_ name: String) -> String {
  var shown = ""
  for scalar in name.unicodeScalars {
    shown.unicodeScalars.append(isControl(scalar) ? "?" : scalar)
  }
  return shown
}

/// Whether `scalar` is C0, DEL, C1, or a Unicode line or paragraph separator: terminals and logs may break lines there.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
  default: false
  }
}
