// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// What the lamp does from moment to moment: its pattern, interrupted by a blink that answers a press. Pure.
public struct Lamp: Sendable {
  /// Three quick flashes, in milliseconds lit and dark: the answer to a press that has no other effect.
  static let blink = [60, 90, 60, 90, 60, 340]

  /// What it tells about a button that is held from the box's start on. It comes before all else.
  public enum Hold: Equatable, Sendable {
    /// Blinking fast: held on, everything will be forgotten.
    case warns
    /// Steady: everything is forgotten when the button is released now.
    case resets
  }

  /// Half a period of the warning, in milliseconds.
  static let warningBeat = 100

  public private(set) var pattern: LampPattern
  private var since: Duration
  private var blinkSince: Duration?
  private var hold: (Hold, since: Duration)?

  public init(_ pattern: LampPattern, at now: Duration) {
    self.pattern = pattern
    since = now
  }

  /// Changes the pattern. The present pattern is not restarted.
  public mutating func show(_ pattern: LampPattern, at now: Duration) {
    guard pattern != self.pattern else { return }
    self.pattern = pattern
    since = now
  }

  /// Answers a press.
  public mutating func blink(at now: Duration) { blinkSince = now }

  /// Shows what a held button will do, or ends that.
  public mutating func show(_ hold: Hold?, at now: Duration) { self.hold = hold.map { ($0, now) } }

  /// The colour that is lit (`nil` for dark), and when that changes (`nil` for never).
  public func state(at now: Duration) -> (lit: LampPattern.Colour?, until: Duration?) {
    if let (hold, since) = hold {
      guard hold == .warns else { return (.white, nil) }
      let beats = Int((now - since) / .milliseconds(Lamp.warningBeat))
      return (
        beats.isMultiple(of: 2) ? .white : nil,
        since + .milliseconds((beats + 1) * Lamp.warningBeat)
      )
    }
    if let blinkSince {
      var end = blinkSince
      for (index, length) in Lamp.blink.enumerated() {
        end += .milliseconds(length)
        if now < end { return (index.isMultiple(of: 2) ? .white : nil, end) }
      }
    }
    let elapsed = now - since
    return (
      pattern.isLit(after: elapsed) ? pattern.colour : nil,
      pattern.change(after: elapsed).map { now + $0 }
    )
  }
}

/// What the buzzer does: one chirp at a press, three tones when something goes wrong. Pure.
public struct Buzzer: Sendable {
  public enum Call: Sendable {
    case press, alarm

    /// Milliseconds of tone and of silence in turn.
    var beats: [Int] {
      switch self {
      case .press: [40]
      case .alarm: [150, 120, 150, 120, 150]
      }
    }
  }

  private var call: (Call, since: Duration)?

  public init() {}

  public mutating func sound(_ call: Call, at now: Duration) { self.call = (call, now) }

  /// Whether it sounds, and when that changes (`nil` for never).
  public func state(at now: Duration) -> (sounds: Bool, until: Duration?) {
    guard let (call, since) = call else { return (false, nil) }
    var end = since
    for (index, length) in call.beats.enumerated() {
      end += .milliseconds(length)
      if now < end { return (index.isMultiple(of: 2), end) }
    }
    return (false, nil)
  }
}

extension LampPattern {
  /// A person should look at the box; the buzzer sounds.
  public var needsAttention: Bool {
    switch self {
    case .offAir, .watched, .starting, .live, .unconfirmed, .paused, .weak: false
    case .reconnecting, .noCamera, .fault: true
    }
  }

  /// A single-colour lamp, from which the colours are mixed.
  public enum Primary: String, Sendable, CaseIterable {
    case red, green, blue
  }
}

extension LampPattern.Colour {
  /// The lamps to light when only some of the board's lamps work. If only the green part of another colour is left,
  /// other working lamps are lit instead, or none: green alone must not be shown for another colour.
  public func mix(
    of lamps: Set<LampPattern.Primary>, working: Set<LampPattern.Primary>
  ) -> Set<LampPattern.Primary> {
    let left = mix(of: lamps).intersection(working)
    guard left == [.green], self != .green, lamps != [.green] else { return left }
    return working.subtracting([.green])
  }

  /// The lamps to light on a board that has `lamps`. When the board cannot show the colour, all of its lamps are
  /// lit: the rhythm alone tells the pattern.
  public func mix(of lamps: Set<LampPattern.Primary>) -> Set<LampPattern.Primary> {
    let parts: Set<LampPattern.Primary> =
      switch self {
      case .green: [.green]
      case .yellow: [.red, .green]
      case .red: [.red]
      case .blue: [.blue]
      case .white: [.red, .green, .blue]
      }
    let mix = parts.intersection(lamps)
    return mix.isEmpty || mix == [.green] && self != .green ? lamps : mix
  }
}
