// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What a second button does.
public enum ButtonTask: String, Sendable, CaseIterable {
  /// Mutes the microphone; the next press unmutes it.
  case mute
  case reconnect
}

/// The resistor that holds a GPIO input while nothing drives it.
public enum LineBias: String, Sendable, CaseIterable {
  case pullUp = "pull-up"
  case pullDown = "pull-down"
  case none
  /// As the board has set it.
  case asIs = "as-is"
}

/// A GPIO line: its chip, and its name or number on that chip.
public struct LineAddress: Hashable, Sendable, CustomStringConvertible {
  public enum Line: Hashable, Sendable {
    /// The board's name for it: "GPIO17".
    case name(String)
    /// Its number on the chip, from 0.
    case offset(Int)
  }

  /// The chip's label ("pinctrl-bcm2711"), name ("gpiochip0") or path; `nil` for any chip that has the line.
  public var chip: String?
  public var line: Line

  public init(chip: String?, line: Line) {
    self.chip = chip
    self.line = line
  }

  public var description: String {
    let line =
      switch self.line {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    return chip.map { "\($0):\(line)" } ?? line
  }
}
