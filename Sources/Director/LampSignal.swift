// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Something besides the broadcast that a person has to repair, the most urgent first. The status lists it as a trouble
/// whose subject is the raw value.
public enum Repair: String, Sendable, CaseIterable {
  case settingsFile = "settings file"
  case keptSettings = "kept settings"
  case card, disk

  /// The repair to report first; `nil` for none.
  public static func first(of repairs: Set<Repair>) -> Repair? {
    allCases.first { repairs.contains($0) }
  }
}

/// A reason for a red lamp. The status has a sentence for each reason that is present.
public enum LampCause: Hashable, Sendable, CaseIterable {
  /// The connection to the main server was lost or failed; another attempt follows.
  case server
  /// The main server refuses the stream until a person acts.
  case refusal
  /// There is no main server to publish to.
  case noServer
  case camera, microphone, encoder
  /// What the person wants is not saved to disk, and would not survive a power cut.
  case unsaved
  /// The program has not supervised the broadcast for seconds.
  case unsupervised
  case repair(Repair)

  public static var allCases: [LampCause] {
    [.server, .refusal, .noServer, .camera, .microphone, .encoder, .unsaved, .unsupervised]
      + Repair.allCases.map { .repair($0) }
  }
}

/// What the lamp tells and, if it is red, the cause. A red lamp cannot be made without its cause.
public enum LampSignal: Hashable, Sendable {
  case offAir, starting, live, unconfirmed, paused, weak
  /// The connection to the main server was lost or failed: the cause is `LampCause.server`.
  case reconnecting
  /// The camera delivers nothing: the cause is `LampCause.camera`.
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

  /// Why the lamp is red; `nil` while it is not.
  public var cause: LampCause? {
    switch self {
    case .offAir, .starting, .live, .unconfirmed, .paused, .weak: nil
    case .reconnecting: .server
    case .noCamera: .camera
    case .fault(let cause): cause
    }
  }
}
