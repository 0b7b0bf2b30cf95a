// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Publish
internal import RateControl
package import Studio

/// The last test of the connection to the platform. The names of the fields are a contract.
public struct Uplink: Codable, Sendable, Equatable {
  public enum State: String, Codable, Sendable {
    /// There was no test since the program started.
    case none
    case running
    case done
    case failed
  }

  public var state: State
  /// While it runs: about how long it takes yet.
  public var secondsLeft: Int?
  /// kbit/s that the connection has carried, audio and headers included.
  public var throughputKbps: Int?
  /// The video bit rate to use, in kbit/s, and the size for it: "1280x720".
  public var recommendedKbps: Int?
  public var recommendedSize: String?
  /// Why there is no result, for programs: a code of `DestinationCause`, "stopped" or "failed".
  public var cause: String?
  /// The result, or why there is none and what to do.
  public var sentence: String?

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
