// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Glibc
public import Media
internal import Synchronization

/// Raw pictures from a descriptor, such as another program's output on the standard input.
///
/// I420, without any header, one frame after the other at a size known beforehand. A frame is handed
/// on the moment its last byte is there, and its time is that moment. The writer is never held up:
/// of frames that come faster than they are used, the newest wins. While nobody looks at them they are let
/// go without being copied.
public final class RawPipe: Source {
  private let descriptor: Int32
  private let format: FrameFormat
  private let frames: NewestFrame
  private let report: SourceListener
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter descriptor: read, and not closed.
  public init(
    descriptor: Int32, size: PictureSize, colour: Colour, frames: NewestFrame,
    report: @escaping SourceListener
  ) {
    self.descriptor = descriptor
    self.frames = frames
    self.report = report
    format = FrameFormat(pixelFormat: .i420, size: size, colour: colour)
  }

  public func start() {
    thread.withLock { $0 = MediaThread(name: "pipe", urgency: .ordinary) { [self] in run() } }
  }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    // As much as an ordinary process may ask for: fewer, larger reads. It is a wish.
    _ = fcntl(descriptor, 1031 /* F_SETPIPE_SZ, fcntl(2) */, 1 << 20)
    let pool = FramePool(count: 3, capacity: format.byteCount)
    // Where bytes go that nobody wants; -1 (no such file, no descriptors left) where they have to be read.
    let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if nowhere >= 0 { close(nowhere) } }
    var announced = false
    while true {
      guard let blank = pool.borrow() else {
        // All are in use: a moment later one is not.
        if stopped(within: .milliseconds(5)) { return }
        continue
      }
      let isRead = frames.isActive || nowhere < 0
      switch unsafe fill(blank.bytes, or: isRead ? nil : nowhere) {
      case .whole:
        frames.put(blank.finish(format: format, capturedAt: isRead ? .now() : .distantPast))
        guard !announced else { continue }
        announced = true
        report(
          SourceReport(
            state: .running, code: "running",
            sentence: "Pictures come from the standard input, \(format.size) I420."))
      case .ended where !announced:
        report(
          SourceReport(
            state: .ended, code: "empty",
            sentence: "The standard input ended before one whole frame: pipe raw I420 of "
              + "\(format.size) into onair."))
        return
      case .ended(let missing):
        let cut =
          missing > 0
          ? " The last frame lacked \(missing) bytes: is it really I420 of \(format.size)?" : ""
        report(
          SourceReport(
            state: .ended, code: "ended", sentence: "The standard input has ended.\(cut)"))
        return
      case .failed(let cause):
        report(
          SourceReport(
            state: .ended, code: "failed",
            sentence:
              "The standard input cannot be read (\(cause)). Pipe raw I420 frames into onair."))
        return
      case .stopped: return
      }
    }
  }

  private func stopped(within nanos: Int64) -> Bool {
    waker.wait(for: -1, until: .now() + nanos).woken
  }

  private enum Fill {
    case whole
    case ended(missing: Int)
    case failed(String)
    case stopped
  }

  /// - Parameter nowhere: takes the bytes instead of the buffer.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer, or nowhere: Int32?) -> Fill {
    var filled = 0
    while filled < buffer.count {
      let ready = waker.wait(for: descriptor, until: .distantFuture)
      if ready.woken { return .stopped }
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      var count = -1
      if let nowhere { count = splice(descriptor, nil, nowhere, nil, rest.count, 0) }
      // What is not a pipe cannot be let go of unread.
      if nowhere == nil || (count < 0 && errno == EINVAL) {
        count = unsafe read(descriptor, rest.baseAddress, rest.count)
      }
      switch count {
      case 0: return .ended(missing: filled == 0 ? 0 : buffer.count - filled)
      case 1...: filled += count
      default:
        if errno != EINTR && errno != EAGAIN {
          return unsafe .failed(String(cString: strerror(errno)))
        }
      }
    }
    return .whole
  }
}
