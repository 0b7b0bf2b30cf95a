// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A place in a text file, both counted from 1; columns are Unicode scalars, as TOML counts them.
public struct Position: Sendable, Equatable, Comparable {
  /// 1 is the first.
  public let line: Int
  /// 1 is the first; one more than the line's length is its end.
  public let column: Int

  /// Both are counted from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Whether `a` comes first in the text.
  public static func < (a: Position, b: Position) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  static let start = Position(line: 1, column: 1)
}

/// One thing that is wrong with the configuration, as a sentence a person can act on.
///
/// It never holds anything that was typed as a value: a secret under a misspelt key is still secret.
public struct Problem: Sendable, Equatable, CustomStringConvertible {
  /// Where the wrong thing stands.
  public enum Place: Sendable, Equatable {
    /// A file, with the position of the key in it.
    case file(String, Position)
    /// A file as a whole, which could not be read.
    case wholeFile(String)
    /// `--set` on the command line.
    case commandLine
    /// The built-in defaults; no person wrote this.
    case builtIn
  }

  /// Where the wrong thing stands, so that it can be found and put right.
  public let place: Place
  /// The setting's key ("video.size"), or nil if it is not about one.
  public let key: String?
  /// What is wrong and what is allowed.
  public let sentence: String

  /// `FILE:LINE:COL: key: sentence`, `FILE: sentence` or `--set key: sentence`.
  public var description: String {
    let about = key.map { "\($0): " } ?? ""
    return switch place {
    case .file(let name, let position):
      "\(printable(name)):\(position.line):\(position.column): \(about)\(sentence)"
    case .wholeFile(let name): "\(printable(name)): \(about)\(sentence)"
    case .commandLine: key == nil ? "--set: \(sentence)" : "--set \(about)\(sentence)"
    case .builtIn: "\(about)\(sentence)"
    }
  }
}

/// Why there is no configuration.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file given is not there or cannot be read: sysexits' EX_NOINPUT.
  case noSuchFile(Problem)
  /// Everything that is wrong, in the file's order, then the command line's: sysexits' EX_CONFIG.
  case invalid([Problem])

  /// 66 or 78, see sysexits.h.
  public var exitCode: Int32 {
    switch self {
    case .noSuchFile: 66
    case .invalid: 78
    }
  }

  /// At least one; one line each.
  public var problems: [Problem] {
    switch self {
    case .noSuchFile(let problem): [problem]
    case .invalid(let problems): problems
    }
  }

  /// All problems, one a line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// `name` on one line: a file's name may hold anything but "/" and NUL.
private func printable(_ name: String) -> String {
  var shown = ""
  for scalar in name.unicodeScalars {
    shown.unicodeScalars.append(isControl(scalar) ? "?" : scalar)
  }
  return shown
}

/// C0, DEL, C1, and the line and paragraph separators that a terminal or a log may break a line at.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
  default: false
  }
}
