// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// A test picture that needs no camera: colour bars, a moving white bar, the time of day with milliseconds, and a white
/// flash at the start of each second, together with the beep of `Tone`.
public final class TestPattern: Source {
  /// The number of frames that are painted per second.
  private let framesPerSecond: Int
  /// The format of the painted frames.
  private let format: FrameFormat
  /// Tells the time of day to show, and when the flash is on.
  private let beat: SecondBeat
  /// The queue that receives the frames.
  private let frames: FrameQueue
  /// Called with each report of the source's state.
  private let report: SourceListener
  /// The source's thread.
  private let worker: Worker

  /// - Parameter size: the picture size in pixels; both sides must be even.
  public init(
    size: PictureSize, framesPerSecond: Int, beat: SecondBeat, frames: FrameQueue,
    clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    format = FrameFormat(pixelFormat: .i420, size: size, colour: .bt709)
    self.framesPerSecond = framesPerSecond
    self.beat = beat
    self.frames = frames
    self.report = report
    worker = Worker(name: "pattern", urgency: .device, clock: clock)
  }

  /// Starts the source's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the source's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the source's thread to end, and waits for its end. Returns `false` if the thread has not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the source's thread: paints frames until the source is stopped.
  private func run() {
    let pool = FramePool(count: FrameQueue.bufferCount, capacity: format.byteCount)
    let painter = PatternPainter(size: format.size)
    report(
      SourceReport(
        state: .running, code: "running",
        sentence: "The test picture is on, \(format.size) at \(framesPerSecond) frames/s."))
    let start = worker.clock.now
    var count: Int64 = 0
    while true {
      let due = start + count * 1_000_000_000 / Int64(framesPerSecond)
      guard worker.sleep(until: due) else { return }
      if let blank = pool.borrow() {
        unsafe painter.paint(blank.bytes, moment: beat.moment(at: due), frame: count)
        frames.put(blank.finish(format: format, capturedAt: due))
      }
      count += 1
      // After a delay of at most `FrameQueue.spanNanos`, the missed frames follow at once; after a longer delay, they
      // are skipped.
      let late = worker.clock.now - due
      if late > FrameQueue.spanNanos { count += late * Int64(framesPerSecond) / 1_000_000_000 }
    }
  }
}
