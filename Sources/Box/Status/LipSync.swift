// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings
package import Studio

/// The state and the result of the last lip-sync measurement. The names of the fields are a contract.
public struct LipSync: Codable, Sendable, Equatable {
  public enum State: String, Codable, Sendable {
    /// There was no measurement since the program started.
    case none
    case running
    case done
    case failed
  }

  public var state: State
  /// About how many seconds a running measurement still takes at most; `nil` if none runs.
  public var secondsLeft: Int?
  /// The flashes and the sounds that a running measurement has found; `nil` if none runs.
  public var flashes: Int?
  public var sounds: Int?
  /// Whether a running measurement switches lamp and buzzer, so that nobody has to clap; `nil` if none runs.
  public var byLamp: Bool?
  /// By how many milliseconds viewers hear the sound after the picture; negative if before. `nil` without a result.
  public var soundAfterMs: Double?
  /// How far the middle half of the events lie apart, in milliseconds; `nil` without a result.
  public var spreadMs: Double?
  /// How many events the result is of; `nil` without one.
  public var events: Int?
  /// The value for `audio.delay_ms` with which picture and sound are together; `nil` without a result.
  public var delayMs: Int?
  /// Why there is no result, for programs: "no_inputs", "too_few", "uneven" or "stopped"; `nil` if there
  /// is one.
  public var cause: String?
  /// What to do, or the result, for the user.
  public var sentence: String?

  static let none = LipSync(state: .none)

  package init(state: State) { self.state = state }

  /// - Parameter hasBeats: whether the box has a lamp and a buzzer, which are switched together.
  package init(_ state: LipSyncTest.State, hasBeats: Bool) {
    switch state {
    case .running(let flashes, let sounds, let secondsLeft):
      self.state = .running
      (self.flashes, self.sounds, self.secondsLeft) = (flashes, sounds, secondsLeft)
      byLamp = hasBeats
      sentence =
        hasBeats
        ? "The lamp flashes and the buzzer beeps: hold the camera so that the lamp is in the middle of the picture."
        : "Clap your hands 20 times in the middle of the picture, about once a second, with the light behind them."
    case .done(let result):
      self.state = .done
      (soundAfterMs, spreadMs) = (
        LipSync.tenths(result.soundAfterMs), LipSync.tenths(result.spreadMs)
      )
      (events, delayMs) = (result.events, result.delayMs)
      let apart = Int(abs(result.soundAfterMs).rounded())
      sentence =
        apart < 10
        ? "Picture and sound are together: \(apart) ms apart, by \(result.events) events."
        : "The sound comes \(apart) ms \(result.soundAfterMs > 0 ? "after" : "before") the picture, by"
          + " \(result.events) events: set audio.delay_ms to \(result.delayMs)."
    case .failed(let trouble):
      self.state = .failed
      cause = trouble.rawValue
      sentence =
        switch trouble {
        case .noInputs: "Camera or microphone deliver nothing: plug both in, and repeat it."
        case .stopped: "The measurement was stopped before it had a result: repeat it."
        case .tooFew:
          "Fewer than ten flashes with a sound were found: bring lamp or hands to the middle of the picture, let it"
            + " be quiet, and repeat it."
        case .uneven:
          "The events do not agree within 40 ms: let it be quiet, keep other lights out of the picture, and repeat it."
        }
    }
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension PanelSettings {
  /// Whether the box has a lamp and a buzzer.
  var hasBeats: Bool {
    buzzer != nil && [lamp, lampRed, lampGreen, lampBlue].contains { $0 != nil }
  }
}
