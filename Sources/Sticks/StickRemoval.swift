// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// A request to remove a stick, while it goes on.
public struct StickRemoval: Sendable {
  public enum Outcome: Hashable, Sendable {
    case waiting
    /// It can be pulled, or was.
    case done
    /// A file on it is still open.
    case refused
    /// The root unit has not answered in `patienceNanos`.
    case unanswered
  }

  /// Nanoseconds within which the root unit normally answers: it writes what is unwritten, and tries to unmount for 10 s.
  static let patienceNanos: Int64 = .seconds(90)

  /// The stick when the request was made.
  private let stick: Stick
  private let since: MediaTime

  /// - Parameter now: the time at which `StickPlaces.requestRemoval` was called.
  public init(of stick: Stick, now: MediaTime) { (self.stick, since) = (stick, now) }

  /// How the removal goes, given the sticks that are plugged in now.
  public func outcome(_ sticks: [Stick], now: MediaTime) -> Outcome {
    guard let present = sticks.first(where: { $0.device == stick.device && $0.id == stick.id })
    else { return .done }
    if present.state == .removed { return .done }
    if present.refusals > stick.refusals { return .refused }
    return now - since < StickRemoval.patienceNanos ? .waiting : .unanswered
  }
}
