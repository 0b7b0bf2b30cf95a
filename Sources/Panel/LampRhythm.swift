// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

// Every pattern has its own rhythm, so that a lamp of a single colour can show the patterns, too.
extension LampPattern {
  /// One part of a rhythm, in which the lamp is lit or dark for a time.
  public struct Beat: Equatable, Sendable {
    public var isLit: Bool
    public var milliseconds: Int
  }

  /// The colours of a lamp that can show several. Green is used only if the servers have the live video, and blue only
  /// if the room is private.
  public enum Colour: String, Sendable, CaseIterable {
    case green, yellow, red, blue, white
  }

  /// The sequence of lit and dark beats that the lamp repeats; the first one is lit. A single beat means that the lamp
  /// is lit steadily.
  public var rhythm: [Beat] {
    switch self {
    case .offAir: LampPattern.beats(60, 3_940)
    case .watched: LampPattern.beats(60, 240, 60, 640)
    case .recording: LampPattern.beats(700, 300)
    case .starting: LampPattern.beats(300, 300)
    case .live: LampPattern.beats(1_000)
    case .ending: LampPattern.beats(700, 100, 100, 100, 100, 100)
    case .unconfirmed: LampPattern.beats(1_400, 200)
    case .paused: LampPattern.beats(1_200, 1_200)
    case .weak: LampPattern.beats(1_000, 150, 150, 150)
    case .reconnecting: LampPattern.beats(120, 120)
    case .noCamera: LampPattern.beats(180, 180, 180, 1_100)
    case .fault: LampPattern.beats(180, 180, 180, 180, 180, 1_100)
    }
  }

  /// The colour of the lamp while it is lit.
  public var colour: Colour {
    switch self {
    case .offAir, .watched, .recording: .white
    case .live, .ending: .green
    case .paused: .blue
    case .starting, .unconfirmed, .weak: .yellow
    case .reconnecting, .noCamera, .fault: .red
    }
  }

  /// The colour and the rhythm in words: "blue, blinking slowly".
  public var words: String { "\(colour.rawValue), \(rhythmWords)" }

  /// The rhythm in words: "blinking slowly".
  var rhythmWords: String {
    switch self {
    case .offAir: "a short flash every 4 s"
    case .watched: "two short flashes every second"
    case .recording: "a long flash every second"
    case .starting: "blinking quickly"
    case .live: "steady"
    case .ending: "steady with three short gaps"
    case .unconfirmed: "steady with short gaps"
    case .paused: "blinking slowly"
    case .weak: "steady with two short gaps"
    case .reconnecting: "flickering"
    case .noCamera: "two flashes and a rest"
    case .fault: "three flashes and a rest"
    }
  }

  /// Whether the lamp is lit at a time `elapsed` after the start of the pattern.
  public func isLit(after elapsed: Duration) -> Bool { beat(after: elapsed).isLit }

  /// The time from `elapsed` until the lamp is next switched on or off; `nil` if it is lit steadily.
  public func nextChange(after elapsed: Duration) -> Duration? {
    rhythm.count > 1 ? beat(after: elapsed).remaining : nil
  }

  /// Whether the lamp is lit at a time `elapsed` after the start of the pattern, and how long that beat still lasts.
  private func beat(after elapsed: Duration) -> (isLit: Bool, remaining: Duration) {
    let period = rhythm.reduce(0) { $0 + $1.milliseconds }
    let (seconds, attoseconds) = elapsed.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    var left = Int(microseconds % Int64(period * 1_000))
    for beat in rhythm {
      let length = beat.milliseconds * 1_000
      if left < length { return (beat.isLit, .microseconds(length - left)) }
      left -= length
    }
    return (true, .zero)
  }

  /// Alternately lit and dark beats of these lengths; the first one is lit.
  private static func beats(_ milliseconds: Int...) -> [Beat] {
    milliseconds.enumerated().map {
      Beat(isLit: $0.offset.isMultiple(of: 2), milliseconds: $0.element)
    }
  }
}
