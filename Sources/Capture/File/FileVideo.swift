// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFFmpeg
public import Media
internal import Posix

/// The video of a media file, played in a loop in real time. If the file has a single frame, that frame is shown for
/// ever.
///
/// A frame with the timestamp t is due at start + k × duration + t in pass k. The `FileAudio` with the same
/// `FileStarts` computes times in the same way, so both stay in step. The current frame is put into the queue again
/// every 100 ms until the next one is due, so that a slow slide show is not mistaken for a source that has failed.
public final class FileVideo: Source {
  /// The time in nanoseconds after which the current frame is put into the queue again.
  static let repeatNanos: Int64 = .milliseconds(100)
  /// Frames that are more than this many nanoseconds late are skipped.
  static let maxLatenessNanos: Int64 = .milliseconds(100)
  /// The time in nanoseconds without a new frame after which the next one is shown even if it is late.
  static let showAnywayNanos: Int64 = .milliseconds(500)
  /// The time from a failure to the next attempt to play the file, in nanoseconds.
  static let retryNanos: Int64 = .seconds(1)

  /// The path of the media file.
  private let path: String
  /// Decides when the first pass through the file starts.
  private let starts: FileStarts
  /// Refuses a file that has crashed the program at several openings in a row.
  private let openings: FileOpenings
  /// The maximum width and height of a frame in pixels; larger frames are scaled down.
  private let longestSide: Int
  /// The queue that receives the frames.
  private let frames: FrameQueue
  /// Called with each report of the source's state.
  private let listener: SourceListener
  /// The source's thread.
  private let worker: Worker

  /// - Parameters:
  ///   - starts: decides when the first pass through the file starts; the same object for the video and the audio of a
  ///     file.
  ///   - openings: refuses files that have crashed the program at several openings in a row.
  ///   - longestSide: the maximum width and height in pixels; larger frames are scaled down.
  public init(
    path: String, starts: FileStarts, openings: FileOpenings = FileOpenings(),
    longestSide: Int = 1920, frames: FrameQueue,
    clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.path = path
    self.starts = starts
    self.openings = openings
    self.longestSide = longestSide
    self.frames = frames
    listener = report
    worker = Worker(name: "file-video", clock: clock)
  }

  /// Starts the source's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the source's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the source's thread to end, and waits for its end. Returns `false` if the thread has not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the source's thread: plays the file, and tries again after a failure, until the source is stopped.
  private func run() {
    var reporter = SourceReporter(listener)
    let path = path
    repeat {
      do throws(FileTrouble) {
        try play { playReport in
          switch playReport {
          case .running(let size):
            reporter.reportRunning("The picture comes from the file \(path), \(size).")
          case .trouble(let trouble): reporter.report(trouble)
          }
        }
        return
      } catch {
        if error == .interrupted { return }
        reporter.report(error)
        // Wait until the file has changed: another attempt would fail again at the same frame.
        if case .tooLarge = error { waitForAnotherFile() }
      }
    } while worker.sleep(until: worker.clock.now + FileVideo.retryNanos)
  }

  /// Waits until the file has changed, or the source is stopped.
  private func waitForAnotherFile() {
    let stamp = FileStamp(path: path)
    while FileStamp(path: path) == stamp,
      worker.sleep(until: worker.clock.now + FileVideo.retryNanos)
    {}
  }

  /// A report of `play`: frames of this size arrive, or there is trouble.
  private enum PlayReport {
    case running(PictureSize)
    case trouble(FileTrouble)
  }

