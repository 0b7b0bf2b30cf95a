// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// The state of the lamp: its pattern, which a blink interrupts to answer a press of a button. Reads no clock and does
/// no I/O: times are passed in, as durations since the panel's start.
public struct Lamp: Sendable {
  /// The blink that answers a press which has no other effect: three quick flashes, as alternating lit and dark times
  /// in milliseconds.
  static let blink = [60, 90, 60, 90, 60, 340]

  /// What the lamp shows about the factory reset while the main button has been held since the box was switched on. It
  /// takes precedence over a blink and over the pattern.
  public enum Hold: Equatable, Sendable {
    /// Fast blinking: if the button is held longer, its release will reset the box to its factory state.
    case warns
    /// Steady light: releasing the button now resets the box to its factory state.
    case resets
  }

  /// How long the lamp is lit, and how long it is dark, in the fast blinking of `Hold.warns`, in milliseconds.
  static let warningBeat = 100

  /// The present pattern. A blink or `hold` takes precedence over it.
  public private(set) var pattern: LampPattern
  /// When the present pattern began.
  private var since: Duration
  /// When the last blink began; `nil` before the first one.
  private var blinkSince: Duration?
  /// What the lamp shows about the factory reset, and since when; `nil` while the lamp shows a blink or its pattern.
  private var hold: (Hold, since: Duration)?

  public init(_ pattern: LampPattern, at now: Duration) {
    self.pattern = pattern
    since = now
  }

  /// Changes the pattern. If `pattern` is already the present one, its rhythm goes on without a restart.
  public mutating func show(_ pattern: LampPattern, at now: Duration) {
    guard pattern != self.pattern else { return }
    self.pattern = pattern
    since = now
  }

  /// Starts a blink, which answers a press of a button.
  public mutating func blink(at now: Duration) { blinkSince = now }

  /// Shows what releasing the held button would do; with `nil` the lamp shows its pattern again.
  public mutating func show(_ hold: Hold?, at now: Duration) { self.hold = hold.map { ($0, now) } }

  /// The colour in which the lamp is lit at `now` (`nil` while it is dark), and when that changes next (`nil` for
  /// never).
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
      pattern.nextChange(after: elapsed).map { now + $0 }
    )
  }
}

/// The state of the buzzer: one chirp for a press of a button, three tones if something goes wrong. Reads no clock and
/// does no I/O: times are passed in, as durations since the panel's start.
public struct Buzzer: Sendable {
  /// A signal that the buzzer gives.
  public enum Signal: Sendable {
    case press, alarm

    /// The alternating times of tone and silence in milliseconds, starting with a tone.
    var beats: [Int] {
      switch self {
      case .press: [40]
      case .alarm: [150, 120, 150, 120, 150]
      }
    }
  }

  /// The last signal, and when it began; `nil` before the first one.
  private var signal: (Signal, since: Duration)?

  public init() {}

  /// Starts a signal, which replaces one that is still sounding.
  public mutating func sound(_ signal: Signal, at now: Duration) { self.signal = (signal, now) }

  /// Whether the buzzer sounds at `now`, and when that changes next (`nil` for never).
  public func state(at now: Duration) -> (sounds: Bool, until: Duration?) {
    guard let (signal, since) = signal else { return (false, nil) }
    var end = since
    for (index, length) in signal.beats.enumerated() {
      end += .milliseconds(length)
      if now < end { return (index.isMultiple(of: 2), end) }
    }
    return (false, nil)
  }
}

extension LampPattern {
  /// Whether the pattern means that a person should look at the box. The buzzer sounds when such a pattern begins.
  public var needsAttention: Bool {
    switch self {
    case .offAir, .watched, .recording, .starting, .live, .ending, .unconfirmed, .paused, .weak:
      false
    case .reconnecting, .noCamera, .fault: true
    }
  }

  /// The colour of a single-colour lamp. Other colours are mixed from several such lamps.
  public enum Primary: String, Sendable, CaseIterable {
    case red, green, blue
  }
}

extension LampPattern.Colour {
  /// The lamps to light for this colour if only some of the board's lamps work. If only the green lamp would be lit for
  /// a colour that is not green, the other working lamps are lit instead, or none: green alone must never stand for
  /// another colour.
  /// - Parameters:
  ///   - lamps: the lamps that the board has.
  ///   - working: the lamps that work.
  public func mix(
    of lamps: Set<LampPattern.Primary>, working: Set<LampPattern.Primary>
  ) -> Set<LampPattern.Primary> {
    let left = mix(of: lamps).intersection(working)
    guard left == [.green], self != .green, lamps != [.green] else { return left }
    return working.subtracting([.green])
  }

  /// The lamps to light for this colour on a board that has `lamps`. If the board cannot show the colour, all of its
  /// lamps are lit: the rhythm alone then shows the pattern.
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
