// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
public import Media
internal import Synchronization

/// A microphone by ALSA: 10 ms periods, any rate, on the one timeline.
///
/// The driver's own monotonic time stamps say when sound was caught; `ClockFollower` keeps it there.
/// The device is opened itself ("hw:", not "default" or "plughw:"), for only then are periods and
/// time stamps the driver's; formats, channels and rates are converted here, and ALSA's plug serves
/// only a device that has none of our formats. A device that is not there, busy or lost is tried
/// again each second, for ever.
public final class Microphone: Source {
  /// What has gone wrong, and how the device's clock runs. Counts only rise.
  public struct Figures: Sendable, Equatable {
    /// Times that sound was lost since nobody read in time.
    public var overruns = 0
    /// Times that the timeline was moved: sound was missing or too much, or the first time stamps
    /// after a start were late.
    public var jumps = 0
    /// Times that the device was opened.
    public var openings = 0
    /// How fast the device's clock runs against CLOCK_MONOTONIC, in millionths: +100 when it counts
    /// 48,004.8 samples where 48,000 are due. `nil` in the first 40 s of a device's sound.
    public var driftPPM: Double?
  }

  /// A device's first sound is not used: many begin with a crack, and the least late of these time
  /// stamps makes the anchor.
  static let settlingNanos: Int64 = .milliseconds(100)
  static let stuckNanos: Int64 = .seconds(1)
  static let retryNanos: Int64 = .seconds(1)

  private let pcm: String?
  private let queue: PCMQueue
  private let report: SourceListener
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)
  private let overruns = Atomic<Int>(0)
  private let jumps = Atomic<Int>(0)
  private let openings = Atomic<Int>(0)
  /// Not a number while the drift is not known.
  private let driftBits = Atomic<UInt64>(Double.nan.bitPattern)

  /// - Parameters:
  ///   - pcm: an ALSA name, such as "hw:1,0"; `nil` for the first device that captures, looked for
  ///     at each attempt, so that one that comes back under another number is found.
  ///   - queue: its channels (1 or 2) are what comes out: one is doubled, two are averaged, of more
  ///     the first two are taken.
  public init(pcm: String?, queue: PCMQueue, report: @escaping SourceListener) {
    self.pcm = pcm
    self.queue = queue
    self.report = report
  }

  /// A snapshot, from any thread.
  public var figures: Figures {
    let drift = Double(bitPattern: driftBits.load(ordering: .relaxed))
    return Figures(
      overruns: overruns.load(ordering: .relaxed),
      jumps: jumps.load(ordering: .relaxed), openings: openings.load(ordering: .relaxed),
      driftPPM: drift.isNaN ? nil : drift)
  }

  /// See `Source`.
  public var tally: String {
    let figures = self.figures
    return "microphone: \(figures.overruns) overruns, \(figures.jumps) jumps, "
      + "opened \(figures.openings) times, clock "
      + (figures.driftPPM.map { Microphone.words(driftPPM: $0) } ?? "not yet known")
  }

  /// With a sign: + for a device that is fast.
  static func words(driftPPM: Double) -> String {
    let whole = Int(driftPPM.rounded())
    return (whole > 0 ? "+" : "") + "\(whole) ppm"
  }

  /// See `Source`.
  public func start() {
    thread.withLock { $0 = MediaThread(name: "microphone", urgency: .device) { [self] in run() } }
  }

  /// See `Source`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    var told: SourceReport?
    func tell(_ news: SourceReport) {
      guard news != told else { return }
      told = news
      report(news)
    }
    /// No sound may be placed before this, whatever device it comes from.
    var floor = MediaTime.distantPast
    repeat {
      do throws(MicrophoneTrouble) {
        guard let name = pcm ?? SoundDevices.first else { throw .none }
        let device = try CapturePCM(opening: name, waker: waker)
        openings.wrappingAdd(1, ordering: .relaxed)
        let flow = try SoundFlow(device: device, channels: queue.channels, floor: floor)
        defer { floor = flow.end }
        try listen(to: device, flow) {
          tell(
            SourceReport(
              state: .running, code: "running",
              sentence:
                "The microphone \(device.name) gives \(device.setup.rate) Hz,"
                + " \(device.setup.channels == 1 ? "mono" : "\(device.setup.channels) channels"),"
                + " \(device.setup.formatName)."))
        }
        return
      } catch {
        tell(SourceReport(state: .trouble, code: error.code, sentence: error.sentence))
      }
    } while !waker.wait(for: -1, until: .now() + Microphone.retryNanos).woken
  }

  /// Returns when it is told to stop.
  private func listen(
    to device: CapturePCM, _ flow: SoundFlow, whenRunning: () -> Void
  ) throws(MicrophoneTrouble) {
    try device.start()
    let settled = MediaTime.now() + Microphone.settlingNanos
    var lastSound = MediaTime.now()
    var announced = false
    while true {
      switch device.wait(until: lastSound + Microphone.stuckNanos) {
      case .stopped: return
      case .timedOut: throw .stuck(pcm: device.name)
      case .ready: break
      }
      var (reading, interruption) = try device.available()
      if let due = reading, due.frames > 0 {
        let read = try device.read(frames: due.frames)
        interruption = read.interruption
        if read.frames > 0 {
          lastSound = .now()
          if lastSound < settled {
            flow.listen(caught: due.caught, frames: read.frames)
          } else {
            take(flow, device, caught: due.caught, frames: read.frames)
          }
          if !announced {
            announced = true
            whenRunning()
          }
        }
      } else if interruption == nil {
        // Woken with nothing to read: no busy loop at real-time priority.
        if waker.wait(for: -1, until: .now() + .milliseconds(5)).woken { return }
      }
      guard let interruption else { continue }
      count(interruption)
      while try !device.recover(from: interruption) {
        if waker.wait(for: -1, until: .now() + .milliseconds(20)).woken { return }
      }
      flow.interrupt()
      lastSound = .now()
    }
  }

  private func count(_ interruption: CapturePCM.Interruption) {
    if interruption == .overrun { overruns.wrappingAdd(1, ordering: .relaxed) }
  }

  private func take(_ flow: SoundFlow, _ device: CapturePCM, caught: MediaTime, frames: Int) {
    let advice = unsafe flow.take(device.samples, frames: frames, caught: caught, queue: queue)
    switch advice {
    case .none: return
    case .jump: jumps.wrappingAdd(1, ordering: .relaxed)
    case .stretch: break
    }
    driftBits.store((flow.driftPPM ?? .nan).bitPattern, ordering: .relaxed)
  }
}
