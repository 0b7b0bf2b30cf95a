// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CPosix
internal import Glibc
public import Media
internal import Posix

/// A source of raw I420 frames that are read from a file descriptor, such as standard input with the output of another
/// program.
///
/// The frames have no header; their size is known beforehand. A frame goes into the queue when its last byte has been
/// read, and that moment is its capture time. The writer is never blocked: when frames arrive faster than they are
/// used, `FrameQueue` drops some. While the consumer does not use the frames, they are discarded in the kernel without
/// being copied.
public final class RawPipe: Source {
  /// The file descriptor that the frames are read from.
  private let descriptor: Int32
  /// The format of the frames.
  private let format: FrameFormat
  /// The queue that receives the frames.
  private let frames: FrameQueue
  /// Called with each report of the source's state.
  private let report: SourceListener
  /// The source's thread.
  private let worker: Worker

  /// - Parameter descriptor: the file descriptor to read from; it is not closed.
  public init(
    descriptor: Int32, size: PictureSize, colour: Colour, frames: FrameQueue,
    clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.descriptor = descriptor
    self.frames = frames
    self.report = report
    format = FrameFormat(pixelFormat: .i420, size: size, colour: colour)
    worker = Worker(name: "pipe", clock: clock)
  }

  /// Starts the source's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the source's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the source's thread to end, and waits for its end. Returns `false` if the thread has not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the source's thread: reads frames until the input ends or fails, or the source is stopped.
  private func run() {
    // Requests the largest pipe buffer that an unprivileged process may have, for fewer and larger reads. A failure
    // does no harm.
    _ = fcntl(descriptor, 1031 /* F_SETPIPE_SZ, fcntl(2) */, 1 << 20)
    let pool = FramePool(count: FrameQueue.bufferCount, capacity: format.byteCount)
    // Unused frames are spliced to /dev/null. If /dev/null cannot be opened (-1), these frames are read instead.
    let discard = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if discard >= 0 { close(discard) } }
    var isRunning = false
    while true {
      // Do not borrow a buffer until data of the next frame arrives: during this wait, the consumer often releases an
      // earlier buffer, so that one buffer less is needed.
      worker.wait(until: .distantFuture, for: descriptor)
      if worker.isStopping { return }
      guard let blank = pool.borrow() else {
        // All buffers are in use. Wait until one is recycled.
        guard worker.sleep(until: worker.clock.now + .milliseconds(5)) else { return }
        continue
      }
      let isRead = frames.isActive || discard < 0
      switch unsafe fill(blank.bytes, orDiscardTo: isRead ? nil : discard) {
      case .whole:
        let time = isRead ? worker.clock.now : .distantPast
        frames.put(blank.finish(format: format, capturedAt: time))
        guard !isRunning else { continue }
        isRunning = true
        report(
          SourceReport(
            state: .running, code: "running",
            sentence: "The picture comes from standard input, \(format.size) I420."))
      case .ended(let missing):
        report(endReport(missing: missing, isRunning: isRunning))
        return
      case .failed(let error):
        report(
          SourceReport(
            state: .ended, code: "failed",
            sentence: "Cannot read standard input (\(error)): pipe raw I420 frames into onair."))
        return
      case .stopped: return
      }
    }
  }

  /// Makes the report that the input has ended.
  /// - Parameters: the number of bytes that the last frame lacks; and whether any whole frame was read.
  private func endReport(missing: Int, isRunning: Bool) -> SourceReport {
    guard isRunning else {
      return SourceReport(
        state: .ended, code: "empty",
        sentence: "Standard input ended before the first whole frame: pipe raw I420 of "
          + "\(format.size) into onair.")
    }
    let cut =
      missing > 0
      ? " The last frame lacked \(missing) bytes: is it really I420 of \(format.size)?" : ""
    return SourceReport(state: .ended, code: "ended", sentence: "Standard input has ended.\(cut)")
  }

  /// The result of reading a frame.
  private enum Fill {
    case whole
    /// The input has ended. `missing` is the number of bytes that the last frame lacks.
    case ended(missing: Int)
    case failed(SystemError)
    case stopped
  }

  /// Reads one frame into `buffer`, or discards it.
  /// - Parameter discard: the descriptor to which the bytes are moved instead of into `buffer`; `nil` to read them.
  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer, orDiscardTo discard: Int32?
  ) -> Fill {
    var filled = 0
    while filled < buffer.count {
      worker.wait(until: .distantFuture, for: descriptor)
      if worker.isStopping { return .stopped }
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      var count = -1
      if let discard { count = splice(descriptor, nil, discard, nil, rest.count, 0) }
      // If splice(2) has failed with EINVAL, the descriptor is not a pipe. Read the bytes in this case.
      if discard == nil || (count < 0 && errno == EINVAL) {
        count = unsafe read(descriptor, rest.baseAddress, rest.count)
      }
      switch count {
      case 0: return .ended(missing: filled == 0 ? 0 : buffer.count - filled)
      case 1...: filled += count
      default:
        let error = SystemError()
        if error.code != EINTR && error.code != EAGAIN { return .failed(error) }
      }
    }
    return .whole
  }
}
