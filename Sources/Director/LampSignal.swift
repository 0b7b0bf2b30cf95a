// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A fault outside of the broadcast that a person has to repair. The cases are ordered by urgency, the most urgent
/// first. The raw value is the subject of the trouble that the status lists for it.
public enum Repair: String, Sendable, CaseIterable {
  /// The settings file has mistakes.
  case settingsFile = "settings file"
  /// The settings that were saved at run time cannot be read.
  case keptSettings = "kept settings"
  /// The settings on the memory card have mistakes (`card`), or the disk is full (`disk`).
  case card, disk

  /// The most urgent of `repairs`; `nil` if the set is empty.
  public static func first(of repairs: Set<Repair>) -> Repair? {
    allCases.first { repairs.contains($0) }
  }
}

/// Why the lamp is red. The status has a sentence for each cause that applies.
public enum LampCause: Hashable, Sendable, CaseIterable {
  /// The connection to the main server was lost or failed; another attempt follows.
  case server
  /// The main server refuses the stream, and a person has to correct the cause.
  case refusal
  /// There is no main server to publish to.
  case noServer
  /// The camera or the microphone delivers nothing, or the encoder fails.
  case camera, microphone, encoder
  /// The intent of the person is not saved to disk, so it would not survive a power cut.
  case unsaved
  /// The supervisor, the thread that checks the broadcast, has not run for several seconds.
  case unsupervised
  /// A fault outside of the broadcast that a person has to repair.
  case repair(Repair)

  public static var allCases: [LampCause] {
    [.server, .refusal, .noServer, .camera, .microphone, .encoder, .unsaved, .unsupervised]
      + Repair.allCases.map { .repair($0) }
  }
}

/// What the lamp shows and, if it is red, the cause. The type allows no red lamp without a cause.
public enum LampSignal: Hashable, Sendable {
  /// The signals without a cause: `LampPattern` explains the pattern of the same name.
  case offAir, starting, live, unconfirmed, paused, weak
  /// The connection to the main server was lost or failed: the cause is `LampCause.server`.
  case reconnecting
  /// The camera delivers nothing: the cause is `LampCause.camera`.
  case noCamera
  /// Any other red lamp, with its cause.
  case fault(LampCause)

  /// The pattern in which the lamp shows this signal.
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

  /// Why the lamp is red; `nil` while the lamp is not red.
  public var cause: LampCause? {
    switch self {
    case .offAir, .starting, .live, .unconfirmed, .paused, .weak: nil
    case .reconnecting: .server
    case .noCamera: .camera
    case .fault(let cause): cause
    }
  }
}
