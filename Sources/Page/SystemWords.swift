// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The system's words for an error.
enum SystemWords {
  static func of(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
