// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

// Every pattern has a rhythm of its own, so that a lamp of one colour tells them apart.
extension LampPattern {
  /// One part of a rhythm.
  public struct Beat: Equatable, Sendable {
    public var isLit: Bool
    public var milliseconds: Int
  }

  /// For a lamp with colours. Green means that the servers have the live video, blue that the room is private;
  /// neither means anything else.
  public enum Colour: String, Sendable, CaseIterable {
    case green, yellow, red, blue, white
  }

  /// What the lamp repeats, starting lit. A single beat means steadily lit.
  public var rhythm: [Beat] {
    switch self {
    case .offAir: LampPattern.beats(60, 3_940)
    case .watched: LampPattern.beats(60, 240, 60, 640)
    case .starting: LampPattern.beats(300, 300)
    case .live: LampPattern.beats(1_000)
    case .unconfirmed: LampPattern.beats(1_400, 200)
    case .paused: LampPattern.beats(1_200, 1_200)
    case .weak: LampPattern.beats(1_000, 150, 150, 150)
    case .reconnecting: LampPattern.beats(120, 120)
    case .noCamera: LampPattern.beats(180, 180, 180, 1_100)
    case .fault: LampPattern.beats(180, 180, 180, 180, 180, 1_100)
    }
  }

  public var colour: Colour {
    switch self {
    case .offAir, .watched: .white
    case .live: .green
    case .paused: .blue
    case .starting, .unconfirmed, .weak: .yellow
    case .reconnecting, .noCamera, .fault: .red
    }
  }

  /// Colour and rhythm for a person: "blue, blinking slowly".
  public var words: String { "\(colour.rawValue), \(rhythmWords)" }

  /// The rhythm for a person: "blinking slowly".
  var rhythmWords: String {
    switch self {
    case .offAir: "a short flash every 4 s"
    case .watched: "two short flashes every second"
    case .starting: "blinking quickly"
    case .live: "steady"
    case .unconfirmed: "steady with short gaps"
    case .paused: "blinking slowly"
    case .weak: "steady with two short gaps"
    case .reconnecting: "flickering"
    case .noCamera: "two flashes and a rest"
    case .fault: "three flashes and a rest"
    }
  }

  /// Whether the lamp is lit when the pattern has been on for `elapsed`.
  public func isLit(after elapsed: Duration) -> Bool { beat(after: elapsed).isLit }

  /// How long until the lamp changes; `nil` for a steady one.
  public func change(after elapsed: Duration) -> Duration? {
    rhythm.count > 1 ? beat(after: elapsed).rest : nil
  }

  private func beat(after elapsed: Duration) -> (isLit: Bool, rest: Duration) {
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

  private static func beats(_ milliseconds: Int...) -> [Beat] {
    milliseconds.enumerated().map {
      Beat(isLit: $0.offset.isMultiple(of: 2), milliseconds: $0.element)
    }
  }
}
