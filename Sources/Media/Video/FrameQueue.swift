// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Synchronization

/// A bounded queue of raw video frames from a source to its one consumer.
///
/// `put` never waits. While the consumer is late, frames wait in the queue, so that a short stall of the machine adds
/// delay for a moment instead of losing frames. A frame is dropped when another one is captured more than `spanNanos`
/// later. After frames have been dropped for longer than `dropToleranceNanos`, only the newest frame is kept, until the
/// consumer finds the queue empty.
@safe public final class FrameQueue: @unchecked Sendable {
  /// The longest time between the captures of the oldest and the newest frame in the queue, in nanoseconds.
  public static let spanNanos = Int64.milliseconds(100)
  /// The duration of a series of drops, in nanoseconds, after which only the newest frame is kept in the queue.
  public static let dropToleranceNanos = Int64.milliseconds(500)
  /// The maximum number of frames in the queue: those that are captured in `spanNanos` at 60 frames per second.
  public static let capacity = 7
  /// The number of frame buffers that a source needs: those of a full queue, one being written, one being read, and one
  /// kept to be shown again.
  public static let bufferCount = capacity + 3

  /// The position of the oldest frame in the ring, the number of queued frames, and the present series of drops.
  private struct State {
    var head = 0
    var count = 0
    /// When the present series of drops began, as the capture time of the frame that caused the first drop; `nil` if no
    /// frame was dropped since the consumer last found the queue empty.
    var droppingSince: MediaTime?
  }

  /// A ring: `count` frames from `head` on. Read and written under the lock of `state`.
  private let ring: UnsafeMutablePointer<Frame?>
  /// Protects the ring, which the source and the consumer use at the same time.
  private let state = Mutex(State())
  /// Wakes the consumer that waits in `take`.
  private let arrival = Signal()
  /// The clock on which the deadlines of `take` are measured.
  private let clock: MediaClock
  /// Whether `interrupt` was called.
  private let interrupted = Atomic<Bool>(false)
  /// Whether `wake` was called, and no call of `take` has returned because of that yet.
  private let woken = Atomic<Bool>(false)
  /// Whether the consumer uses the frames.
  private let active = Atomic<Bool>(true)
  private let activationCount = Atomic(0)
  /// How many frames were dropped because the consumer was too slow.
  private let droppedCount = Atomic<Int>(0)
  /// How many frames the source has put into the queue.
  private let deliveredCount = Atomic<Int>(0)
  /// Copies the frames, each for a further consumer.
  private let taps = Mutex<[FrameTap]>([])

  /// - Parameter clock: the clock on which the deadlines of `take` are measured.
  public init(clock: MediaClock = .system) {
    self.clock = clock
    unsafe ring = .allocate(capacity: FrameQueue.capacity)
    for index in 0..<FrameQueue.capacity { unsafe (ring + index).initialize(to: nil) }
  }

  deinit {
    unsafe ring.deinitialize(count: FrameQueue.capacity)
    unsafe ring.deallocate()
  }

  /// How many frames were dropped because the consumer was too slow.
  public var dropped: Int { droppedCount.load(ordering: .relaxed) }

  /// How many frames the source has put into the queue, including the empty frames while `isActive` is false.
  public var delivered: Int { deliveredCount.load(ordering: .relaxed) }

  /// How many frames are in the queue.
  public var count: Int { state.withLock { $0.count } }

  /// Whether a consumer uses the frames. While none does, because a still is on air, a source may skip reading the
  /// frames. The source then puts empty frames with the time `.distantPast` into the queue, to show that its input
  /// still delivers.
  public var isActive: Bool {
    active.load(ordering: .relaxed) || taps.withLock { $0 }.contains { $0.frames.isActive }
  }

  /// Sets whether the consumer uses the frames. A source takes the change into account from its next frame on.
  public func setActive(_ isActive: Bool) {
    let before = active.exchange(isActive, ordering: .relaxed)
    if isActive, !before { activationCount.add(1, ordering: .relaxed) }
  }

  /// How often the consumer has begun to use frames again. A source compares it: what it holds from before, as from a
  /// pause, must not be used.
  public var activations: Int { activationCount.load(ordering: .relaxed) }

  /// Copies each frame that comes from now on into another queue as well, for a further consumer.
  public func copyFrames(into other: FrameQueue) {
    taps.withLock { $0.append(FrameTap(into: other)) }
  }

