// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Synchronization

/// How long a reader waits for the network. Whoever waits asks again and again whether to go on.
final class GuestPatience: Sendable {
  private let output: any GuestOutput
  private let deadline = Atomic<Int64>(0)
  private let began = Atomic<Int64>(0)

  init(_ output: any GuestOutput) { self.output = output }

  func begin(nanos: Int64) {
    let now = MediaTime.now()
    began.store(now.nanos, ordering: .relaxed)
    deadline.store((now + nanos).nanos, ordering: .relaxed)
  }

  var isOver: Bool { MediaTime.now().nanos >= deadline.load(ordering: .relaxed) }
  /// The nanoseconds since `begin`.
  var silentNanos: Int64 { MediaTime.now().nanos - began.load(ordering: .relaxed) }
  var mustEnd: Bool { output.isStopping || isOver }
}
