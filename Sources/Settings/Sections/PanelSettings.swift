// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// `[panel]`: buttons, lamps and a buzzer on GPIO lines.
public struct PanelSettings: Sendable, Equatable {
  /// The GPIO chip of the lines whose settings name no chip; if empty, such a line is searched for on all chips. The
  /// addresses `button`, `lamp` and so on already contain this chip.
  public let chip: String
  /// The line of the main button; `nil` if there is no such button.
  public let button: LineAddress?
  /// The line of the second button; `nil` if there is no such button.
  public let secondButton: LineAddress?
  /// The task of the second button.
  public let secondTask: ButtonTask
  /// Whether the lines of the buttons are low while a button is pressed.
  public let buttonsActiveLow: Bool
  /// The bias of the buttons' lines: pull-up, pull-down, none, or as the board has set it.
  public let buttonsBias: LineBias
  /// Time in milliseconds, 1 to 100, for which a button must stay pressed or released to count.
  public let debounceMs: Int
  /// The line of a single lamp of any colour; `nil` if there is no such lamp.
  public let lamp: LineAddress?
  /// The line of a red lamp, or of the red part of an RGB lamp; `nil` if there is no such lamp.
  public let lampRed: LineAddress?
  /// The line of a green lamp, or of the green part of an RGB lamp; `nil` if there is no such lamp.
  public let lampGreen: LineAddress?
  /// The line of the blue part of an RGB lamp; `nil` if there is no such lamp.
  public let lampBlue: LineAddress?
  /// Whether a lamp is lit while its line is low.
  public let lampsActiveLow: Bool
  /// Whether the lamp also shows that a relay's server does not take the stream.
  public let lampRelays: Bool
  /// Whether the lamp also shows that something is wrong with the sound.
  public let lampAudio: Bool
  /// The line of the buzzer; `nil` if there is no buzzer.
  public let buzzer: LineAddress?
  /// Whether the buzzer sounds while its line is low.
  public let buzzerActiveLow: Bool

