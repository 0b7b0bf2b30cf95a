// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Gives a step of an attempt more time after it has timed out. Reads no clock and does no I/O.
///
/// Before a server accepts a stream, it may ask another program for permission: nginx-rtmp waits for such a hook for up
/// to 10 s. If every attempt ended after the same time, such a server would never accept the stream.
struct StepPatience {
  /// The most time for a step, in nanoseconds.
  static let longestNanos = Int64.seconds(30)
  /// How many times each step has timed out since it last finished within its normal time.
  private var timeoutCounts: [RTMPStep: Int] = [:]

  /// Processes the failure of an attempt or of a connection: counts the time-out if a step has timed out.
  mutating func noteFailure(_ cause: DestinationCause) {
    if case .timedOut(let step) = cause { timeoutCounts[step, default: 0] += 1 }
  }

  /// Notes that the server accepts the stream. A step that needed more than its normal time keeps its longer deadline:
  /// the server will probably be as slow the next time.
  /// - Parameter took: nanoseconds that each step took.
  mutating func noteSuccess(took: [RTMPStep: Int64], normal: RTMPDeadlines) {
    timeoutCounts = timeoutCounts.filter { step, _ in took[step] ?? 0 > normal.nanos(step) }
  }

  /// The deadlines of the next attempt: each time-out of a step has doubled its deadline, up to `longestNanos`.
  func deadlines(_ normal: RTMPDeadlines) -> RTMPDeadlines {
    var deadlines = normal
    deadlines.connect = grown(.connect, normal.connect)
    deadlines.tls = grown(.tls, normal.tls)
    deadlines.handshake = grown(.handshake, normal.handshake)
    deadlines.connectReply = grown(.connectReply, normal.connectReply)
    deadlines.publishReply = grown(.publishReply, normal.publishReply)
    return deadlines
  }

  /// The time limit of a step, in nanoseconds: the normal limit `nanos`, doubled for each time-out, up to
  /// `longestNanos`.
  private func grown(_ step: RTMPStep, _ nanos: Int64) -> Int64 {
    max(nanos, min(StepPatience.longestNanos, nanos << min(timeoutCounts[step] ?? 0, 5)))
  }
}
