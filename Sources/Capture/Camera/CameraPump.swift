// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Posix

/// Timeouts of a camera, in nanoseconds.
struct CameraTimeouts: Sendable {
  /// The camera is stuck when it delivers no good frame for this long, or for five frame intervals if that is longer.
  var stall: Int64 = .seconds(2)
  /// The same for the first frame, because lenses and exposure take time to settle.
  var firstFrame: Int64 = .seconds(4)
  /// Time between attempts to open a device.
  var retry: Int64 = .milliseconds(500)
  /// Time between checks of the input signal.
  var signalCheck: Int64 = .seconds(1)
}

/// Moves frames from a stream to a `FrameQueue`, until the stream fails or the worker is stopped. Allocates nothing
/// per frame.
struct CameraPump: ~Copyable {
  let stream: CameraStream
  let frames: FrameQueue
  let counters: CameraCounters
  let timeouts: CameraTimeouts
  let worker: Worker

  private var lastSequence: UInt32?
  private var lastGood: MediaTime?
  private var lastTime = MediaTime.distantPast
  private var failures = 0

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

  /// - Parameter onFirst: called after the first good frame.
  mutating func run(onFirst: () -> Void) throws(CameraTrouble) {
    let started = worker.clock.now
    let stall = max(timeouts.stall, 5 * stream.intervalNanos)
    let firstTimeout = max(timeouts.firstFrame, stall)
    var nextCheck = started + timeouts.signalCheck
    while true {
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
        nextCheck = now + timeouts.signalCheck
        if stream.device.hasNoSignal() {
          throw .noSignal(path: stream.selection.path, name: stream.selection.name)
        }
      }
      let events = worker.wait(
        until: min(deadline, nextCheck), for: stream.device.descriptor, or: stream.buffers.returns)
      if worker.isStopping { return }
      guard !events.isEmpty else { continue }
      let isFirst = lastGood == nil
      let count = try drain()
      if isFirst, lastGood != nil { onFirst() }
      // Ready without a filled buffer: an error condition (kernels before 4.5 report one while no buffer is queued).
      // The device would be ready again at once.
      if count == 0, !worker.sleep(until: now + .milliseconds(5)) { return }
    }
  }

  /// Dequeues all filled buffers.
  /// - Returns: how many there were.
  private mutating func drain() throws(CameraTrouble) -> Int {
    var unconverted: FilledBuffer?
    var count = 0
    // Bounded, because a camera may be faster than this loop.
    while count < 32 {
      let filled: FilledBuffer
      do {
        guard let next = try stream.device.dequeue() else { break }
        filled = next
        failures = 0
      } catch {
        failures += 1
        // Streaming may continue after EIO (the kernel's documentation of VIDIOC_DQBUF).
        if error.code == EIO && failures < 8 { break }
        throw lost(error)
      }
      count += 1
      countGaps(filled.sequence)
      guard isWhole(filled) else {
        counters.addBad()
        try recycle(filled)
        continue
      }
      if stream.converter == nil {
        deliver(filled)
      } else {
        // A camera that is too fast for the conversion: only frames that may still wait are worth one.
        if let older = unconverted {
          if let stamp = older.stamp, worker.clock.now > stamp + FrameQueue.span {
            counters.addGaps(1)
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

  private mutating func countGaps(_ sequence: UInt32) {
    if let lastSequence {
      let gap = BufferCheck.gap(from: lastSequence, to: sequence)
      if gap > 0 { counters.addGaps(gap) }
    }
    lastSequence = sequence
  }

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

  /// Puts the buffer itself as a frame.
  private mutating func deliver(_ filled: FilledBuffer) {
    // Another source may have taken over while the driver hung.
    guard !worker.isAbandoned else { return }
    let now = worker.clock.now
    let time = stamp(filled, now)
    let isJPEG = stream.format.pixelFormat == .mjpeg
    let count = isJPEG ? filled.byteCount : stream.format.byteCount
    lastGood = now
    frames.put(
      stream.buffers.frame(of: filled, byteCount: count, format: stream.format, capturedAt: time),
      limit: stream.queueLimit)
    counters.addFrame()
  }

  /// Converts the buffer, puts the result, and queues the buffer again.
  private mutating func convert(_ filled: FilledBuffer) throws(CameraTrouble) {
    guard let converter = stream.converter, let pool = stream.pool else { return }
    let now = worker.clock.now
    let time = stamp(filled, now)
    guard let blank = pool.borrow() else {
      // The consumer holds all buffers: count it as if the driver had found none.
      counters.addGaps(1)
      try recycle(filled)
      return
    }
    let memory = unsafe stream.device.memory(of: filled.index)
    let source = unsafe UnsafeMutableRawBufferPointer(
      rebasing: memory[filled.offset..<filled.offset + filled.byteCount])
    let isGood = unsafe converter.convert(source, into: blank.bytes)
    try recycle(filled)
    guard isGood else {
      counters.addBad()
      return
    }
    lastGood = now
    guard !worker.isAbandoned else { return }
    frames.put(blank.finish(format: stream.format, capturedAt: time))
    counters.addFrame()
  }

  private mutating func stamp(_ filled: FilledBuffer, _ now: MediaTime) -> MediaTime {
    lastTime = BufferCheck.time(
      of: filled, now: now, intervalNanos: stream.intervalNanos, after: lastTime)
    return lastTime
  }

  private func recycle(_ filled: FilledBuffer) throws(CameraTrouble) {
    do { try stream.device.queue(filled.index) } catch { throw lost(error) }
  }

  private func lost(_ error: SystemError) -> CameraTrouble {
    .lost(path: stream.selection.path, name: stream.selection.name, error: error)
  }
}