  /// Copies no more frames into a queue.
  public func endCopies(into other: FrameQueue) {
    taps.withLock { $0.removeAll { $0.frames === other } }
  }

  /// The maximum number of frames of a source that can be in the queue at the same time.
  /// - Parameter interval: nanoseconds from frame to frame.
  public static func maxFrames(every interval: Int64) -> Int {
    min(capacity, Int(spanNanos / max(1, interval)) + 1)
  }

  /// Adds a frame. Drops the oldest frames first if the queue is full, or if they were captured more than `spanNanos`
  /// earlier.
  /// - Parameter limit: the maximum number of frames in the queue; less than `capacity` for a source with too few
  ///   buffers.
  public func put(_ frame: consuming Frame, limit: Int = capacity) {
    let time = frame.capturedAt
    deliveredCount.wrappingAdd(1, ordering: .relaxed)
    for tap in taps.withLock({ $0 }) where tap.frames.isActive { tap.copy(frame) }
    var frame = frame
    frame.queuedAt = clock.now
    var new: Frame? = frame
    while true {
      // A dropped frame is recycled when this variable goes out of scope, without the lock, because recycling may make
      // a system call.
      var oldest: Frame?
      let isFirst: Bool? = state.withLock { state in
        if isFull(state, for: time, limit: min(limit, FrameQueue.capacity)) {
          removeFirst(of: &state, into: &oldest)
          if state.droppingSince == nil, oldest?.capturedAt != .distantPast {
            state.droppingSince = time
          }
          return nil
        }
        unsafe swap(&ring[(state.head + state.count) % FrameQueue.capacity], &new)
        state.count += 1
        return state.count == 1
      }
      if let isFirst {
        if isFirst { arrival.signal() }
        return
      }
      // Do not count as dropped: empty frames, and frames after `interrupt`, when there is no consumer any more.
      if oldest?.capturedAt != .distantPast, !interrupted.load(ordering: .relaxed) {
        droppedCount.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  /// Removes and returns the oldest frame. If there is none, waits for one until `deadline`, or until `wake` or
  /// `interrupt` is called. Returns `nil` if no frame has arrived by then.
  public func take(until deadline: MediaTime) -> Frame? {
    while true {
      if let frame = takeNow() { return frame }
      if woken.exchange(false, ordering: .relaxed) { return nil }
      guard !interrupted.load(ordering: .relaxed), arrival.wait(until: deadline, on: clock) else {
        return takeNow()
      }
    }
  }

  /// Removes and returns the oldest frame without waiting; `nil` if the queue is empty.
  public func takeNow() -> Frame? {
    var taken: Frame?
    state.withLock { state in
      if state.count > 0 {
        removeFirst(of: &state, into: &taken)
      } else {
        state.droppingSince = nil
      }
    }
    return taken
  }

  /// Drops all frames in the queue, as at a cut.
  public func removeAll() {
    while takeNow() != nil {}
  }

  /// Makes one call of `take` return `nil` at once if the queue is empty: the call that is waiting, or else the next
  /// one.
  public func wake() {
    woken.store(true, ordering: .relaxed)
    arrival.signal()
  }

  /// From now on `take` does not wait: it returns a frame that is in the queue, or else `nil`.
  public func interrupt() {
    interrupted.store(true, ordering: .relaxed)
    arrival.signal()
  }

  /// Counts a frame as dropped that could not be put into the queue.
  func noteDropped() { droppedCount.wrappingAdd(1, ordering: .relaxed) }

  /// Whether the oldest frame has to be dropped before a frame that was captured at `time` can be added.
  private func isFull(_ state: State, for time: MediaTime, limit: Int) -> Bool {
    guard state.count > 0, let oldest = unsafe ring[state.head]?.capturedAt else { return false }
    if let since = state.droppingSince, time > since + FrameQueue.dropToleranceNanos { return true }
    return state.count >= limit || time > oldest + FrameQueue.spanNanos
  }

  /// Moves the oldest frame from the ring to `taken`.
  private func removeFirst(of state: inout State, into taken: inout Frame?) {
    unsafe swap(&ring[state.head], &taken)
    state.head = (state.head + 1) % FrameQueue.capacity
    state.count -= 1
  }
}
