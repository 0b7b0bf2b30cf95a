// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Settings
internal import Synchronization

// Functions of the station that the API's routes use to wait for a saved state or for the end of a broadcast.

extension Station {
  /// How long, in nanoseconds, the reply to a command waits for the new state to be written to disk.
  private static let settleTimeoutNanos = Int64.seconds(1)
  /// How long, in nanoseconds, `awaitEnd` waits for a broadcast to end: longer than `endTimeoutNanos`, since the
  /// machine may be busy.
  static let stopTimeoutNanos = Int64.seconds(4)

  /// Completes the reply to a command, once the new state is on the disk or could not be written.
  package func settle(_ reply: inout ControlReply) async {
    let deadline = clock.now + Station.settleTimeoutNanos
    while reply.changed, !isSettled, clock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
    complete(&reply)
  }

  /// Waits until a stopped broadcast has ended, so that another broadcast or an uplink test may begin.
  /// - Parameter patience: the longest time to wait, in nanoseconds.
  package func awaitEnd(patience: Int64 = Station.stopTimeoutNanos) async {
    let deadline = clock.now + patience
    while state.withLock({ $0.isEnding }), clock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(5))
    }
  }
}

extension ControlReply {
  package init(_ fault: StationError) {
    self.init(fault: fault.code, fault.sentence)
    if case .mistakes(let mistakes) = fault {
      problems = mistakes.map(Problem.init)
    }
  }
}
