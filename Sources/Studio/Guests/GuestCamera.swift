// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Media
internal import Synchronization

/// The frames of a guest in the place of those of a camera (`video.source = "guest:NAME"`).
final class GuestCamera: Source {
  /// How often it looks for the guest's line, which changes with his address, in nanoseconds.
  private static let lookNanos = Int64.milliseconds(100)
  /// Nanoseconds without a frame after which the guest counts as gone.
  private static let patienceNanos = Int64.seconds(2)

  private let name: String
  private let lines: GuestLines
  private let frames: FrameQueue
  private let worker: Worker
  private let report: SourceListener

  init(
    _ name: String, of lines: GuestLines, frames: FrameQueue, clock: MediaClock,
    report: @escaping SourceListener
  ) {
    (self.name, self.lines, self.frames, self.report) = (name, lines, frames, report)
    worker = Worker(name: "guest-camera", clock: clock)
  }

  func start() { worker.start { [self] in run() } }

  func requestStop() { worker.requestStop() }

  @discardableResult func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private func putEmptyFrame() {
    guard let blank = FramePool(count: 1, capacity: 1).borrow() else { return }
    let format = FrameFormat(
      pixelFormat: .i420, size: PictureSize(width: 2, height: 2), colour: .bt709)
    frames.put(blank.finish(format: format, capturedAt: .distantPast, byteCount: 0))
  }

  private func run() {
    var line: GuestLine?
    defer { line?.frames.endCopies(into: frames) }
    var last: SourceReport?
    func tell(_ new: SourceReport) {
      if new != last { report(new) }
      last = new
    }
    var (delivered, newest) = (frames.delivered, worker.clock.now)
    var received = 0
    repeat {
      let now = lines[name]
      if now !== line {
        line?.frames.endCopies(into: frames)
        now?.frames.copyFrames(into: frames)
        line = now
      }
      // While a still is shown, no frames are copied: an empty one shows that the guest still delivers.
      if let line, line.frames.delivered != received {
        received = line.frames.delivered
        if !frames.isActive { putEmptyFrame() }
      }
      if frames.delivered != delivered {
        (delivered, newest) = (frames.delivered, worker.clock.now)
        tell(
          SourceReport(
            state: .running, code: "running", sentence: "The picture comes from the guest \(name).")
        )
      } else if worker.clock.now - newest > Self.patienceNanos {
        tell(
          SourceReport(
            state: .trouble, code: "no_guest",
            sentence: "No picture comes from the guest \(name): see \"onair guest list\"."))
      }
    } while worker.sleep(until: worker.clock.now + Self.lookNanos)
  }
}
