// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Foundation

/// Whether tests repeat what takes long as often as they can, and not only a tenth as often (Tests/Nightly/12-full-counts.sh).
package let countsAreFull = ProcessInfo.processInfo.environment["ONAIR_FULL"] != nil

/// How often a test repeats something, given the full count.
package func often(_ fullCount: Int) -> Int { countsAreFull ? fullCount : max(1, fullCount / 10) }
