// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension StringProtocol {
  /// The text with each line break, control character and bidirectional override replaced by a space. For texts from
  /// outside (names of devices, servers and files), which could otherwise control a terminal or forge log lines.
  public var onOneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
            " "
          default: scalar
          }
        }))
  }
}
