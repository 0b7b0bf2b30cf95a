// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Hands frames from a source to its one consumer. It holds one frame, the newest.
///
/// The source never waits: putting a frame in recycles an older one that was not taken.
public final class NewestFrame: Sendable {
  private let slot = Mutex<Frame?>(nil)
  private let arrival = Signal()
  private let clock: MediaClock
  private let interrupted = Atomic<Bool>(false)
  private let woken = Atomic<Bool>(false)
  private let active = Atomic<Bool>(true)
  private let replacedCount = Atomic<Int>(0)

  /// - Parameter clock: measures the deadlines of `take`.
  public init(clock: MediaClock = .system) { self.clock = clock }

  /// How many frames were replaced by newer ones before they were taken.
  public var replaced: Int { replacedCount.load(ordering: .relaxed) }

  /// Whether the consumer uses the frames. While it does not (a still is on air), a source may skip the work of
  /// reading them. It then puts in empty frames with the time `.distantPast`, to show that the input is alive.
  public var isActive: Bool { active.load(ordering: .relaxed) }

  /// Sets `isActive`. A source applies it from its next frame on.
  public func setActive(_ isActive: Bool) { active.store(isActive, ordering: .relaxed) }

  /// Puts a frame in. An older frame that was not taken is recycled.
  public func put(_ frame: consuming Frame) {
    var exchanged: Frame? = frame
    slot.withLock { swap(&$0, &exchanged) }
    // The older frame is recycled here, outside the lock: its owner may make a system call.
    switch consume exchanged {
    case .some:
      // After `interrupt` nobody takes frames: those are not missed.
      guard !interrupted.load(ordering: .relaxed) else { return }
      replacedCount.wrappingAdd(1, ordering: .relaxed)
    case .none: arrival.signal()
    }
  }

  /// Takes the frame, waiting for one until `deadline`, `wake` or `interrupt`.
  public func take(until deadline: MediaTime) -> Frame? {
    while true {
      if let frame = takeNow() { return frame }
      if woken.exchange(false, ordering: .relaxed) { return nil }
      guard !interrupted.load(ordering: .relaxed), arrival.wait(until: deadline, on: clock) else {
        return takeNow()
      }
    }
  }

  /// Takes the frame, if there is one, without waiting.
  public func takeNow() -> Frame? {
    var taken: Frame?
    slot.withLock { swap(&$0, &taken) }
    return taken
  }

  /// Makes `take` return once without a frame: the call that is waiting, or else the next one.
  public func wake() {
    woken.store(true, ordering: .relaxed)
    arrival.signal()
  }

  /// Makes `take` return at once from now on.
  public func interrupt() {
    interrupted.store(true, ordering: .relaxed)
    arrival.signal()
  }
}
