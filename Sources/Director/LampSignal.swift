// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Something besides the broadcast that a person has to repair. The raw value is the trouble's subject.
public enum Repair: String, Sendable, CaseIterable {
  case settingsFile = "settings file"
  case keptSettings = "kept settings"
  case card, disk

  /// The one to tell first; `nil` for none.
  public static func first(of repairs: Set<Repair>) -> Repair? {
    allCases.first { repairs.contains($0) }
  }
}

/// Why the lamp may be red. The status has a sentence for each that is present.
public enum LampCause: Hashable, Sendable, CaseIterable {
  /// The connection to the first server was lost or failed; another attempt follows.
  case server
  /// The first server refuses the stream until a person acts.
  case refusal
  /// There is no server to publish to.
  case noServer
  case camera, microphone, encoder
  /// The state would not survive a power cut.
  case unsaved
  /// Nobody has looked after the broadcast for seconds.
  case unsupervised
  case repair(Repair)

  public static var allCases: [LampCause] {
    [.server, .refusal, .noServer, .camera, .microphone, .encoder, .unsaved, .unsupervised]
      + Repair.allCases.map { .repair($0) }
  }
}

/// What the lamp tells, and why. A red lamp cannot be made without its cause.
public enum LampSignal: Hashable, Sendable {
  case offAir, starting, live, unconfirmed, paused, weak
  /// The cause is the server.
  case reconnecting
  /// The cause is the camera.
  case noCamera
  case fault(LampCause)

  public var pattern: LampPattern {
    switch self {
    case .offAir: .offAir
    case .starting: .starting
    case .live: .live
    case .unconfirmed: .unconfirmed
    case .paused: .paused
    case .weak: .weak
    case .reconnecting: .reconnecting
    case .noCamera: .noCamera
    case .fault: .fault
    }
  }

  /// Why it is red; `nil` while it is not.
  public var cause: LampCause? {
    switch self {
    case .offAir, .starting, .live, .unconfirmed, .paused, .weak: nil
    case .reconnecting: .server
    case .noCamera: .camera
    case .fault(let cause): cause
    }
  }
}
