// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Passes the audio of a guest on to an audio pipeline: 20 ms every 20 ms, and silence while there is none. It never
/// waits for the guest.
final class GuestFeed: Source {
  /// After a stall of more than this many nanoseconds, as when the process was stopped, the missed time is skipped.
  private static let maxStallNanos = Int64.milliseconds(200)

  private let queue: PCMQueue
  private let worker: Worker
  /// The memory of the guest's reader; `nil` while none runs.
  private let memory: @Sendable () -> GuestMemory?

  init(
    into queue: PCMQueue, clock: MediaClock, memory: @escaping @Sendable () -> GuestMemory?
  ) {
    (self.queue, self.memory) = (queue, memory)
    worker = Worker(name: "guest-feed", urgency: .device, clock: clock)
  }

  func start() { worker.start { [self] in run() } }

  func requestStop() { worker.requestStop() }

  @discardableResult func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private func run() {
    let mix = GuestSoundMix(channels: queue.channels)
    var timeline = AudioTimeline(startsAt: worker.clock.now)
    while true {
      let startsAt = timeline.next
      timeline.advance(frames: PCMQueue.chunkFrames)
      guard worker.sleep(until: timeline.next) else { return }
      mix.fill(from: memory(), at: startsAt)
      unsafe queue.put(mix.samples, frames: PCMQueue.chunkFrames, startsAt: startsAt)
      let now = worker.clock.now
      if now - timeline.next > GuestFeed.maxStallNanos {
        timeline = AudioTimeline(startsAt: now)
      }
    }
  }
}
