// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Posix

/// The format of the raw frames that a pipe brings.
public struct VideoPipeFormat: Sendable, Equatable {
  public var pixels: PipePixels
  /// The size of each frame; for a framed pipe, the size that is expected.
  public var size: PictureSize
  /// Whether each frame follows a `PipeFrameHeader`.
  public var isFramed: Bool
  /// The frame rate of the broadcast. From a named pipe, hardly more frames are read.
  public var framesPerSecond: Int

  public init(pixels: PipePixels, size: PictureSize, isFramed: Bool = false, framesPerSecond: Int) {
    (self.pixels, self.size, self.isFramed) = (pixels, size, isFramed)
    self.framesPerSecond = framesPerSecond
  }

  /// Names the frames in a sentence.
  var words: String {
    pixels.rawValue.uppercased() + (isFramed ? " with headers" : " of \(size)")
  }
}

/// A source of raw frames that another program writes into a named pipe or into standard input.
///
/// The writer of standard input is never blocked: when frames arrive faster than they are used, `FrameQueue` drops
/// some. A writer of a named pipe that has more than the broadcast's frames a second, such as one that converts a file,
/// is held back. When it leaves, the source waits for the next writer, for ever; standard input then ends the source.
public final class VideoPipe: Source {
  public enum Input: Sendable, Equatable {
    /// A file descriptor, which is not closed.
    case standardInput(Int32)
    case path(String)
  }

  /// The largest buffer of a pipe that an ordinary process may ask for: fewer, larger reads.
  private static let mostBufferBytes = 1 << 20
  /// The kernel's usual buffer.
  private static let leastBufferBytes = 1 << 16
  /// How many frames a named pipe holds. What waits there after a stall stays behind by as much for long, so it is little.
  private static let heldFrames = 2
  private static let retryNanos: Int64 = .seconds(1)
  /// How much faster than the broadcast a named pipe may be: cameras do not keep their rate exactly.
  private static let surplus = 1.02
  /// How many nanoseconds of frames that came late are read at once.
  private static let burstNanos: Int64 = .milliseconds(100)

  private let input: Input
  private let format: VideoPipeFormat
  private let frames: FrameQueue
  private let listener: SourceListener
  private let worker: Worker

  public init(
    _ input: Input, _ format: VideoPipeFormat, frames: FrameQueue, clock: MediaClock = .system,
    report: @escaping SourceListener
  ) {
    self.input = input
    self.format = format
    self.frames = frames
    listener = report
    worker = Worker(name: "pipe", clock: clock)
  }

  public func start() { worker.start { [self] in run() } }

  public func requestStop() { worker.requestStop() }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var reporter = SourceReporter(listener)
    switch input {
    case .standardInput(let descriptor):
      let end = PipeEnd(standardInput: descriptor, bytes: VideoPipe.mostBufferBytes)
      if let trouble = readInput(end, &reporter) { reporter.report(trouble) }
    case .path(let path):
      repeat {
        do throws(PipeTrouble) {
          let frameBytes = format.pixels.byteCount(format.size)
          let bytes = min(
            max(frameBytes * VideoPipe.heldFrames, VideoPipe.leastBufferBytes),
            VideoPipe.mostBufferBytes)
          try read(PipeEnd(path: path, bytes: bytes), path, &reporter)
          return
        } catch {
          reporter.report(error)
        }
      } while worker.sleep(until: worker.clock.now + VideoPipe.retryNanos)
    }
  }

  /// Reads standard input.
  /// - Returns: how it has ended; `nil` if the source was stopped.
  private func readInput(_ end: PipeEnd, _ reporter: inout SourceReporter) -> PipeTrouble? {
    let reader = PipeFrameReader(end, format, queue: frames, worker: worker)
    var (isRunning, hasRun) = (false, false)
    while true {
      switch reader.next() {
      case .put(let size):
        guard !isRunning else { continue }
        isRunning = true
        hasRun = true
        reporter.reportRunning("The picture comes from standard input, \(words(size)).")
      case .silent, .stale: break
      case .badHeader(let reason):
        isRunning = false
        reporter.report(PipeTrouble.inputBadHeader(reason: reason))
      case .left(let missing):
        return hasRun
          ? .inputEnded(missing: missing, what: format.words) : .inputEmpty(what: format.words)
      case .failed(let errno): return .inputFailed(error: "\(SystemError(errno))")
      case .stopped: return nil
      }
    }
  }

  /// Reads a named pipe. Returns when the source is stopped.
  private func read(
    _ end: PipeEnd, _ path: String, _ reporter: inout SourceReporter
  ) throws(PipeTrouble) {
    let reader = PipeFrameReader(end, format, queue: frames, worker: worker)
    let interval = Int64(1e9 / Double(format.framesPerSecond) / VideoPipe.surplus)
    var due = worker.clock.now
    var isRunning = false
    while true {
      let step = reader.next()
      if case .put(let size) = step {
        if !isRunning {
          reporter.reportRunning("The picture comes from the pipe \(path), \(words(size)).")
        }
        isRunning = true
        due = max(due + interval, worker.clock.now - VideoPipe.burstNanos)
        guard worker.sleep(until: due) else { return }
        continue
      }
      // What is not shown is read at once, so that what is shown is new.
      if step == .stale { continue }
      isRunning = false
      switch step {
      case .put, .stale: break
      case .silent:
        if end.isReplaced { throw .noWriter(path: path) }
        reporter.report(end.hasWriter ? PipeTrouble.silent(path: path) : .noWriter(path: path))
      case .badHeader(let reason):
        reporter.report(PipeTrouble.badHeader(path: path, reason: reason))
      case .left(let missing):
        reporter.report(
          missing > 0
            ? PipeTrouble.tornFrame(path: path, missing: missing, what: format.words)
            : .noWriter(path: path))
      case .failed(let errno): throw .failed(path: path, errno: errno)
      case .stopped: return
      }
    }
  }

  private func words(_ size: PictureSize) -> String {
    "\(size) \(format.pixels.rawValue.uppercased())"
  }
}
