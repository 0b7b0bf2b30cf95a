// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFFmpeg
internal import Glibc
public import Media
internal import Synchronization

/// An ALSA microphone as a source of audio, synchronized with CLOCK_MONOTONIC. It is read in periods of 10 ms, at any
/// sample rate.
///
/// The driver's monotonic timestamps say when samples were captured; `ClockFollower` keeps the audio in step with them.
/// The hardware device is opened ("hw:", not "default" or "plughw:"), because only then do periods and timestamps come
/// from the driver. OnAir converts formats, channels and rates itself; ALSA's "plug" is used only for a device that has
/// none of the supported formats. A device that is missing, busy or lost is tried again each second, for ever.
public final class Microphone: ClockedSource {
  /// The counters of a microphone, and the drift of its clock.
  public struct Figures: Sendable, Equatable {
    /// How often the device's buffer overran: samples were lost because they were not read in time.
    public var overruns = 0
    /// How often the timeline was moved, because samples were lost or inserted, or because the timestamps at a start
    /// were late.
    public var jumps = 0
    /// How often a device was opened.
    public var openings = 0
    /// The drift of the device's clock against CLOCK_MONOTONIC in millionths: +100 when it counts 48,004.8 samples per
    /// 48,000. `nil` in the first 40 s.
    public var driftPPM: Double?
  }

  /// The time after the start of a device during which its samples are discarded, in nanoseconds: many devices start
  /// with a click. The earliest timestamp of these samples determines the time of the audio that follows.
  static let settlingNanos: Int64 = .milliseconds(100)
  /// The time without samples after which the device counts as stuck, in nanoseconds.
  static let stuckNanos: Int64 = .seconds(1)
  /// The time from a failure to the next attempt to open a device, in nanoseconds.
  static let retryNanos: Int64 = .seconds(1)

  /// ALSA's name of the device, such as "hw:1,0"; `nil` for the first capture device.
  private let pcm: String?
  /// The queue that receives the audio.
  private let queue: PCMQueue
  /// Called with each report of the microphone's state.
  private let listener: SourceListener
  /// The source's thread.
  private let worker: Worker
  /// How often the device's buffer overran.
  private let overruns = Atomic<Int>(0)
  /// How often the timeline was moved.
  private let jumps = Atomic<Int>(0)
  /// How often a device was opened.
  private let openings = Atomic<Int>(0)
  /// The drift of the device's clock in millionths, as the bits of a Double; NaN until it is known.
  private let driftBits = Atomic<UInt64>(Double.nan.bitPattern)

  /// - Parameters:
  ///   - pcm: ALSA's name of the device, such as "hw:1,0"; `nil` for the first capture device, which is searched for at
  ///     each attempt, so that it is found again under another number.
  ///   - queue: receives the audio, converted to the queue's number of channels, 1 or 2. One channel is doubled, two
  ///     are averaged, and of more than two the first two are used.
  public init(
    pcm: String?, queue: PCMQueue, clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.pcm = pcm
    self.queue = queue
    listener = report
    worker = Worker(name: "microphone", urgency: .device, clock: clock)
  }

  /// The present counters, and the drift of the sound card's clock. May be read on any thread.
  public var figures: Figures {
    let drift = Double(bitPattern: driftBits.load(ordering: .relaxed))
    return Figures(
      overruns: overruns.load(ordering: .relaxed),
      jumps: jumps.load(ordering: .relaxed), openings: openings.load(ordering: .relaxed),
      driftPPM: drift.isNaN ? nil : drift)
  }

  public var driftPPM: Double? { figures.driftPPM }

  /// The microphone's counters and the drift of its clock as text, for the log.
  public var tally: String {
    let figures = self.figures
    return "microphone: \(figures.overruns) overruns, \(figures.jumps) jumps, "
      + "opened \(figures.openings) times, clock "
      + (figures.driftPPM.map { Microphone.text(driftPPM: $0) } ?? "not yet known")
  }

  /// The drift as text with its sign, such as "+12 ppm": + for a device whose clock is fast.
  static func text(driftPPM: Double) -> String {
    let whole = Int(driftPPM.rounded())
    return (whole > 0 ? "+" : "") + "\(whole) ppm"
  }

  /// Starts the source's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the source's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the source's thread to end, and waits for its end. Returns `false` if the thread has not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the source's thread: opens the device, captures, and tries again after a failure, until a stop is
  /// requested.
  private func run() {
    var reporter = SourceReporter(listener)
    /// The end time of the last audio in the queue, whichever device it came from. Audio before this time is not put
    /// into the queue.
    var floor = MediaTime.distantPast
    repeat {
      do throws(MicrophoneTrouble) {
        guard let name = pcm ?? AudioDevices.first else { throw .none }
        let device = try CapturePCM(opening: name, worker: worker)
        openings.wrappingAdd(1, ordering: .relaxed)
        let resampler = try CaptureResampler(device: device, channels: queue.channels, floor: floor)
        defer { floor = resampler.end }
        try capture(from: device, resampler) {
          let channels = device.setup.channels
          reporter.reportRunning(
            "The microphone \(device.name) is on: \(device.setup.rate) Hz,"
              + " \(channels == 1 ? "mono" : "\(channels) channels"), \(device.setup.formatName).")
        }
        return
      } catch {
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + Microphone.retryNanos)
  }

  /// Captures until the source is stopped. Throws when the device fails.
  /// - Parameter whenRunning: called once, when the first samples have been read.
  private func capture(
    from device: CapturePCM, _ resampler: CaptureResampler, whenRunning: () -> Void
  ) throws(MicrophoneTrouble) {
    try device.start()
    let settled = worker.clock.now + Microphone.settlingNanos
    var lastRead = worker.clock.now
    var isRunning = false
    while true {
      switch device.wait(until: lastRead + Microphone.stuckNanos) {
      case .stopped: return
      case .timedOut: throw .stuck(pcm: device.name)
      case .ready: break
      }
      var (reading, interruption) = try device.available()
      if let due = reading, due.frames > 0 {
        let read = try device.read(frames: due.frames)
        interruption = read.interruption
        if read.frames > 0 {
          lastRead = worker.clock.now
          if lastRead < settled {
            resampler.observe(captured: due.captured, frames: read.frames)
          } else {
            resample(resampler, device, captured: due.captured, frames: read.frames)
          }
          if !isRunning {
            isRunning = true
            whenRunning()
          }
        }
      } else if interruption == nil {
        // The device is ready, but has no samples: avoid a busy loop at real-time priority.
        guard worker.sleep(until: worker.clock.now + .milliseconds(5)) else { return }
      }
      guard let interruption else { continue }
      if interruption == .overrun { overruns.wrappingAdd(1, ordering: .relaxed) }
      while try !device.recover(from: interruption) {
        guard worker.sleep(until: worker.clock.now + .milliseconds(20)) else { return }
      }
      resampler.restart()
      lastRead = worker.clock.now
    }
  }

  /// Resamples the samples that were just read, and notes the drift and any jump of the timeline.
  private func resample(
    _ resampler: CaptureResampler, _ device: CapturePCM, captured: MediaTime, frames: Int
  ) {
    let adjustment = unsafe resampler.resample(
      device.samples, frames: frames, captured: captured, into: queue)
    switch adjustment {
    case .none: return
    case .jump: jumps.wrappingAdd(1, ordering: .relaxed)
    case .stretch: break
    }
    driftBits.store((resampler.driftPPM ?? .nan).bitPattern, ordering: .relaxed)
  }
}
