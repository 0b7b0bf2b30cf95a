// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// What is wired to the board.
public struct PanelPlan: Sendable, Equatable {
  /// What holds an input where nothing drives it.
  public enum Bias: Sendable {
    case pullUp, pullDown, none
    /// As the board has it.
    case asIs
  }

  /// What a second button does.
  public enum SecondTask: Sendable {
    /// Mutes, and the next time unmutes.
    case mute
    case reconnect
  }

  public var mainButton: LineAddress?
  public var secondButton: LineAddress?
  public var secondTask: SecondTask
  /// A pressed button is low: it connects its line to ground.
  public var buttonsAreActiveLow: Bool
  public var buttonBias: Bias
  /// How long a level must last to count, in nanoseconds.
  public var debounceNanos: Int64
  /// A lamp of any colour.
  public var lamp: LineAddress?
  public var colouredLamps: [LampPattern.Primary: LineAddress] = [:]
  public var lampsAreActiveLow: Bool
  public var buzzer: LineAddress?
  public var buzzerIsActiveLow: Bool

  /// A panel with nothing wired yet.
  public init(
    secondTask: SecondTask, buttonsAreActiveLow: Bool, buttonBias: Bias, debounceNanos: Int64,
    lampsAreActiveLow: Bool, buzzerIsActiveLow: Bool
  ) {
    self.secondTask = secondTask
    self.buttonsAreActiveLow = buttonsAreActiveLow
    self.buttonBias = buttonBias
    self.debounceNanos = debounceNanos
    self.lampsAreActiveLow = lampsAreActiveLow
    self.buzzerIsActiveLow = buzzerIsActiveLow
  }

  /// Every line of it, and what it is for.
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

  /// Whether nothing is wired at all.
  public var isEmpty: Bool { parts.isEmpty }

  /// What is wrong with its lines, as sentences, as far as it shows without taking them.
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

/// A thing on the panel.
public enum PanelPart: Hashable, Sendable {
  case mainButton, secondButton
  case lamp
  case colouredLamp(LampPattern.Primary)
  case buzzer

  /// For a sentence.
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

/// What a person should know of the panel.
public enum PanelEvent: Sendable, Equatable {
  /// Their lines do not work, all for the same reason; they are tried again for ever.
  case lost([PanelPart], LineError)
  /// It works after all.
  case recovered(PanelPart)
  /// It was down when the box first looked, and is ignored until it is released.
  case downAtStart(PanelPart)
  /// It has been down for too long.
  case stuck(PanelPart)
  case released(PanelPart)
  /// The page's password is to be forgotten.
  case resetPassword
}
