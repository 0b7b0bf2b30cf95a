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

  /// What a phone's flashes and beeps show.
  public enum Verdict: String, Codable, Sendable {
    /// Picture and sound are at most 50 ms apart.
    case together
    /// The sound comes more than 50 ms after the picture.
    case late
    /// The sound comes more than 50 ms before the picture.
    case early

    /// A phone's screen and speaker are up to as many milliseconds apart themselves.
    static let phoneMs = 50.0

    init(soundAfterMs: Double) {
      self = abs(soundAfterMs) <= Verdict.phoneMs ? .together : soundAfterMs > 0 ? .late : .early
    }
  }

  public var state: State
  /// About how many seconds a running measurement still takes at most; `nil` if none runs.
  public var secondsLeft: Int?
  /// The flashes and the sounds that a running measurement has found; `nil` if none runs.
  public var flashes: Int?
  public var sounds: Int?
  /// Whether a running measurement switches lamp and buzzer, so that nobody has to clap; `nil` if none runs.
  public var byLamp: Bool?
  /// `true` for a measurement by a phone that flashes and beeps. Its result is a verdict, without numbers.
  public var byPhone: Bool?
  public var verdict: Verdict?
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

  /// - Parameters:
  ///   - hasBeats: whether the box has a lamp and a buzzer, which are switched together.
  ///   - isByPhone: whether a phone flashes and beeps instead.
  package init(_ state: LipSyncTest.State, hasBeats: Bool, isByPhone: Bool = false) {
    if isByPhone { byPhone = true }
    switch state {
    case .running(let flashes, let sounds, let secondsLeft):
      self.state = .running
      (self.flashes, self.sounds, self.secondsLeft) = (flashes, sounds, secondsLeft)
      byLamp = hasBeats && !isByPhone
      sentence =
        switch (isByPhone, hasBeats) {
        case (true, _):
          "The phone flashes and beeps: hold its screen so that it fills the middle of the picture."
        case (false, true):
          "The lamp flashes and the buzzer beeps: hold the camera so that the lamp is in the middle of the picture."
        case (false, false):
          "Clap your hands 20 times in the middle of the picture, about once a second, with the light behind them."
        }
    case .done(let result) where isByPhone:
      self.state = .done
      let verdict = Verdict(soundAfterMs: result.soundAfterMs)
      (self.verdict, events) = (verdict, result.events)
      sentence =
        switch verdict {
        case .together:
          "Picture and sound are at most 50 ms apart, by \(result.events) events. A phone shows no more than that."
        case .late, .early:
          "The sound comes more than 50 ms \(verdict == .late ? "after" : "before") the picture, by"
            + " \(result.events) events. A phone shows no more than that: clap your hands to measure it."
        }
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
          "Fewer than ten flashes with a sound were found: bring \(isByPhone ? "the phone" : "lamp or hands") to"
            + " the middle of the picture, let it be quiet, and repeat it."
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
