// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Posix

/// How long a camera waits before it counts as stuck, is opened again, or is checked for a signal, in nanoseconds.
struct CameraTimeouts: Sendable {
  /// The time without a good frame, in nanoseconds, after which a running camera counts as stuck. Five frame intervals
  /// are used instead if they are longer.
  var stallNanos: Int64 = .seconds(2)
  /// The time without a good frame, in nanoseconds, after which a camera that has just started counts as stuck. Longer
  /// than `stallNanos`, because lenses and exposure take time to settle.
  var firstFrameNanos: Int64 = .seconds(4)
  /// The pause after a failure before a device is opened again, in nanoseconds.
  var retryNanos: Int64 = .milliseconds(500)
  /// The time between two checks of whether the input has a signal, in nanoseconds.
  var signalCheckNanos: Int64 = .seconds(1)
}

/// Moves frames from a `CameraStream` to a `FrameQueue` until the stream fails, the camera is released or the worker is
/// stopped. Allocates nothing per frame.
struct CameraPump: ~Copyable {
  /// The open device whose buffers are read.
  let stream: CameraStream
  /// The queue that receives the frames.
  let frames: FrameQueue
  /// Counts the camera's frames and failures.
  let counters: CameraCounters
  /// How long to wait before the camera counts as stuck, or is checked for a signal.
  let timeouts: CameraTimeouts
  /// The camera's thread, which calls `run`.
  let worker: Worker

  /// The driver's sequence number of the last buffer that was dequeued; `nil` before the first one.
  private var lastSequence: UInt32?
  /// When the last good frame arrived; `nil` until the first one.
  private var lastGood: MediaTime?
  /// The capture time of the last good frame; the distant past before the first one.
  private var lastCaptureTime = MediaTime.distantPast
  /// The number of times in a row that dequeuing has failed.
  private var dequeueFailures = 0

  init(
    stream: CameraStream, frames: FrameQueue, counters: CameraCounters,
    timeouts: CameraTimeouts, worker: Worker
  ) {
    self.stream = stream
    self.frames = frames
    self.counters = counters
    self.timeouts = timeouts
    self.worker = worker
  }

  /// Moves frames until `isReleased` returns `true` or the worker is stopped. Throws when the stream fails.
  /// - Parameters:
  ///   - isReleased: whether the device has to be closed.
  ///   - onFirst: called once, after the first good frame.
  mutating func run(isReleased: () -> Bool, onFirst: () -> Void) throws(CameraTrouble) {
    let started = worker.clock.now
    let stall = max(timeouts.stallNanos, 5 * stream.intervalNanos)
    let firstTimeout = max(timeouts.firstFrameNanos, stall)
    var nextCheck = started + timeouts.signalCheckNanos
    while !isReleased() {
      stream.buffers.requeue()
      let now = worker.clock.now
      let deadline = lastGood.map { $0 + stall } ?? started + firstTimeout
      if now >= deadline {
        let seconds = Int((now - (lastGood ?? started)) / .seconds(1))
        throw stream.device.hasNoSignal()
          ? .noSignal(path: stream.selection.path, name: stream.selection.name)
          : .stuck(
            path: stream.selection.path, name: stream.selection.name, seconds: max(1, seconds))
      }
      if now >= nextCheck {
        nextCheck = now + timeouts.signalCheckNanos
        if stream.device.hasNoSignal() {
          throw .noSignal(path: stream.selection.path, name: stream.selection.name)
        }
      }
      let events = worker.wait(
        until: min(deadline, nextCheck), for: stream.device.descriptor,
        or: stream.buffers.returnWaker)
      if worker.isStopping { return }
      guard !events.isEmpty else { continue }
      let isFirst = lastGood == nil
      let count = try drain()
      if isFirst, lastGood != nil { onFirst() }
      // poll(2) reported the device as ready, but no buffer is filled: an error condition (kernels before 4.5 report
      // one while no buffer is queued). Without a pause, poll(2) would return again at once.
      if count == 0, !worker.sleep(until: now + .milliseconds(5)) { return }
    }
  }

