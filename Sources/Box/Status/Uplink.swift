// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Publish
internal import RateControl
package import Studio

/// The state and the result of the last uplink test, which measures the throughput to the server. The names of the
/// fields are a contract.
public struct Uplink: Codable, Sendable, Equatable {
  /// The state of an uplink test.
  public enum State: String, Codable, Sendable {
    /// There was no test since the program started.
    case none
    case running
    /// The last test of the uplink has a result.
    case done
    /// The last test of the uplink has ended without a result.
    case failed
  }

  /// Whether the last test of the uplink is running, or how it has ended.
  public var state: State
  /// About how many seconds a running test still takes; `nil` if none runs.
  public var secondsLeft: Int?
  /// The measured throughput in kbit/s, audio and headers included; `nil` without a result.
  public var throughputKbps: Int?
  /// `true` if the link may be even faster, since the test did not send at a higher rate; otherwise `nil`.
  public var atLeast: Bool?
  /// The recommended video bit rate in kbit/s; `nil` without a result.
  public var recommendedKbps: Int?
  /// The picture size for the recommended bit rate: "1280x720"; `nil` without a result.
  public var recommendedSize: String?
  /// Why the test has no result, for programs: a code of `DestinationCause`, "stopped" or "failed"; `nil` if the test
  /// has a result, or none has ended.
  public var cause: String?
  /// The result, or why there is none and what to do, for the user.
  public var sentence: String?

  /// The state before the first test.
  static let none = Uplink(state: .none)

  package init(state: State) { self.state = state }

  package init(_ state: UplinkTest.State) {
    switch state {
    case .running(let secondsLeft):
      self.state = .running
      self.secondsLeft = secondsLeft
    case .done(let verdict):
      self.state = .done
      throughputKbps = verdict.throughputKbps
      atLeast = verdict.isUnlimited ? true : nil
      recommendedKbps = verdict.recommendedKbps
      recommendedSize = "\(verdict.recommendedSize)"
      sentence = verdict.sentence
    case .failed(let failure):
      self.state = .failed
      (cause, sentence) =
        switch failure {
        case .destination(let cause, let said, let target):
          (cause.code, target.sentence(cause, said: said))
        case .stream(let reason):
          ("failed", "The stream for the test cannot be made (\(reason)): restart OnAir.")
        case .stopped:
          ("stopped", "The test was stopped before it had a result: repeat it off air.")
        }
    }
  }
}
