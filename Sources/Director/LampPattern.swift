// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the lamp says. Each differs from the others in its rhythm, and so needs no colour.
public enum LampPattern: String, Sendable, CaseIterable {
  case offAir = "off_air"
  case starting
  /// The servers have it.
  case live
  /// Sent, and not known to be there.
  case unconfirmed
  case paused
  case weak
  case reconnecting
  case noCamera = "no_camera"
  /// Something that a person has to mend.
  case fault

  /// One part of a rhythm.
  public struct Beat: Equatable, Sendable {
    public var isLit: Bool
    public var milliseconds: Int
  }

  /// For a lamp that has colours. Green means that the servers have what is wanted, and nothing else does.
  public enum Colour: String, Sendable, CaseIterable {
    case green, yellow, red, blue, white
  }

  /// What the lamp does, over and over; it starts lit. One beat alone is steady.
  public var rhythm: [Beat] {
    switch self {
    case .offAir: LampPattern.beats(60, 3_940)
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
    case .offAir: .white
    case .starting, .paused: .blue
    case .live: .green
    case .unconfirmed, .weak: .yellow
    case .reconnecting, .noCamera, .fault: .red
    }
  }

  /// Whether the lamp is lit so long after the pattern began.
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
