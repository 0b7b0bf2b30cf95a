// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media

/// Reads the frames that come through a pipe, and puts them into a queue. A frame goes into the queue when its last
/// byte has been read. While the consumer does not use the frames, they are discarded in the kernel without being
/// copied. Used by one thread.
@safe final class PipeFrameReader {
  /// A writer that has sent nothing for this long is reported, in nanoseconds.
  private static let silentNanos: Int64 = .seconds(1)
  /// A header's time that differs from the present by more than this many nanoseconds is not used.
  private static let stampNanos: Int64 = .seconds(1)

  /// What `next` has found.
  enum Step: Equatable {
    /// A frame of this size was put into the queue.
    case put(PictureSize)
    /// A frame was discarded, since it had been written before frames were used.
    case stale
    /// Nothing has come for a second.
    case silent
    /// The last writer has left, or standard input has ended, within a frame that lacked `missing` bytes.
    case left(missing: Int)
    case badHeader(String)
    case failed(errno: Int32)
    case stopped
  }

  let end: PipeEnd
  private let format: VideoPipeFormat
  private let frames: PipeFrames
  private let queue: FrameQueue
  private let worker: Worker
  private var pool: FramePool
  /// A frame that has to be converted, as it comes.
  private var raw: [UInt8] = []
  private var header = [UInt8](repeating: 0, count: PipeFrameHeader.byteCount)
  /// The bytes of the header, and of the frame, that have been read.
  private var (headerCount, filled) = (0, 0)
  /// The header of the present frame; `nil` before it is complete.
  private var present: PipeFrameHeader?
  /// The buffer for the present frame; `nil` before its first byte.
  private var blank: BlankFrame?
  /// Whether the present frame is read, and not discarded.
  private var isRead = true
  /// `FrameQueue.activations` when the present frame began.
  private var activations: Int
  /// The bytes to come that had been written when frames began to be used, as after a pause. Nobody has released them.
  private var staleBytes = 0
  private var isStale = false
  private var lastTime = MediaTime.distantPast
  /// /dev/null; -1 if it cannot be opened. Frames are then read instead of discarded.
  private let sink: Int32

  init(_ end: PipeEnd, _ format: VideoPipeFormat, queue: FrameQueue, worker: Worker) {
    self.end = end
    self.format = format
    self.queue = queue
    activations = queue.activations
    self.worker = worker
    frames = PipeFrames(format.pixels)
    let first = frames.format(of: format.size, degrees: 0)
    pool = FramePool(count: FrameQueue.bufferCount, capacity: first.byteCount)
    sink = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
  }

  deinit {
    if sink >= 0 { close(sink) }
  }

  /// Reads until there is something to tell. The present frame goes on in the next call.
  func next() -> Step {
    while true {
      guard end.wait(until: worker.clock.now + PipeFrameReader.silentNanos, worker) else {
        return worker.isStopping ? .stopped : .silent
      }
      if let step = format.isFramed && present == nil ? readHeader() : readFrame() { return step }
    }
  }

  private func readHeader() -> Step? {
    let reading = unsafe header.withUnsafeMutableBytes { bytes in
      unsafe end.read(
        into: bytes.baseAddress.map { unsafe $0 + headerCount }, count: bytes.count - headerCount)
    }
    guard case .bytes(let count) = reading else {
      return ending(reading, missing: headerCount == 0 ? 0 : header.count - headerCount)
    }
    headerCount += count
    staleBytes = max(0, staleBytes - count)
    guard headerCount == header.count else { return nil }
    headerCount = 0
    guard header.starts(with: PipeFrameHeader.magic) else {
      seekHeader()
      return .badHeader(
        "a header does not begin with OAF1, or a frame is not as long as its header says")
    }
    switch PipeFrameHeader.read(header, format.pixels) {
    case .success(let read): present = read
    case .failure(let error):
      seekHeader()
      return .badHeader(error.reason)
    }
    return nil
  }

  /// Keeps the end of a wrong header from where another header may begin.
  private func seekHeader() {
    let first = PipeFrameHeader.magic[0]
    guard let start = header.dropFirst().firstIndex(of: first) else { return }
    headerCount = header.count - start
    for index in 0..<headerCount { header[index] = header[start + index] }
  }

