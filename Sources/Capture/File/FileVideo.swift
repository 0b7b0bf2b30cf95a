// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// The video of a media file, looped in real time. A file with a single frame shows it for ever.
///
/// A frame with the timestamp t is due at epoch + k × duration + t in pass k. `FileAudio` with the same epoch does the
/// same, so both stay in step. The current frame is put again every 100 ms until the next one is due, so that a slow
/// slide show is not mistaken for a source that has failed.
public final class FileVideo: Source {
  static let repeatNanos: Int64 = .milliseconds(100)
  /// Frames that are later than this are skipped.
  static let lateNanos: Int64 = .milliseconds(100)
  /// A frame is shown at least this often, even if all are late.
  static let showAnywayNanos: Int64 = .milliseconds(500)
  /// When playback is later than this, it seeks.
  static let seekNanos: Int64 = .seconds(3)
  static let retryNanos: Int64 = .seconds(1)

  private let path: String
  private let epoch: MediaTime
  private let longestSide: Int
  private let frames: FrameQueue
  private let listener: SourceListener
  private let worker: Worker

  /// - Parameters:
  ///   - epoch: when the first pass starts.
  ///   - longestSide: larger frames are scaled down so that neither side is longer.
  public init(
    path: String, epoch: MediaTime, longestSide: Int = 1920, frames: FrameQueue,
    clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.path = path
    self.epoch = epoch
    self.longestSide = longestSide
    self.frames = frames
    listener = report
    worker = Worker(name: "file-video", clock: clock)
  }

  public func start() { worker.start { [self] in run() } }

  public func requestStop() { worker.requestStop() }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var reporter = SourceReporter(listener)
    repeat {
      do throws(FileTrouble) {
        try play { format in
          reporter.reportRunning("The picture comes from the file \(path), \(format.size).")
        }
        return
      } catch {
        if error == .interrupted { return }
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + FileVideo.retryNanos)
  }

  /// Plays the file in a loop. Returns when the source is stopped.
  private func play(whenRunning: (FrameFormat) -> Void) throws(FileTrouble) {
    var file = try MediaFile(path: path, kind: .video, worker: worker)
    var loop = LoopClock(epoch: epoch, duration: file.duration)
    var current = CurrentFrame(converter: FrameConverter(longestSide: longestSide))
    defer { current.clear() }
    var isRunning = false
    /// Frames decoded since the last seek.
    var decoded = 0
    /// Whether this pass began at the start of the file.
    var isWhole = true

    func seek(to time: Int64) throws(FileTrouble) {
      decoded = 0
      isWhole = time == 0
      guard !file.rewind(to: time) else { return }
      isWhole = true
      file = try MediaFile(path: path, kind: .video, worker: worker)
    }

    let offset = loop.begin(at: worker.clock.now)
    if offset > FileVideo.seekNanos { try seek(to: offset) }
    while true {
      let step = file.next()
      if worker.isStopping { return }
      switch step {
      case .frame(let time):
        decoded += 1
        // A still is due at once, whatever its timestamp is.
        let due = max(loop.due(time), loop.passStart)
        let lateness = worker.clock.now - due
        loop.contentReaches(file.measuredEnd)
        // Skip frames after the end of the pass, and timestamps that damage has made too large.
        if time > 0, due >= loop.passEnd || time > file.measuredEnd { continue }
        if lateness > FileVideo.seekNanos, decoded > 1, loop.duration != nil {
          try seek(to: loop.begin(at: worker.clock.now))
          continue
        }
        if decoded > 1, lateness > FileVideo.lateNanos,
          worker.clock.now - current.lastPut < FileVideo.showAnywayNanos
        {
          continue
        }
        guard unsafe show(file.frame, due: due, &current) else { return }
        // Only once: the size may change with each frame.
        if let format = current.format, !isRunning {
          isRunning = true
          whenRunning(format)
        }
      case .ended:
        if decoded == 0 {
          guard isWhole else {
            try seek(to: 0)
            continue
          }
          throw .broken(path: path, what: MediaFile.Kind.video.word)
        }
        if decoded == 1, isWhole {
          while repeatCurrent(until: .distantFuture, &current) {}
          return
        }
        loop.passEnded(at: file.measuredEnd)
        try seek(to: 0)
      }
    }
  }

  /// The frame on display, with the buffers that it is converted into.
  private struct CurrentFrame {
    let converter: FrameConverter
    var store: FrameStore?
    var slot: Int?
    var format: FrameFormat?
    var lastPut = MediaTime.distantPast

    init(converter: FrameConverter) { self.converter = converter }

    mutating func clear() {
      if let slot { store?.recycle(slot: slot) }
      slot = nil
    }
  }

  /// Converts a frame, and puts it when it is due.
  /// - Returns: `false` when the source is stopped.
  private func show(
    _ frame: UnsafePointer<AVFrame>, due: MediaTime, _ current: inout CurrentFrame
  ) -> Bool {
    let format = unsafe current.converter.format(of: frame)
    let store: FrameStore
    if let fitting = current.store, fitting.capacity >= format.byteCount {
      store = fitting
    } else {
      current.clear()
      store = FrameStore(capacity: format.byteCount)
      current.store = store
    }
    guard let slot = store.claim() else {
      return true
    }
    guard unsafe current.converter.convert(frame, to: format, into: store.bytes(of: slot)) else {
      store.recycle(slot: slot)
      return true
    }
    while worker.clock.now < due {
      guard repeatCurrent(until: due, &current) else {
        store.recycle(slot: slot)
        return false
      }
    }
    current.clear()
    current.slot = slot
    current.format = format
    // A late frame must not get an earlier time than the repetition before it.
    let time = max(due, current.lastPut + 1)
    frames.put(store.frame(in: slot, format: format, capturedAt: time))
    current.lastPut = time
    return true
  }

  /// Waits until `deadline`, or until the current frame has to be repeated, and then repeats it.
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
