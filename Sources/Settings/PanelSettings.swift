// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[panel]`: buttons, lamps and a buzzer on GPIO lines.
public struct PanelSettings: Sendable, Equatable {
  /// The chip of the lines that name none; empty for whichever has a line of that name.
  public let chip: String
  /// nil where there is none.
  public let button: LineName?
  public let secondButton: LineName?
  /// What the second button does.
  public let secondTask: ButtonTask
  /// A pressed button is low.
  public let buttonsActiveLow: Bool
  /// What holds a button's line while it is not pressed.
  public let buttonsBias: LineBias
  /// Milliseconds that a level must last to count, 1 to 100.
  public let debounceMs: Int
  /// A lamp of any colour.
  public let lamp: LineName?
  public let lampRed: LineName?
  public let lampGreen: LineName?
  public let lampBlue: LineName?
  /// A lit lamp is low.
  public let lampsActiveLow: Bool
  public let buzzer: LineName?
  /// A sounding buzzer is low.
  public let buzzerActiveLow: Bool

  init(_ form: inout Form) {
    chip = form.value(
      "panel.chip", .name, default: "",
      help: """
        The GPIO chip of the lines below, by its label (pinctrl-bcm2711) or name (gpiochip0); `onair \
        devices` lists them. If it is empty: whichever has a line of that name.
        """)
    let chipIsNamed = !chip.isEmpty
    let chipName = chip
    var taken: [String: String] = [:]
    func line(_ key: String, _ form: inout Form, help: String) -> LineName? {
      let line = form.value(key, .line, default: nil, help: help)
      guard let line else { return nil }
      let place = form.place(of: key)
      if line.chip == nil, !chipIsNamed, line.offset != nil {
        form.report(
          key, "is a number: name its chip in panel.chip, or write CHIP:\(line.line)", at: place)
      }
      // However it is written.
      let whole = "\(line.chip ?? chipName):\(line.line)"
      if let other = taken[whole] {
        form.report(key, "is the line of \(other) already", at: place)
      }
      taken[whole] = key
      return line
    }
    button = line(
      "panel.button", &form,
      help: """
        The line of the main button: its name (GPIO17), its number on panel.chip (17), or either with \
        its own chip (CHIP:17). If it is empty: none.
        """)
    secondButton = line(
      "panel.second_button", &form,
      help: "The line of a second button, which does panel.second_task.")
    secondTask = form.value(
      "panel.second_task", .choice(), default: .mute,
      help: """
        What the second button does when it is pressed: "mute" silences the microphone, and the next \
        time lets it be heard again; "reconnect" makes a new connection to each server.
        """)
    buttonsActiveLow = form.value(
      "panel.buttons_active_low", .flag, default: true,
      help: "Whether a button connects its line to ground; else to the supply voltage.")
    buttonsBias = form.value(
      "panel.buttons_bias", .choice(), default: .pullUp,
      help: """
        The board's own resistor that holds a button's line while it is not pressed; "as-is" leaves it \
        as the board has set it.
        """)
    debounceMs = form.value(
      "panel.debounce_ms", .wholeNumber(1...100), default: 20, unit: "milliseconds",
      help: "How long a button must stay down, or up, to count: contacts bounce.")
    lamp = line("panel.lamp", &form, help: "The line of a lamp of any colour.")
    lampRed = line(
      "panel.lamp_red", &form, help: "The line of a red lamp, or of the red part of an RGB one.")
    lampGreen = line(
      "panel.lamp_green", &form,
      help: "The line of a green lamp, or of the green part of an RGB one.")
    lampBlue = line("panel.lamp_blue", &form, help: "The line of the blue part of an RGB lamp.")
    lampsActiveLow = form.value(
      "panel.lamps_active_low", .flag, default: false,
      help: "Whether a lamp is lit by a low level, as one with a common anode is.")
    buzzer = line(
      "panel.buzzer", &form,
      help: """
        The line of a buzzer, which chirps at a press and sounds three times when something goes wrong. \
        The microphone hears it, too.
        """)
    buzzerActiveLow = form.value(
      "panel.buzzer_active_low", .flag, default: false,
      help: "Whether the buzzer sounds at a low level.")
  }
}

/// A GPIO line as a person names it.
public struct LineName: Hashable, Sendable, CustomStringConvertible {
  /// nil for `panel.chip`.
  public let chip: String?
  /// The board's name for it, or its number on the chip.
  public let line: String

  /// Reads "LINE" or "CHIP:LINE"; nil for what is neither.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, LineName.isName(last) else { return nil }
    chip = parts.count == 2 ? String(parts[0]) : nil
    line = String(last)
    if let chip, !LineName.isName(chip) { return nil }
    // The kernel counts lines with 32 bits.
    if isNumber, UInt32(line) == nil { return nil }
  }

  private var isNumber: Bool { line.utf8.allSatisfy { (48...57).contains($0) } }

  /// The number, if it is one; else `line` is a name.
  public var offset: Int? { isNumber ? Int(line) : nil }

  /// Names have up to 31 bytes (GPIO_MAX_NAME_SIZE of linux/gpio.h); a chip may be given by its path.
  static func isName(_ text: some StringProtocol) -> Bool {
    (1...63).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
  }

  public var description: String { chip.map { "\($0):\(line)" } ?? line }
}

/// What a second button does (`panel.second_task`).
public enum ButtonTask: String, Sendable, CaseIterable {
  case mute, reconnect
}

/// What holds a line that nothing drives (`panel.buttons_bias`).
public enum LineBias: String, Sendable, CaseIterable {
  case pullUp = "pull-up"
  case pullDown = "pull-down"
  case none
  case asIs = "as-is"
}

extension Kind where Value == LineName? {
  /// A GPIO line, or none.
  static var line: Kind {
    .text(
      "a GPIO line as NAME or NUMBER or CHIP:NAME or CHIP:NUMBER, or empty",
      read: { text throws(Refusal) in
        if text.isEmpty { return .some(nil) }
        guard let line = LineName(text) else { return nil }
        return line
      },
      show: { $0.map(\.description) ?? "" })
  }
}

extension Kind where Value == String {
  /// A short name; empty is none.
  static var name: Kind {
    .text(
      "a name of at most 63 bytes, or empty",
      read: { text throws(Refusal) in text.isEmpty || LineName.isName(text) ? text : nil },
      show: { $0 })
  }
}
