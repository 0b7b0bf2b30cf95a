// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The place between a source of pictures and the one who shows them: it holds one frame, the newest.
///
/// The source never waits, and what it puts in on top of an older frame gives that one back.
public final class NewestFrame: Sendable {
  private let slot = Mutex<Frame?>(nil)
  private let arrival = Signal()
  private let clock: MediaClock
  private let interrupted = Atomic<Bool>(false)
  private let woken = Atomic<Bool>(false)
  private let shown = Atomic<Bool>(true)
  /// Frames that a newer one replaced before anyone took them.
  private let replacedCount = Atomic<Int>(0)

  /// - Parameter clock: the clock of the deadlines of `take`.
  public init(clock: MediaClock = .system) { self.clock = clock }

  /// How many frames were replaced by newer ones before they were taken.
  public var replaced: Int { replacedCount.load(ordering: .relaxed) }

  /// Whether frames are looked at. While they are not, a source may spare itself the work of reading them, and
  /// only tell that they come: with frames of no time (`.distantPast`), in which there is no picture.
  public var areShown: Bool { shown.load(ordering: .relaxed) }

  /// - Parameter areShown: from the next frame on that is not begun yet.
  public func show(_ areShown: Bool) { shown.store(areShown, ordering: .relaxed) }

  public func put(_ frame: consuming Frame) {
    var exchanged: Frame? = frame
    slot.withLock { swap(&$0, &exchanged) }
    // The older frame goes back here, after the lock: its owner may enter the kernel.
    switch consume exchanged {
    case .some:
      // After the end nobody wants them.
      guard !interrupted.load(ordering: .relaxed) else { return }
      replacedCount.wrappingAdd(1, ordering: .relaxed)
    case .none: arrival.give()
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

  /// Takes the frame if there is one, and so also empties the place.
  public func takeNow() -> Frame? {
    var taken: Frame?
    slot.withLock { swap(&$0, &taken) }
    return taken
  }

  /// Ends the waiting in `take`, the present or the next, once: there is something to do besides.
  public func wake() {
    woken.store(true, ordering: .relaxed)
    arrival.give()
  }

  /// Ends the waiting in `take`, for good.
  public func interrupt() {
    interrupted.store(true, ordering: .relaxed)
    arrival.give()
  }
}
