// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides whether systemd's watchdog is fed: only while every part's threads go around. Pure: the time is passed in.
struct Watchdog {
  typealias Part = (name: String, isAlive: (MediaTime) -> Bool)

  private let parts: [Part]
  /// Not to be fed: a part hangs.
  private(set) var isHungry = false

  init(_ parts: [Part]) { self.parts = parts }

  /// Looks at every part.
  /// - Returns: the names of those that hang, once.
  mutating func look(_ now: MediaTime) -> String? {
    // All are asked, since asking keeps some of them going.
    let hanging = parts.filter { !$0.isAlive(now) }.map(\.name)
    defer { isHungry = !hanging.isEmpty }
    return hanging.isEmpty || isHungry ? nil : hanging.joined(separator: ", ")
  }
}
