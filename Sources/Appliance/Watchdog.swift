// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides whether OnAir sends its keep-alive to systemd's watchdog: only while no part of the program hangs. Reads no
/// clock: the time is passed in.
struct Watchdog {
  /// A part of the program. `isAlive` returns whether the threads of the part work at the given time.
  typealias Part = (name: String, isAlive: (MediaTime) -> Bool)

  /// The parts of the program that are checked.
  private let parts: [Part]
  /// Whether a part hangs, so that no keep-alive may be sent.
  private(set) var hasHangingPart = false

  init(_ parts: [Part]) { self.parts = parts }

  /// Checks all parts.
  /// - Returns: the names of the parts that hang, only at the first check that finds any; else `nil`.
  mutating func check(_ now: MediaTime) -> String? {
    // Ask every part, even after one that hangs: some parts begin their next self-check when they are asked.
    let hanging = parts.filter { !$0.isAlive(now) }.map(\.name)
    defer { hasHangingPart = !hanging.isEmpty }
    return hanging.isEmpty || hasHangingPart ? nil : hanging.joined(separator: ", ")
  }
}
