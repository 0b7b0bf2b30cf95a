// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the lamp does from moment to moment: its pattern, and over that the blink that answers a press. Pure.
public struct Lamp: Sendable {
  /// A press that asks for nothing: three quick flashes.
  static let blink = [60, 90, 60, 90, 60, 340]

  public private(set) var pattern: LampPattern
  private var since: Duration
  private var blinkSince: Duration?

  public init(_ pattern: LampPattern, at now: Duration) {
    self.pattern = pattern
    since = now
  }

  /// Goes over to a pattern; one that is on already goes on.
  public mutating func show(_ pattern: LampPattern, at now: Duration) {
    guard pattern != self.pattern else { return }
    self.pattern = pattern
    since = now
  }

  /// Answers a press.
  public mutating func blink(at now: Duration) { blinkSince = now }

  /// The colour that is lit now, and when that changes; `nil` for dark, or for never.
  public func look(at now: Duration) -> (lit: LampPattern.Colour?, until: Duration?) {
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

/// What the buzzer does: a chirp at a press, three tones when something goes wrong. Pure.
public struct Buzzer: Sendable {
  public enum Call: Sendable {
    case press, trouble

    /// Milliseconds of tone and of silence in turn.
    var beats: [Int] {
      switch self {
      case .press: [40]
      case .trouble: [150, 120, 150, 120, 150]
      }
    }
  }

  private var call: (Call, since: Duration)?

  public init() {}

  public mutating func sound(_ call: Call, at now: Duration) { self.call = (call, now) }

  /// Whether it sounds now, and when that changes; `nil` for never.
  public func look(at now: Duration) -> (sounds: Bool, until: Duration?) {
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
  /// Something that a person should look at.
  public var needsAttention: Bool {
    switch self {
    case .offAir, .starting, .live, .unconfirmed, .paused, .weak: false
    case .reconnecting, .noCamera, .fault: true
    }
  }
}

extension LampPattern.Colour {
  /// The lamps to light while some of a board's do not work: what is left of another colour must not look green.
  public func mix(
    of lamps: Set<LampPattern.Primary>, working: Set<LampPattern.Primary>
  ) -> Set<LampPattern.Primary> {
    let left = mix(of: lamps).intersection(working)
    guard left == [.green], self != .green, lamps != [.green] else { return left }
    // Some other colour, or else darkness.
    return working.subtracting([.green])
  }

  /// The lamps of a board that make it up: red, green, blue, as far as there are such. A board that has none
  /// of them lights what it has, for the rhythm says it all.
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
    // Green alone is for what the servers have.
    return mix.isEmpty || mix == [.green] && self != .green ? lamps : mix
  }
}

extension LampPattern {
  /// What a lamp with colours is made of.
  public enum Primary: String, Sendable, CaseIterable {
    case red, green, blue
  }
}
