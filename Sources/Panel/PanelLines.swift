// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Director

/// The wiring of the panel: the GPIO lines of its buttons, lamps and buzzer, and their electrical settings. A part
/// without a line is `nil`.
public struct PanelLines: Sendable, Equatable {
  /// The line of the main button.
  public var mainButton: LineAddress?
  /// The line of the second button.
  public var secondButton: LineAddress?
  /// What a press of the second button does.
  public var secondTask: ButtonTask
  /// Whether a button is pressed while its line has the low level, since it connects the line to ground.
  public var buttonsAreActiveLow: Bool
  /// The bias of the button lines.
  public var buttonBias: LineBias
  /// The time in nanoseconds for which the level of a button must last to count.
  public var debounceNanos: Int64
  /// The line of a lamp of any single colour, which shows only the rhythm of the lamp's pattern.
  public var lamp: LineAddress?
  /// The lines of the red, green and blue lamps, by lamp colour. Other colours are mixed from these.
  public var colouredLamps: [LampPattern.Primary: LineAddress] = [:]
  /// Whether a low level switches a lamp on.
  public var lampsAreActiveLow: Bool
  /// The line of the buzzer.
  public var buzzer: LineAddress?
  /// Whether a low level switches the buzzer on.
  public var buzzerIsActiveLow: Bool

  /// Creates the wiring of a panel without any line.
  public init(
    secondTask: ButtonTask, buttonsAreActiveLow: Bool, buttonBias: LineBias, debounceNanos: Int64,
    lampsAreActiveLow: Bool, buzzerIsActiveLow: Bool
  ) {
    self.secondTask = secondTask
    self.buttonsAreActiveLow = buttonsAreActiveLow
    self.buttonBias = buttonBias
    self.debounceNanos = debounceNanos
    self.lampsAreActiveLow = lampsAreActiveLow
    self.buzzerIsActiveLow = buzzerIsActiveLow
  }

  /// The parts of the panel that have a line, with the addresses of the lines.
  var parts: [(part: PanelPart, line: LineAddress)] {
    var parts: [(PanelPart, LineAddress)] = []
    if let mainButton { parts.append((.mainButton, mainButton)) }
    if let secondButton { parts.append((.secondButton, secondButton)) }
    if let lamp { parts.append((.lamp, lamp)) }
    for primary in LampPattern.Primary.allCases {
      if let line = colouredLamps[primary] { parts.append((.colouredLamp(primary), line)) }
    }
    if let buzzer { parts.append((.buzzer, buzzer)) }
    return parts
  }

  /// Whether no part of the panel has a line.
  public var isEmpty: Bool { parts.isEmpty }

  /// A sentence for each line that this machine does not have. A line that another program uses is not listed: only
  /// opening the line would show that it is busy.
  public var missing: [String] {
    guard !isEmpty else { return [] }
    return missing(in: GPIOChipDescription.all())
  }

  /// A sentence for each line of the panel that these chips do not have.
  func missing(in chips: [GPIOChipDescription]) -> [String] {
    parts.compactMap { part, line in
      do throws(LineError) {
        _ = try line.find(in: chips)
        return nil
      } catch {
        return "[panel], \(part.name): \(error.sentence)"
      }
    }
  }
}

/// A part of the panel: a button, a lamp or the buzzer.
public enum PanelPart: Hashable, Sendable {
  case mainButton, secondButton
  /// The lamp of a single colour.
  case lamp
  /// One of the lamps from which colours are mixed.
  case colouredLamp(LampPattern.Primary)
  case buzzer

  /// The name of the part in sentences and in the `subject` of events.
  public var name: String {
    switch self {
    case .mainButton: "main button"
    case .secondButton: "second button"
    case .lamp: "lamp"
    case .colouredLamp(let primary): "\(primary.rawValue) lamp"
    case .buzzer: "buzzer"
    }
  }

  var isButton: Bool { self == .mainButton || self == .secondButton }
}

/// An event that the panel reports to the rest of the program.
public enum PanelEvent: Sendable, Equatable {
  /// The lines of these parts do not work, all for the same reason. The panel tries to open them again every 5 s.
  case lost([PanelPart], LineError)
  /// The line of a part works again after it was reported as lost.
  case recovered(PanelPart)
  /// A button was down when its line was opened. It does nothing until it is released.
  case downAtStart(PanelPart)
  /// The main button was held for 10 s and released: the box has to forget the password of the web page.
  case heldForReset
  /// The main button was held for 20 s since the box was switched on, and released: the box has to be reset to its
  /// factory state.
  case heldForFactoryReset
  /// A button has been down for 30 s and counts as stuck. It does nothing until it is released.
  case stuck(PanelPart)
  /// A button that was stuck, or down when its line was opened, has been released and works.
  case released(PanelPart)
}
