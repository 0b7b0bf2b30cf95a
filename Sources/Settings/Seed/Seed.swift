// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What a person who has only the card gives a box: a settings file with the Wi-Fi and the page's password besides.
public struct Seed: Sendable {
  /// In the state directory: the file as it was taken, without its secrets. It stays at a factory reset, so that the card's
  /// file is not taken once more.
  public static let takenName = "seed.toml"
  public static let fileName = "onair.toml"
  /// Bytes of the file at most.
  public static let longest = Document.longest

  /// The settings to set at run time. What was emptied once it had been taken is not among them.
  public let change: SettingsPatch
  /// `nil` if the file names none.
  public let wifi: SeedWiFi?
  /// The page's; not set if it stays as it is.
  public let password: Secret
  /// The file with each secret emptied. It has as many bytes, so that writing it over the file leaves no secret in
  /// another part of the card.
  public let emptied: [UInt8]
  private let places: [String: Problem.Place]

  /// The settings that a seed file has besides all others.
  public static let declarations: [Declaration] = {
    var form = Form()
    _ = (SeedWiFi(&form), SeedPassword(&form))
    return form.declarations
  }()

  /// Reads and checks a file.
  /// - Throws: `.invalid` with all mistakes.
  public init(_ bytes: [UInt8]) throws(ConfigurationError) {
    let document = Document(bytes)
    var form = Form()
    form.isPart = true
    for leaf in document.leaves {
      form.take(leaf.path, leaf.raw, at: .file(Self.fileName, leaf.position), from: .runTime)
    }
    for fault in document.faults {
      form.report(nil, fault.sentence, at: .file(Self.fileName, fault.position))
      form.isPartial = true
    }
    let wifi = SeedWiFi(&form)
    let password = SeedPassword(&form)
    // It knows the settings above, since the form has them.
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
      let isSecret = secrets.contains(key) || leaf.raw.asText.map(Self.holdsKey) ?? false
      if isSecret, leaf.raw.asText?.isEmpty == false, !text.emptyText(at: leaf.position) {
        form.report(key, "must be in one line: NAME = \"TEXT\"", at: place)
      }
      // An address or a key that was emptied stays as it was taken.
      let isEmptied =
        leaf.raw.asText == ""
        && (secrets.contains(key) || Settings.declaration(of: key)?.isAddress == true)
      if !own.contains(key), !isEmptied, !leaf.isName { values[key] = leaf.raw.value }
    }
    form.sortProblems()
    guard form.problems.isEmpty else { throw .invalid(form.problems) }
    self.wifi = wifi.ssid.isEmpty ? nil : wifi
    self.password = password.value
    self.places = places
    change = SettingsPatch(values)
    emptied = PlainText(bytes).encoded(text.bytes)
  }

  /// Whether it is an address with the stream key in it.
  private static func holdsKey(_ text: String) -> Bool {
    guard let url = try? RTMPURL(text) else { return false }
    return url.query != nil || RTMPAddress(url, key: Secret()) != nil
  }

  /// Whether a file was being written over with `emptied` when the power was cut: it differs only where secrets were.
  public static func isHalfEmptied(_ bytes: [UInt8], _ emptied: [UInt8]) -> Bool {
    guard bytes.count == emptied.count else { return false }
    let encoding = PlainText(emptied)
    let (old, new) = (encoding.units(of: bytes), encoding.units(of: emptied))
    return old.indices.allSatisfy {
      old[$0] == new[$0] || new[$0] == UInt8(ascii: " ")
        || $0 > 0 && "\"'".utf16.contains(new[$0]) && new[$0] == new[$0 - 1]
    }
  }

  /// A problem of a change, where the file says it.
  public func placed(_ problem: Problem) -> Problem {
    guard case .change = problem.place, let place = problem.key.flatMap({ places[$0] }) else {
      return problem
    }
    return Problem(
      place: place, key: problem.key, sentence: problem.sentence, code: problem.code,
      other: problem.other)
  }
}
