// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
  /// Whether the text contains characters that are not visible. Such characters can make two different names look
  /// alike, or change the order in which a name is displayed. Hidden characters are control characters, U+FFFD (which
  /// stands for bytes that are not text), and the Default_Ignorable_Code_Points of Unicode (UAX #44). Joiners and
  /// variation selectors are accepted where Persian, Indian scripts and emoji need them.
  var hasHiddenCharacters: Bool {
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      defer { previous = scalar }
      if isControl(scalar) || scalar.value == 0xFFFD { return true }
      guard scalar.properties.isDefaultIgnorableCodePoint else { continue }
      guard let previous else { return true }
      switch scalar.value {
      case 0x200C, 0x200D:
        let isAfterSelector = (0xFE00...0xFE0F).contains(previous.value)
        if previous.isASCII || previous.properties.isDefaultIgnorableCodePoint && !isAfterSelector {
          return true
        }
      case 0xFE00...0xFE0F:
        let isKeycap = "0123456789#*".unicodeScalars.contains(previous)
        if previous.isASCII && !isKeycap || previous.properties.isDefaultIgnorableCodePoint {
          return true
        }
      default: return true
      }
    }
    return previous.map { $0.value == 0x200C || $0.value == 0x200D } ?? false
  }
}
