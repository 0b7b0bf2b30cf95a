// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// The format of the raw samples that a pipe brings.
public struct AudioPipeFormat: Sendable, Equatable {
  public var samples: PipeSamples
  /// Sample frames a second.
  public var rate: Int
  /// Interleaved channels, 1 or 2.
  public var channels: Int

  public init(samples: PipeSamples, rate: Int, channels: Int) {
    (self.samples, self.rate, self.channels) = (samples, rate, channels)
  }

  var frameBytes: Int { samples.bytes * channels }
  /// The size of the pipe's buffer that is asked of the kernel: 40 ms of sound, which is all that the pipe delays, but
  /// at least two pages, since a page that has been read in part takes nothing new.
  var bufferBytes: Int { max(8_192, rate * frameBytes / 25) }
}

/// A source of raw audio that another program writes into a named pipe, synchronized with CLOCK_MONOTONIC as a
/// microphone is: `ClockFollower` compares what has been written with the time that has passed. A writer that is faster
/// than time is held back. When the writer leaves, the source waits for the next one, for ever.
public final class AudioPipe: ClockedSource {
  private static let retryNanos: Int64 = .seconds(1)
  /// A writer that has sent nothing for this long is reported, in nanoseconds.
  private static let silentNanos: Int64 = .seconds(1)
  /// The shortest time between two readings, in nanoseconds. Each costs as much time of the processor as resampling its
  /// samples. A writer that writes less often is read when it writes. It must be no multiple of the time between the
  /// writes of usual programs, 10 ms or a power of two of sample frames: readings would drift slowly against the
  /// writes, which looks like another clock.
  static let restNanos: Int64 = .milliseconds(17)

  private let path: String
  private let format: AudioPipeFormat
  private let queue: PCMQueue
  private let listener: SourceListener
  private let worker: Worker
  private let jumps = Atomic<Int>(0)
  /// The drift of the writer's clock in millionths, as the bits of a Double; NaN until it is known.
  private let driftBits = Atomic<UInt64>(Double.nan.bitPattern)

  /// - Parameter queue: receives the audio, converted to the queue's number of channels, 1 or 2.
  public init(
    path: String, _ format: AudioPipeFormat, queue: PCMQueue, clock: MediaClock = .system,
    report: @escaping SourceListener
  ) {
    self.path = path
    self.format = format
    self.queue = queue
    listener = report
    worker = Worker(name: "audio-pipe", urgency: .device, clock: clock)
  }

  /// The drift of the writer's clock against CLOCK_MONOTONIC in millionths: + for a writer that is fast. `nil` until it
  /// is known.
  public var driftPPM: Double? {
    let drift = Double(bitPattern: driftBits.load(ordering: .relaxed))
    return drift.isNaN ? nil : drift
  }

  public var tally: String {
    "audio pipe: \(jumps.load(ordering: .relaxed)) jumps, clock "
      + (driftPPM.map { Microphone.text(driftPPM: $0) } ?? "not yet known")
  }

  public func start() { worker.start { [self] in run() } }

  public func requestStop() { worker.requestStop() }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var reporter = SourceReporter(listener)
    /// When the audio that was put into the queue ends. No audio is put before this time.
    var floor = MediaTime.distantPast
    repeat {
      do throws(PipeTrouble) {
        let end = try PipeEnd(path: path, bytes: format.bufferBytes)
        let samples = try PipeSamplesReader(
          end, format, path: path, channels: queue.channels, floor: floor)
        defer { floor = samples.resampler.end }
        try read(samples, &reporter)
        return
      } catch {
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + AudioPipe.retryNanos)
  }

  /// Reads the pipe. Returns when the source is stopped.
  private func read(
    _ samples: PipeSamplesReader, _ reporter: inout SourceReporter
  ) throws(PipeTrouble) {
    let end = samples.end
    var isRunning = false
    var next = MediaTime.distantPast
    while true {
      guard end.wait(until: worker.clock.now + AudioPipe.silentNanos, worker) else {
        if worker.isStopping { return }
        if end.isReplaced { throw .noWriter(path: path) }
        isRunning = false
        reporter.report(end.hasWriter ? PipeTrouble.silent(path: path) : .noWriter(path: path))
        samples.begin()
        continue
      }
      guard worker.sleep(until: next) else { return }
      next = worker.clock.now + AudioPipe.restNanos
      switch unsafe samples.read(worker.clock.now, into: queue) {
      case .read(let advice):
        if case .jump = advice { jumps.wrappingAdd(1, ordering: .relaxed) }
        if advice != .none {
          driftBits.store(
            (samples.resampler.driftPPM ?? .nan).bitPattern, ordering: .relaxed)
        }
        guard !isRunning else { break }
        isRunning = true
        reporter.reportRunning(
          "The sound comes from the pipe \(path): \(format.rate) Hz,"
            + " \(format.channels == 1 ? "mono" : "stereo"), \(format.samples.rawValue).")
      case .nothing: break
      case .left:
        isRunning = false
        reporter.report(PipeTrouble.noWriter(path: path))
        samples.begin()
      case .failed(let errno): throw .failed(path: path, errno: errno)
      }
    }
  }
}
