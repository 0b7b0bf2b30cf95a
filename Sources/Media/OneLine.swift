// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension StringProtocol {
  /// On one line, and with a space for whatever would steer a terminal or turn the direction that it is
  /// read in: devices, servers and files are named by strangers.
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
