// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Director

/// The GPIO lines of buttons, lamps and buzzer.
public struct PanelLines: Sendable, Equatable {
  public var mainButton: LineAddress?
  public var secondButton: LineAddress?
  public var secondTask: ButtonTask
  /// A pressed button connects its line to ground.
  public var buttonsAreActiveLow: Bool
  public var buttonBias: LineBias
  /// How long a level must last to count.
  public var debounceNanos: Int64
  /// A lamp of any single colour: it shows the rhythm.
  public var lamp: LineAddress?
  public var colouredLamps: [LampPattern.Primary: LineAddress] = [:]
  public var lampsAreActiveLow: Bool
  public var buzzer: LineAddress?
  public var buzzerIsActiveLow: Bool

  /// A panel without any line.
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

  /// The parts that have a line.
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

  /// Nothing is wired.
  public var isEmpty: Bool { parts.isEmpty }

  /// A sentence for each line that does not exist. Whether a line is in use shows only when it is opened.
  public var missing: [String] {
    guard !isEmpty else { return [] }
    return missing(in: GPIOChipDescription.all())
  }

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

/// A part of the panel.
public enum PanelPart: Hashable, Sendable {
  case mainButton, secondButton
  case lamp
  case colouredLamp(LampPattern.Primary)
  case buzzer

  /// Its name in sentences and in the events' `subject`.
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

/// What the panel reports.
public enum PanelEvent: Sendable, Equatable {
  /// The lines of these parts do not work, all for the same reason. They are opened again every 5 s.
  case lost([PanelPart], LineError)
  /// The line of a lost part works again.
  case recovered(PanelPart)
  /// A button is down at the start; it does nothing until it is released.
  case downAtStart(PanelPart)
  /// The main button was held for 10 s: the page's password is to be forgotten.
  case heldForReset
  /// The main button was held from the box's start on for 20 s: everything is to be forgotten.
  case heldForFactoryReset
  /// A button has been down for 30 s; it does nothing until it is released.
  case stuck(PanelPart)
  /// A button that was stuck, or down at the start, is up and works.
  case released(PanelPart)
}
