// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// The contents of a seed file, which a person puts on the memory card of a box to set it up. It is a settings file
/// that may also contain a Wi-Fi and the page's password.
public struct Seed: Sendable {
  /// The name of the file in the state directory that is a copy, without secrets, of the last seed file that was
  /// applied. A factory reset keeps the copy, so that the same seed file is not applied again.
  public static let appliedName = "seed.toml"
  /// The name of the seed file on the card.
  public static let fileName = "onair.toml"
  /// Maximum size of a seed file in bytes.
  public static let maxBytes = Document.maxBytes

  /// The settings to set at run time. Addresses and secrets that are empty in the file are left out: OnAir emptied them
  /// after it had applied them.
  public let change: SettingsPatch
  /// The Wi-Fi that the box joins; `nil` if the file names none.
  public let wifi: SeedWiFi?
  /// The new password of the page; empty if the password stays as it is.
  public let password: Secret
  /// The seed file with each secret emptied. It has as many bytes as the original, so that overwriting the file in
  /// place leaves no secret in another part of the card.
  public let emptied: [UInt8]
  /// The place of each value in the seed file, by key.
  private let places: [String: Problem.Place]

  /// The declarations of the settings that only a seed file has.
  public static let declarations: [Declaration] = {
    var form = Form()
    _ = (SeedWiFi(&form), SeedPassword(&form))
    return form.declarations
  }()

  /// Parses and checks a seed file.
  /// - Throws: `.invalid` with all mistakes.
  public init(_ bytes: [UInt8]) throws(ConfigurationError) {
    let document = Document(bytes)
    var form = Form()
    form.hasOnlySomeSettings = true
    for leaf in document.leaves {
      form.add(leaf.path, leaf.raw, at: .file(Self.fileName, leaf.position), from: .runTime)
    }
    for fault in document.faults {
      form.report(nil, fault.sentence, at: .file(Self.fileName, fault.position))
      form.hasSyntaxErrors = true
    }
    let wifi = SeedWiFi(&form)
    let password = SeedPassword(&form)
    // Declare the other settings last: the form has the declarations of the seed file already, so it does not report
    // their keys as unknown.
    _ = Settings(&form)
    let secrets = Set(form.declarations.filter(\.isSecret).map(\.key))
    let own = Set(Self.declarations.map(\.key))
    var text = DocumentText(bytes)
    var values: [String: SettingsPatch.Value?] = [:]
    var places: [String: Problem.Place] = [:]
    for leaf in document.leaves {
      let key = leaf.path.joined(separator: ".")
      let place = Problem.Place.file(Self.fileName, leaf.position)
      places[key] = place
      let isAddress = Settings.declaration(of: key)?.isAddress == true
      let isSecret =
        secrets.contains(key) || leaf.raw.asText.map(Self.holdsKey) ?? false
        // The address is not shown as it was written: it may hold a password.
        || isAddress && form.texts[key] != leaf.raw.asText.map(quoted)
      if isSecret, leaf.raw.asText?.isEmpty == false, !text.clearQuotedText(at: leaf.position) {
        form.report(key, "must be in one line: NAME = \"TEXT\"", at: place)
      }
      // Whether OnAir emptied this address or secret in the file after it had applied the value. If so, the value that
      // the box already has stays.
      let isEmptied =
        leaf.raw.asText == "" && (secrets.contains(key) || isAddress)
      if !own.contains(key), !isEmptied, !leaf.isEntryName { values[key] = leaf.raw.value }
    }
    form.sortProblems()
    guard form.problems.isEmpty else { throw .invalid(form.problems) }
    self.wifi = wifi.ssid.isEmpty ? nil : wifi
    self.password = password.value
    self.places = places
    change = SettingsPatch(values)
    emptied = PlainText(bytes).encoded(text.bytes)
  }

  /// Whether `text` is an RTMP URL that contains a stream key or a query.
  private static func holdsKey(_ text: String) -> Bool {
    guard let url = try? RTMPURL(text) else { return false }
    return url.query != nil || RTMPAddress(url, key: Secret()) != nil
  }

  /// Whether `bytes` can be a file that was being overwritten with `emptied` when the power was cut: the two differ
  /// only where secrets were.
  public static func isHalfEmptied(_ bytes: [UInt8], _ emptied: [UInt8]) -> Bool {
    guard bytes.count == emptied.count else { return false }
    let encoding = PlainText(emptied)
    let (old, new) = (encoding.units(of: bytes), encoding.units(of: emptied))
    return old.indices.allSatisfy {
      old[$0] == new[$0] || new[$0] == UInt8(ascii: " ")
        || $0 > 0 && "\"'".utf16.contains(new[$0]) && new[$0] == new[$0 - 1]
    }
  }

  /// Returns a problem of `change` with its position in the seed file, and any other problem unchanged.
  public func withPosition(_ problem: Problem) -> Problem {
    guard case .change = problem.place, let place = problem.key.flatMap({ places[$0] }) else {
      return problem
    }
    return Problem(
      place: place, key: problem.key, sentence: problem.sentence, code: problem.code,
      other: problem.other)
  }
}
