// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// A place on the path of audio at which its samples can be copied into a further queue, for those who listen.
/// Without a listener it costs a lock.
public final class AudioTap: Sendable {
  private let listeners = Mutex<[PCMQueue]>([])

  public init() {}

  /// Copies all samples from now on into `queue`, which has as many channels.
  public func add(_ queue: PCMQueue) { listeners.withLock { $0.append(queue) } }

  public func remove(_ queue: PCMQueue) { listeners.withLock { $0.removeAll { $0 === queue } } }

  /// Copies samples into the queues of those who listen.
  /// - Parameter interleaved: `frames` × channels samples.
  @unsafe public func put(
    _ interleaved: UnsafePointer<Float>, frames: Int, startsAt: MediaTime
  ) {
    for queue in listeners.withLock({ $0 }) {
      unsafe queue.put(interleaved, frames: frames, startsAt: startsAt)
    }
  }
}
