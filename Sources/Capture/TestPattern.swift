// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// A moving test picture that needs no camera: colour bars, a sweeping hand, the time of day to the
/// millisecond, and a white flash at each full second, when `Tone` beeps.
public final class TestPattern: Source {
  private let framesPerSecond: Int
  private let format: FrameFormat
  private let beat: SecondBeat
  private let frames: NewestFrame
  private let report: SourceListener
  private let stopping = Signal()
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameter size: even, in pixels.
  public init(
    size: PictureSize, framesPerSecond: Int, beat: SecondBeat, frames: NewestFrame,
    report: @escaping SourceListener
  ) {
    format = FrameFormat(pixelFormat: .i420, size: size, colour: .bt709)
    self.framesPerSecond = framesPerSecond
    self.beat = beat
    self.frames = frames
    self.report = report
  }

  public func start() {
    thread.withLock { $0 = MediaThread(name: "pattern", urgency: .device) { [self] in run() } }
  }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    stopping.signal()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    let pool = FramePool(count: 3, capacity: format.byteCount)
    let painter = PatternPainter(size: format.size)
    report(
      SourceReport(
        state: .running, code: "running",
        sentence: "The test picture is on, \(format.size) at \(framesPerSecond) a second."))
    let start = MediaTime.now()
    var count: Int64 = 0
    while true {
      let due = start + count * 1_000_000_000 / Int64(framesPerSecond)
      if stopping.wait(until: due) { return }
      if let blank = pool.borrow() {
        unsafe painter.paint(blank.bytes, moment: beat.moment(at: due), frame: count)
        frames.put(blank.finish(format: format, capturedAt: due))
      }
      count += 1
      // After a stall the missed pictures are not painted one after the other.
      let late = (MediaTime.now() - due) * Int64(framesPerSecond) / 1_000_000_000
      if late > 1 { count += late }
    }
  }
}