  /// Plays the file in a loop. Returns when the source is stopped.
  private func play(report: @escaping (PlayReport) -> Void) throws(FileTrouble) {
    /// The size of the first frame of this file that was shown; `nil` until then. Only this size is reported, even if
    /// later frames have other sizes.
    var size: PictureSize?
    let loop = try FileLoop(
      path: path, kind: .video, starts: starts, openings: openings, worker: worker
    ) { trouble in
      if let trouble {
        report(.trouble(trouble))
      } else if let size {
        report(.running(size))
      }
    }
    var current = CurrentFrame(
      converter: FrameConverter(largest: PictureSize(width: longestSide, height: longestSide)))
    defer { current.clear() }
    while true {
      let step = try loop.next()
      if loop.file.isTooLarge { throw .tooLarge(path: path) }
      switch step {
      case .stopped: return
      case .replaced: size = nil
      case .frame(let due):
        // A frame with a negative timestamp, as a still may have, is due at the start of the pass.
        let due = max(due, loop.clock.passStart)
        guard due < loop.clock.passEnd else { continue }
        if loop.decodedFrames > 1, worker.clock.now - due > FileVideo.maxLatenessNanos,
          worker.clock.now - current.lastPut < FileVideo.showAnywayNanos
        {
          continue
        }
        switch show(loop, due: due, &current) {
        case .stopped: return
        case .skipped: break
        case .put(let put):
          if size == nil {
            size = put
            report(.running(put))
          }
        }
      case .passEnded:
        if loop.decodedFrames == 0, loop.isWholePass {
          throw .broken(path: path, what: MediaFile.Kind.video.word)
        }
        if loop.decodedFrames > 0, loop.isWholePass, size == nil {
          throw .unfitPicture(path: path)
        }
        if loop.decodedFrames == 1, loop.isWholePass {
          while !loop.checkForReplacement() {
            guard repeatCurrent(until: .distantFuture, &current) else { return }
          }
          continue
        }
        try loop.beginNextPass()
      }
    }
  }

  /// The frame that was put into the queue last, and the buffers that frames are converted into.
  private struct CurrentFrame {
    let converter: FrameConverter
    var store: FrameStore?
    /// The number of the buffer in `store` that contains the current frame; `nil` if there is no current frame.
    var slot: Int?
    var format: FrameFormat?
    /// The capture time with which the frame was put into the queue last.
    var lastPut = MediaTime.distantPast

    init(converter: FrameConverter) { self.converter = converter }

    mutating func clear() {
      if let slot { store?.recycle(slot: slot) }
      slot = nil
    }
  }

  /// The result of `show`.
  private enum ShowResult {
    /// A frame of this size was put into the queue.
    case put(PictureSize)
    /// The frame was not put into the queue.
    case skipped
    case stopped
  }

  /// Converts the decoded frame, waits until it is due, and puts it into the queue. Skips the frame if it cannot be
  /// converted, or if the file is replaced meanwhile.
  private func show(_ loop: FileLoop, due: MediaTime, _ current: inout CurrentFrame) -> ShowResult {
    let plan = unsafe current.converter.plan(for: loop.file.frame, loop.file.orientation)
    let format = plan.format
    let store: FrameStore
    if let fitting = current.store, fitting.capacity >= format.byteCount {
      store = fitting
    } else {
      current.clear()
      store = FrameStore(capacity: format.byteCount)
      current.store = store
    }
    guard let slot = store.claim() else { return .skipped }
    let isConverted = unsafe current.converter.convert(
      loop.file.frame, by: plan, into: store.bytes(of: slot))
    guard isConverted else {
      store.recycle(slot: slot)
      return .skipped
    }
    while worker.clock.now < due, !loop.checkForReplacement() {
      guard repeatCurrent(until: due, &current) else {
        store.recycle(slot: slot)
        return .stopped
      }
    }
    guard worker.clock.now >= due else {
      store.recycle(slot: slot)
      return .skipped
    }
    current.clear()
    current.slot = slot
    current.format = format
    // A late frame must not get an earlier time than the last repetition of the frame before.
    let time = max(due, current.lastPut + 1)
    frames.put(store.frame(in: slot, format: format, capturedAt: time))
    current.lastPut = time
    return .put(format.size)
  }

  /// Waits until `deadline`. If the current frame has to be repeated earlier, waits only until that time, and puts the
  /// frame into the queue again.
  /// - Returns: `false` when the source is stopped.
  private func repeatCurrent(until deadline: MediaTime, _ current: inout CurrentFrame) -> Bool {
    let repeatAt = max(current.lastPut + FileVideo.repeatNanos, worker.clock.now)
    let next = current.slot == nil ? deadline : min(deadline, repeatAt)
    guard worker.sleep(until: next) else { return false }
    guard next < deadline, let slot = current.slot, let store = current.store,
      let format = current.format
    else { return true }
    frames.put(store.frame(in: slot, format: format, capturedAt: next))
    current.lastPut = next
    return true
  }
}
