// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether `word` has the form of a TOML 1.0 value that stands without quotes: true or false, a number,
/// a date or a time. Whether there is such a date, and room for such a number, the parser knows.
func isBareValue(_ word: String) -> Bool {
  if word == "true" || word == "false" { return true }
  return BareForm.isWhole(word) { $0.number() } || BareForm.isWhole(word) { $0.radixNumber() }
    || BareForm.isWhole(word) { $0.date() } || BareForm.isWhole(word) { $0.time() }
}

/// Reads pieces of a value's form from the left; each gives whether its piece was there.
private struct BareForm {
  var rest: ArraySlice<UInt8>

  /// Whether `word` is what `read` reads, and nothing more.
  static func isWhole(_ word: String, _ read: (inout BareForm) -> Bool) -> Bool {
    var form = BareForm(rest: Array(word.utf8)[...])
    return read(&form) && form.rest.isEmpty
  }

  private static let decimal = Array("0123456789".utf8)

  private mutating func one(of letters: some Sequence<UInt8>) -> Bool {
    guard let letter = rest.first, letters.contains(letter) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func one(of letters: String) -> Bool { one(of: letters.utf8) }

  /// Digits with single underscores between them.
  private mutating func digits(_ allowed: [UInt8]) -> Bool {
    guard one(of: allowed) else { return false }
    while true {
      let before = rest
      _ = one(of: "_")
      if !one(of: allowed) {
        rest = before
        return true
      }
    }
  }

  private mutating func digits(exactly count: Int) -> Bool {
    for _ in 0..<count where !one(of: Self.decimal) { return false }
    return true
  }

  /// `-3`, `2_000`, `1.5`, `1e-9`, `+inf`, `nan`; no leading zeros.
  mutating func number() -> Bool {
    _ = one(of: "+-")
    if rest.elementsEqual("inf".utf8) || rest.elementsEqual("nan".utf8) {
      rest = []
      return true
    }
    if !one(of: "0"), !digits(Self.decimal) { return false }
    if one(of: "."), !digits(Self.decimal) { return false }
    if one(of: "eE") {
      _ = one(of: "+-")
      return digits(Self.decimal)
    }
    return true
  }

  /// `0xFF`, `0o17`, `0b1`; no sign.
  mutating func radixNumber() -> Bool {
    guard one(of: "0"), let prefix = rest.popFirst() else { return false }
    return switch prefix {
    case UInt8(ascii: "x"): digits(Array("0123456789abcdefABCDEF".utf8))
    case UInt8(ascii: "o"): digits(Array("01234567".utf8))
    case UInt8(ascii: "b"): digits(Array("01".utf8))
    default: false
    }
  }

  /// `1979-05-27`, and a time after it (RFC 3339).
  mutating func date() -> Bool {
    guard digits(exactly: 4), one(of: "-"), digits(exactly: 2), one(of: "-"), digits(exactly: 2)
    else { return false }
    guard one(of: "Tt ") else { return true }
    guard time() else { return false }
    if one(of: "Zz") { return true }
    return !one(of: "+-") || digits(exactly: 2) && one(of: ":") && digits(exactly: 2)
  }

  /// `07:32:00.5`.
  mutating func time() -> Bool {
    guard digits(exactly: 2), one(of: ":"), digits(exactly: 2), one(of: ":"), digits(exactly: 2)
    else { return false }
    guard one(of: ".") else { return true }
    guard digits(exactly: 1) else { return false }
    while one(of: Self.decimal) {}
    return true
  }
}
