// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// How many bytes may be in flight, and what the link needs for each. Bytes in flight cannot be dropped, so there should
/// be no more of them than the link needs. Set by the rate controller, read by the sending thread.
final class InFlightLimit: Sendable {
  private let bytes = Atomic(Int.max)
  private let nanos = Atomic<Int64>(0)

  /// Nanoseconds that the link needs for each byte; 0 while it is not known to be too slow.
  var nanosPerByte: Int64 { nanos.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - bytes: the most bytes in flight at which another message is handed to the kernel.
  ///   - capacityKbps: the link's throughput, if it is known to be too low.
  func set(bytes: Int, capacityKbps: Int?) {
    self.bytes.store(bytes, ordering: .relaxed)
    nanos.store(capacityKbps.map { 8_000_000 / Int64(max(1, $0)) } ?? 0, ordering: .relaxed)
  }

  /// Forgets the throughput, which does not apply to another connection.
  func forgetCapacity() { nanos.store(0, ordering: .relaxed) }

  /// Whether a message of `next` bytes may be sent. One that is too large to fit the limit, as a keyframe may be, is
  /// sent when at most half of the limit is in flight.
  func allows(inFlight: Int, next: Int) -> Bool {
    let limit = bytes.load(ordering: .relaxed)
    return inFlight <= limit / 2 || next <= limit - inFlight
  }
}
