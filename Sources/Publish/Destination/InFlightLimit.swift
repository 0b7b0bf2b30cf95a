// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The limit for the bytes in flight, and the time that the link needs for each byte. Bytes in flight cannot be
/// dropped, so there should be no more of them than are needed to keep the link busy. Set by the rate controller, read
/// by the sending thread.
final class InFlightLimit: Sendable {
  /// The most bytes that may be in flight.
  private let maxBytes = Atomic(Int.max)
  /// Nanoseconds that the link needs for each byte; 0 unless the link is known to be too slow.
  private let byteNanos = Atomic<Int64>(0)

  /// Nanoseconds that the link needs for each byte; 0 unless the link is known to be too slow.
  var nanosPerByte: Int64 { byteNanos.load(ordering: .relaxed) }

  /// Sets the limit, and the time that the link needs for each byte.
  /// - Parameters:
  ///   - bytes: the most bytes that may be in flight.
  ///   - capacityKbps: the measured throughput, in kbit/s, of a link that is too slow for the stream; `nil` for any
  ///     other link. `nanosPerByte` is calculated from this value.
  func set(bytes: Int, capacityKbps: Int?) {
    maxBytes.store(bytes, ordering: .relaxed)
    byteNanos.store(capacityKbps.map { 8_000_000 / Int64(max(1, $0)) } ?? 0, ordering: .relaxed)
  }

  /// Sets `nanosPerByte` to 0 for a new connection: the throughput of one connection does not apply to the next. Keeps
  /// the limit of the bytes in flight.
  func forgetCapacity() { byteNanos.store(0, ordering: .relaxed) }

  /// Whether a message of `next` bytes may be handed to the kernel. A message that would exceed the limit, as a
  /// keyframe may, is allowed while at most half of the limit is in flight.
  func allows(inFlight: Int, next: Int) -> Bool {
    let limit = maxBytes.load(ordering: .relaxed)
    return inFlight <= limit / 2 || next <= limit - inFlight
  }
}
