// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The task of the second button on the GPIO panel: what a press does.
public enum ButtonTask: String, Sendable, CaseIterable {
  /// Mutes the microphone; the next press unmutes it.
  case mute
  /// Closes the connections to the servers and makes new ones.
  case reconnect
  /// Lets the scheduled broadcast that runs go on for 15 minutes longer.
  case extend
  /// Sets a mark in the recording.
  case mark
  /// Shows camera and guests in the next layout.
  case layout
}

/// The bias of a GPIO input: the resistor that defines its level while nothing drives it.
public enum LineBias: String, Sendable, CaseIterable {
  /// A resistor to the supply voltage: the level is high while nothing drives the input.
  case pullUp = "pull-up"
  /// A resistor to ground: the level is low while nothing drives the input.
  case pullDown = "pull-down"
  /// No resistor: the level is not defined while nothing drives the input.
  case none
  /// Leaves the bias as the board or its firmware has set it.
  case asIs = "as-is"
}

/// The address of a GPIO line in the settings: the chip, and the name or number of the line on that chip.
public struct LineAddress: Hashable, Sendable, CustomStringConvertible {
  /// Identifies a line on its chip.
  public enum Line: Hashable, Sendable {
    /// The name that the board gives the line: "GPIO17".
    case name(String)
    /// The number of the line on its chip, from 0.
    case offset(Int)
  }

  /// The label ("pinctrl-bcm2711"), name ("gpiochip0") or device path of the chip; `nil` to search all chips for the
  /// line.
  public var chip: String?
  /// The name or the number of the line on the chip.
  public var line: Line

  public init(chip: String?, line: Line) {
    self.chip = chip
    self.line = line
  }

  /// The address as settings write it: "gpiochip0:17", or "GPIO17" without a chip.
  public var description: String {
    let line =
      switch self.line {
      case .name(let name): name
      case .offset(let offset): "\(offset)"
      }
    return chip.map { "\($0):\(line)" } ?? line
  }
}