  init(_ form: inout Form) {
    chip = form.value(
      "panel.chip", .chipName, default: "",
      help: """
        The chip of the GPIO lines below; GPIO lines are the pins of the board that buttons and \
        lamps are wired to. Write its label (pinctrl-bcm2711) or its name (gpiochip0), as `onair \
        devices` lists them. If it is empty, OnAir searches all chips for the line's name.
        """)
    let chipName = chip
    var taken: [LineAddress: String] = [:]
    func line(_ key: String, _ form: inout Form, help: String) -> LineAddress? {
      guard var line = form.value(key, .line, default: nil, help: help) else { return nil }
      if line.chip == nil, !chipName.isEmpty {
        line.chip = chipName
        form.values[key] = LineAddress?.some(line)
      }
      let place = form.place(of: key)
      if line.chip == nil, case .offset(let offset) = line.line {
        form.reportConflict(
          key, "is a number: name its chip in panel.chip, or write CHIP:\(offset)", at: place,
          code: .chipMissing)
      }
      if let other = taken[line] {
        form.reportConflict(
          key, "is the same line as \(other)", at: place, code: .sameLine, other: other)
      }
      taken[line] = key
      return line
    }
    button = line(
      "panel.button", &form,
      help: """
        The line of the main button: its name (GPIO17), its number on panel.chip (17), or either \
        with its own chip (CHIP:17). If it is empty, there is no such button.
        """)
    secondButton = line(
      "panel.second_button", &form,
      help: """
        The line of a second button, which does panel.second_task.
        """)
    secondTask = form.value(
      "panel.second_task", .choice(), default: .mute,
      help: """
        What the second button does: "mute" silences the microphone, and the next press lets \
        viewers hear it again; "reconnect" makes a new connection to each server; "extend" lets a \
        scheduled broadcast go on for 15 minutes longer; "mark" sets a mark in the recording; \
        "layout" shows the guests in the next layout.
        """)
    buttonsActiveLow = form.value(
      "panel.buttons_active_low", .flag, default: true,
      help: """
        Whether a pressed button connects its line to ground, and not to the supply voltage.
        """)
    buttonsBias = form.value(
      "panel.buttons_bias", .choice(), default: .pullUp,
      help: """
        The resistor on the board that holds a button's line while it is not pressed. "as-is" \
        leaves it as the board has set it.
        """)
    debounceMs = form.value(
      "panel.debounce_ms", .wholeNumber(1...100), default: 20, unit: "milliseconds",
      help: """
        How long a button must stay pressed or released to count. Contacts bounce: they close \
        and open several times at each press.
        """)
    lamp = line(
      "panel.lamp", &form,
      help: """
        The line of a single lamp of any colour.
        """)
    lampRed = line(
      "panel.lamp_red", &form,
      help: """
        The line of a red lamp, or of the red part of a three-colour (RGB) lamp.
        """)
    lampGreen = line(
      "panel.lamp_green", &form,
      help: """
        The line of a green lamp, or of the green part of a three-colour lamp.
        """)
    lampBlue = line(
      "panel.lamp_blue", &form,
      help: """
        The line of the blue part of a three-colour lamp.
        """)
    lampsActiveLow = form.value(
      "panel.lamps_active_low", .flag, default: false,
      help: """
        Whether a lamp is lit when its line is low, as with a common anode.
        """)
    lampRelays = form.value(
      "panel.lamp_relays", .flag, default: false,
      help: """
        Whether the lamp shows a weak network while a relay's server does not take the stream.
        """)
    lampAudio = form.value(
      "panel.lamp_audio", .flag, default: false,
      help: """
        Whether the lamp shows a weak network, too, while a broadcast is silent, too loud or hums.
        """)
    buzzer = line(
      "panel.buzzer", &form,
      help: """
        The line of a buzzer. It chirps at each press, and sounds three times when something \
        goes wrong. The microphone hears it.
        """)
    buzzerActiveLow = form.value(
      "panel.buzzer_active_low", .flag, default: false,
      help: """
        Whether the buzzer sounds when its line is low.
        """)
  }
}

extension LineAddress {
  /// Parses "LINE" or "CHIP:LINE", where LINE is a name or a number.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let last = parts.last, parts.allSatisfy({ isLineOrChipName($0) }) else { return nil }
    let chip = parts.count == 2 ? String(parts[0]) : nil
    guard last.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
      self.init(chip: chip, line: .name(String(last)))
      return
    }
    // Line offsets have 32 bits in the kernel.
    guard let offset = UInt32(last) else { return nil }
    self.init(chip: chip, line: .offset(Int(offset)))
  }
}

/// Whether `text` can name a GPIO line, or name a chip or give its path. The kernel's names have at most 31 bytes
/// (GPIO_MAX_NAME_SIZE in linux/gpio.h); 63 leave room for a path.
private func isLineOrChipName(_ text: some StringProtocol) -> Bool {
  (1...63).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
}

extension Kind where Value == LineAddress? {
  /// The kind of a setting whose value is the address of a GPIO line; an empty text is `nil`.
  static var line: Kind {
    .text(
      "a GPIO line as NAME or NUMBER or CHIP:NAME or CHIP:NUMBER, or empty",
      read: { text throws(ValueError) in
        if text.isEmpty { return .some(nil) }
        guard let line = LineAddress(text) else { return nil }
        return line
      },
      show: { $0.map(\.description) ?? "" })
  }
}

extension Kind where Value == String {
  /// The kind of a setting whose value is the name or path of a GPIO chip, or empty.
  static var chipName: Kind {
    .text(
      "a name of at most 63 bytes, or empty",
      read: { text throws(ValueError) in text.isEmpty || isLineOrChipName(text) ? text : nil },
      show: { $0 })
  }
}
