// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// A place on the path of audio at which its samples can be copied into a further queue, for somebody who listens.
/// Without a listener it costs a lock.
public final class AudioTap: Sendable {
  private let listener = Mutex<PCMQueue?>(nil)

  public init() {}

  /// Copies all samples from now on into `queue`, which has as many channels; `nil` for nobody who listens.
  public func connect(_ queue: PCMQueue?) { listener.withLock { $0 = queue } }

  /// Copies samples into the listener's queue, if there is one.
  /// - Parameter interleaved: `frames` × channels samples.
  @unsafe public func put(
    _ interleaved: UnsafePointer<Float>, frames: Int, startsAt: MediaTime
  ) {
    guard let queue = listener.withLock({ $0 }) else { return }
    unsafe queue.put(interleaved, frames: frames, startsAt: startsAt)
  }
}