  /// Dequeues the filled buffers, at most 32, and puts their frames into the queue.
  /// - Returns: how many buffers were dequeued.
  private mutating func drain() throws(CameraTrouble) -> Int {
    var unconverted: FilledBuffer?
    var count = 0
    // At most 32 buffers, because a camera that is faster than this loop would keep it busy for ever.
    while count < 32 {
      let filled: FilledBuffer
      do {
        guard let next = try stream.device.dequeue() else { break }
        filled = next
        dequeueFailures = 0
      } catch {
        dequeueFailures += 1
        // Up to 7 EIO in a row are tolerated: streaming may continue after EIO (see VIDIOC_DQBUF).
        if error.code == EIO && dequeueFailures < 8 { break }
        throw lostTrouble(error)
      }
      count += 1
      countMissed(filled.sequence)
      guard isWhole(filled) else {
        counters.addBadFrame()
        try recycle(filled)
        continue
      }
      if stream.converter == nil {
        deliver(filled)
      } else {
        // If the camera is faster than the conversion, frames become too old for the queue: they are not converted.
        if let older = unconverted {
          if let stamp = older.stamp, worker.clock.now > stamp + FrameQueue.spanNanos {
            counters.addMissedFrames(1)
            try recycle(older)
          } else {
            try convert(older)
          }
        }
        unconverted = filled
      }
    }
    if let unconverted { try convert(unconverted) }
    return count
  }

  /// Counts the frames that the driver dropped before the one with this sequence number.
  private mutating func countMissed(_ sequence: UInt32) {
    if let lastSequence {
      let gap = BufferCheck.droppedFrames(from: lastSequence, to: sequence)
      if gap > 0 { counters.addMissedFrames(gap) }
    }
    lastSequence = sequence
  }

  /// Whether a buffer that the driver has filled contains a complete frame.
  private func isWhole(_ filled: FilledBuffer) -> Bool {
    let memory = unsafe stream.device.memory(of: filled.index)
    let isJPEG = stream.format.pixelFormat == .mjpeg
    var head: (UInt8, UInt8) = (0, 0)
    if isJPEG, filled.offset + 2 <= memory.count {
      head = unsafe (memory[filled.offset], memory[filled.offset + 1])
    }
    return BufferCheck.isWhole(
      filled, minimumBytes: stream.minimumBytes, room: memory.count, isJPEG: isJPEG, head: head)
  }

  /// Puts the driver's buffer itself into the queue as a frame, without a copy.
  private mutating func deliver(_ filled: FilledBuffer) {
    // If this worker was abandoned while the driver hung, another source may use the queue now.
    guard !worker.isAbandoned else { return }
    let now = worker.clock.now
    let time = captureTime(filled, now)
    let isJPEG = stream.format.pixelFormat == .mjpeg
    let count = isJPEG ? filled.byteCount : stream.format.byteCount
    lastGood = now
    frames.put(
      stream.buffers.frame(of: filled, byteCount: count, format: stream.format, capturedAt: time),
      limit: stream.queueLimit)
    counters.addGoodFrame()
  }

  /// Converts a buffer, puts the result into the queue as a frame, and queues the buffer to the driver again.
  private mutating func convert(_ filled: FilledBuffer) throws(CameraTrouble) {
    guard let converter = stream.converter, let pool = stream.pool else { return }
    let now = worker.clock.now
    let time = captureTime(filled, now)
    guard let blank = pool.borrow() else {
      // No buffer is free for the converted frame, because the consumer uses all of them. Count the frame as missed.
      counters.addMissedFrames(1)
      try recycle(filled)
      return
    }
    let memory = unsafe stream.device.memory(of: filled.index)
    let source = unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[filled.offset..<filled.offset + filled.byteCount])
    let isGood = unsafe converter.convert(source, into: blank.bytes)
    try recycle(filled)
    guard isGood else {
      counters.addBadFrame()
      return
    }
    lastGood = now
    guard !worker.isAbandoned else { return }
    frames.put(blank.finish(format: stream.format, capturedAt: time))
    counters.addGoodFrame()
  }

  /// The capture time of a frame, always later than the capture time of the frame before.
  private mutating func captureTime(_ filled: FilledBuffer, _ now: MediaTime) -> MediaTime {
    lastCaptureTime = BufferCheck.time(
      of: filled, now: now, intervalNanos: stream.intervalNanos, after: lastCaptureTime)
    return lastCaptureTime
  }

  /// Gives a buffer back to the driver, to be filled again.
  private func recycle(_ filled: FilledBuffer) throws(CameraTrouble) {
    do { try stream.device.queue(filled.index) } catch { throw lostTrouble(error) }
  }

  /// Makes the error to throw for a device that was unplugged while it streamed.
  private func lostTrouble(_ error: SystemError) -> CameraTrouble {
    .lost(path: stream.selection.path, name: stream.selection.name, error: error)
  }
}