  private func readFrame() -> Step? {
    let frame = present ?? PipeFrameHeader(size: format.size, degrees: 0)
    let result = frames.format(of: frame.size, degrees: frame.degrees)
    let passes = frames.passes(degrees: frame.degrees)
    let total = format.pixels.byteCount(frame.size)
    if blank == nil {
      if pool.capacity < result.byteCount {
        pool = FramePool(count: FrameQueue.bufferCount, capacity: result.byteCount)
      }
      // A buffer is borrowed only when the frame comes. By then an earlier one has been released, and one buffer less
      // is in use.
      guard let borrowed = pool.borrow() else {
        // All buffers are in use: one is recycled soon.
        return worker.sleep(until: worker.clock.now + .milliseconds(5)) ? nil : .stopped
      }
      blank = consume borrowed
      let isActive = queue.isActive
      if queue.activations != activations { staleBytes = end.waitingBytes }
      activations = queue.activations
      isStale = isActive && staleBytes > 0
      isRead = isActive && !isStale || sink < 0
      if !passes, raw.count < total { raw = Array(repeating: 0, count: total) }
    }
    let reading = passes ? fillBlank(total) : fillRaw(total)
    guard case .bytes(let count) = reading else {
      return ending(
        reading, missing: filled == 0 && present == nil ? 0 : total - filled)
    }
    filled += count
    staleBytes = max(0, staleBytes - count)
    guard filled == total else { return nil }
    filled = 0
    present = nil
    guard let whole = blank.take() else { return nil }
    // It may have begun before a pause, and been completed in it.
    if isStale || queue.activations != activations {
      queue.put(whole.finish(format: result, capturedAt: .distantPast))
      return .stale
    }
    let isConverted =
      unsafe passes || !isRead
      || raw.withUnsafeBytes { raw in
        unsafe frames.convert(raw, size: frame.size, degrees: frame.degrees, into: whole.bytes)
      }
    guard isConverted else { return nil }
    let time = isRead ? time(of: frame) : .distantPast
    queue.put(whole.finish(format: result, capturedAt: time))
    return .put(result.size)
  }

  private func fillBlank(_ total: Int) -> PipeEnd.Reading {
    let left = total - filled
    if !isRead { return discard(left) }
    guard let start = unsafe blank?.bytes.baseAddress else { return .none }
    return unsafe end.read(into: start + filled, count: left)
  }

  private func fillRaw(_ total: Int) -> PipeEnd.Reading {
    let (left, filled) = (total - filled, filled)
    if !isRead { return discard(left) }
    return unsafe raw.withUnsafeMutableBytes { bytes in
      unsafe end.read(into: bytes.baseAddress.map { unsafe $0 + filled }, count: left)
    }
  }

  private func discard(_ count: Int) -> PipeEnd.Reading {
    let reading = end.discard(count: count, to: sink)
    // Standard input that is no pipe has to be read, into memory whose content is not used.
    guard reading == .failed(errno: EINVAL) else { return reading }
    if raw.count < 65_536 { raw = Array(repeating: 0, count: 65_536) }
    return unsafe raw.withUnsafeMutableBytes { bytes in
      unsafe end.read(into: bytes.baseAddress, count: min(count, bytes.count))
    }
  }

  /// When a frame was captured. Times rise from frame to frame.
  private func time(of frame: PipeFrameHeader) -> MediaTime {
    let now = worker.clock.now
    var time = now
    if let stamp = frame.captured, abs(now - stamp) <= PipeFrameReader.stampNanos {
      time = min(stamp, now)
    }
    lastTime = max(time, lastTime + 1)
    return lastTime
  }

  private func ending(_ reading: PipeEnd.Reading, missing: Int) -> Step? {
    switch reading {
    case .failed(let errno): return .failed(errno: errno)
    case .left:
      (headerCount, filled) = (0, 0)
      present = nil
      // The next writer's frame may be larger.
      blank = nil
      return .left(missing: missing)
    case .none, .bytes: return nil
    }
  }
}
