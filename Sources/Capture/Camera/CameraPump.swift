// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// How long a camera is waited for. Nanoseconds.
struct CameraPatience: Sendable {
  /// Without a good picture: the camera is stuck. Five intervals where those are longer.
  var stall: Int64 = .seconds(2)
  /// Likewise for the first picture: lenses move and exposure settles.
  var firstPicture: Int64 = .seconds(4)
  /// Between two attempts to open a device.
  var retry: Int64 = .milliseconds(500)
  /// Between two looks at whether there is a signal.
  var signalCheck: Int64 = .seconds(1)
}

/// Carries pictures from a stream to where the newest is wanted, until the stream fails or `waker` is
/// called. Allocates nothing once it runs.
struct CameraPump: ~Copyable {
  let stream: CameraStream
  let frames: NewestFrame
  let counters: CameraCounters
  let patience: CameraPatience
  let waker: Waker

  private var lastSequence: UInt32?
  private var lastGood: MediaTime?
  private var lastTime = MediaTime.distantPast
  private var failures = 0

  init(
    stream: CameraStream, frames: NewestFrame, counters: CameraCounters,
    patience: CameraPatience, waker: Waker
  ) {
    self.stream = stream
    self.frames = frames
    self.counters = counters
    self.patience = patience
    self.waker = waker
  }

  /// - Parameter onFirst: called at the first good picture.
  mutating func run(onFirst: () -> Void) throws(CameraTrouble) {
    let started = MediaTime.now()
    let stall = max(patience.stall, 5 * stream.intervalNanos)
    let patienceAtFirst = max(patience.firstPicture, stall)
    var nextCheck = started + patience.signalCheck
    while true {
      stream.buffers.requeue()
      let now = MediaTime.now()
      let deadline = lastGood.map { $0 + stall } ?? started + patienceAtFirst
      if now >= deadline {
        let seconds = Int((now - (lastGood ?? started)) / .seconds(1))
        throw stream.device.hasNoSignal()
          ? .noSignal(path: stream.selection.path, name: stream.selection.name)
          : .stuck(
            path: stream.selection.path, name: stream.selection.name, seconds: max(1, seconds))
      }
      if now >= nextCheck {
        nextCheck = now + patience.signalCheck
        if stream.device.hasNoSignal() {
          throw .noSignal(path: stream.selection.path, name: stream.selection.name)
        }
      }
      let answer = waker.wait(
        for: stream.device.descriptor, or: stream.buffers.returns, until: min(deadline, nextCheck))
      if answer.woken { return }
      guard !answer.events.isEmpty else { continue }
      let isFirst = lastGood == nil
      let count = try drain()
      if isFirst, lastGood != nil { onFirst() }
      // An error condition without a buffer behind it (all are lent, says a kernel before 4.5): the
      // device would be "ready" again at once.
      if count == 0, waker.wait(for: -1, until: now + .milliseconds(5)).woken { return }
    }
  }

  /// Takes all that is ready.
  /// - Returns: how many buffers there were.
  private mutating func drain() throws(CameraTrouble) -> Int {
    var newest: FilledBuffer?
    var count = 0
    // Bounded, for a camera may be faster than we are.
    while count < 32 {
      let filled: FilledBuffer
      do {
        guard let next = try stream.device.dequeue() else { break }
        filled = next
        failures = 0
      } catch {
        failures += 1
        // The kernel's chapter on VIDIOC_DQBUF: after EIO it may go on.
        if error.code == EIO && failures < 8 { break }
        throw lost(error)
      }
      count += 1
      note(filled.sequence)
      guard isWhole(filled) else {
        counters.addBad()
        try recycle(filled)
        continue
      }
      if stream.converter == nil {
        deliver(filled)
      } else {
        // Only the newest is worth converting.
        if let older = newest { try recycle(older) }
        newest = filled
      }
    }
    if let newest { try convert(newest) }
    return count
  }

  private mutating func note(_ sequence: UInt32) {
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
      filled, least: stream.leastBytes, room: memory.count, isJPEG: isJPEG, head: head)
  }

  /// Hands the buffer itself on.
  private mutating func deliver(_ filled: FilledBuffer) {
    let now = MediaTime.now()
    let time = stamp(filled, now)
    let isJPEG = stream.format.pixelFormat == .mjpeg
    let count = isJPEG ? filled.byteCount : stream.format.byteCount
    lastGood = now
    frames.put(
      stream.buffers.lend(filled, byteCount: count, format: stream.format, capturedAt: time))
    counters.addFrame()
  }

  /// Hands on what libv4lconvert makes of the buffer, and the buffer back.
  private mutating func convert(_ filled: FilledBuffer) throws(CameraTrouble) {
    guard let converter = stream.converter, let pool = stream.pool else { return }
    let now = MediaTime.now()
    let time = stamp(filled, now)
    guard let blank = pool.borrow() else {
      // Whoever shows pictures keeps them all: as if the driver had found no buffer.
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

  private func lost(_ error: DriverError) -> CameraTrouble {
    .lost(path: stream.selection.path, name: stream.selection.name, error: error)
  }
}
