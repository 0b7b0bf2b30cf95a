// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A position in a text file. Lines and columns start at 1. A column counts Unicode scalars.
public struct Position: Sendable, Equatable, Comparable {
  /// The number of the line; the first line is 1.
  public let line: Int
  /// The number of the Unicode scalar in the line; the first one is 1.
  public let column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (a: Position, b: Position) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }

  /// The start of a file.
  static let start = Position(line: 1, column: 1)
}

/// A mistake in the configuration, as a sentence that tells the user what to do.
///
/// The sentence never contains a value: the value of a misspelt key may be a secret.
public struct Problem: Sendable, Equatable, CustomStringConvertible {
  /// Where a mistake was made.
  public enum Place: Sendable, Equatable {
    /// A file and the position of the key in it.
    case file(String, Position)
    /// A file without a position, for instance if it cannot be read.
    case wholeFile(String)
    /// `--set` on the command line.
    case commandLine
    /// A change of settings at run time, such as `onair set` or `PATCH /api/settings`.
    case change
    /// The default of the setting, because nobody has given a value.
    case builtIn
  }

  /// Where the value with the mistake was given.
  public let place: Place
  /// The key of the setting ("video.size"); `nil` if the problem is not about a setting.
  public let key: String?
  /// What is wrong and what is allowed, in words that may follow the key.
  public let sentence: String
  /// What is wrong, as a code for programs.
  public let code: Code
  /// The other setting or relay that is involved; `nil` if there is none.
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

  /// The place in a file, for example "onair.toml:4:11"; `nil` if the mistake is not in a file.
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
  /// What is wrong, as a code for programs. The page shows a sentence of its own for each code. The raw values are part
  /// of the API, so they must not change.
  public enum Code: String, Sendable, CaseIterable {
    /// There is no specific code: only the sentence says what is wrong.
    case other
    /// The value is not allowed. The declaration of the setting says which values are.
    case notAllowed = "not_allowed"
    case unknownSetting = "unknown_setting"
    /// The value conflicts with that of the setting whose key is `Problem.other`.
    case conflict
    /// Two settings name the same GPIO line; `Problem.other` is the first of them.
    case sameLine = "same_line"
    /// A GPIO line is given by its number, without its chip.
    case chipMissing = "chip_missing"
    /// The setting can be changed only on the box: in the settings file, or with the command line.
    case boxOnly = "box_only"
    /// A remote client (one that connects over TCP) may set this setting only to a file of the media folder.
    case mediaOnly = "media_only"
    /// A `--set` argument of the running OnAir gives the setting a value, which overrides the changed value.
    case overridden
    /// A file that the setting names cannot be used.
    case unfitFile = "unfit_file"

    case addressTooLong = "address_too_long"
    /// The address contains a space, or a character that is not allowed in an address.
    case addressCharacters = "address_characters"
    /// The address begins with neither rtmp:// nor rtmps://.
    case addressScheme = "address_scheme"
    case addressPassword = "address_password"
    case addressHost = "address_host"
    case addressPort = "address_port"
    /// The path of the address has an empty part ("//").
    case addressPath = "address_path"
    /// The host in the address is reserved for examples (RFC 2606), so no server can have it.
    case addressExample = "address_example"
    case addressMissing = "address_missing"
    /// The setting or relay that `Problem.other` names already publishes to this address with this stream key.
    case sameStream = "same_stream"

    case keyTooLong = "key_too_long"
    case passwordTooLong = "password_too_long"
    case keyCharacters = "key_characters"
    case keyMissing = "key_missing"
    /// The address changes to another server, but the present stream key was given for the old server.
    case keyOfOtherServer = "key_of_other_server"
    /// The address changes to another server, but the present password was given for the old server.
    case passwordOfOtherServer = "password_of_other_server"
    /// A stream key was to be unset without the address of its server, which was set at run time, too.
    case keyBelongsToAddress = "key_belongs_to_address"

    case relayName = "relay_name"
    case relayNameTaken = "relay_name_taken"
    case tooManyRelays = "too_many_relays"
    case tooManyScheduled = "too_many_scheduled"
    case tooManyOverlays = "too_many_overlays"
    case tooManyTracks = "too_many_tracks"
    case tooManyFilters = "too_many_filters"

    /// The address of a guest begins with no scheme that a guest can be fetched with.
    case guestAddressScheme = "guest_address_scheme"
    /// A guest has neither an address nor a key.
    case guestWayMissing = "guest_way_missing"
    /// A guest has an address and a key.
    case guestTwoWays = "guest_two_ways"
    /// The guest that `Problem.other` names has the same key.
    case guestKeyTaken = "guest_key_taken"
    /// The guest that `Problem.other` names has the same port for SRT.
    case guestPortTaken = "guest_port_taken"
    /// The key of a guest is shorter than a passphrase of SRT.
    case guestKeyShort = "guest_key_short"
    /// The value names a guest that is not in the settings.
    case noSuchGuest = "no_such_guest"
    /// The value names a layout that is neither a preset nor in the settings.
    case noSuchLayout = "no_such_layout"
    case tooManyGuests = "too_many_guests"
    case tooManyLayouts = "too_many_layouts"
  }
}

extension Problem {
  /// The problem for a person who has the file open in an editor: "Line 4, column 11: key: sentence."
  public var editorText: String {
    let end = sentence.hasSuffix("?") ? "" : "."
    guard case .file(_, let position) = place else { return "\(description)\(end)" }
    let about = key.map { "\($0): " } ?? ""
    return "Line \(position.line), column \(position.column): \(about)\(sentence)\(end)"
  }
}

/// Why the configuration could not be loaded.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The settings file is missing or cannot be read.
  case unreadableFile(Problem)
  /// All problems: first those in files by position, then those of a change of settings at run time, then those on the
  /// command line, then all others.
  case invalid([Problem])

  /// The exit code of the program: EX_NOINPUT (66) or EX_CONFIG (78) of sysexits.h.
  public var exitCode: Int32 {
    switch self {
    case .unreadableFile: 66
    case .invalid: 78
    }
  }

  /// All problems; never empty.
  public var problems: [Problem] {
    switch self {
    case .unreadableFile(let problem): [problem]
    case .invalid(let problems): problems
    }
  }

  /// All problems, one per line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

/// `name` with "?" for each control character: a file name may contain everything except "/" and NUL.
private func printable(_ name: String) -> String {
  var shown = ""
  for scalar in name.unicodeScalars {
    shown.unicodeScalars.append(isControl(scalar) ? "?" : scalar)
  }
  return shown
}

/// Whether `scalar` is a control character (C0, DEL or C1), or a line or paragraph separator of Unicode: terminals and
/// logs may break lines there.
public func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
  default: false
  }
}
