// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc
public import Media
internal import Synchronization

/// Plays audio on headphones: an ALSA playback device. A device that is missing, busy or lost is tried again each
/// second, for ever; nothing else waits for it.
public final class Monitor: Sendable {
  private static let retryNanos: Int64 = .seconds(1)
  /// The device counts as stuck when it has played nothing for this long, in nanoseconds.
  private static let stuckNanos: Int64 = .seconds(1)
  /// Most nanoseconds for which a device waits until others are closed.
  private static let closingNanos: Int64 = .milliseconds(1_500)

  private let pcm: String
  private let queue: PCMQueue
  private let listener: SourceListener
  private let worker: Worker
  private let gainBits = Atomic<UInt32>(Float(1).bitPattern)
  /// The delay in nanoseconds; negative while nothing is heard.
  private let delay = Atomic<Int64>(-1)

  /// - Parameters:
  ///   - pcm: ALSA's name of the device, such as "hw:1,0".
  ///   - queue: what is to be heard, at the times at which it was captured.
  public init(
    pcm: String, queue: PCMQueue, clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.pcm = pcm
    self.queue = queue
    listener = report
    worker = Worker(name: "monitor", urgency: .device, clock: clock)
  }

  /// How long after their capture samples are heard, in nanoseconds; `nil` while nothing is heard.
  public var delayNanos: Int64? {
    let nanos = delay.load(ordering: .relaxed)
    return nanos < 0 ? nil : nanos
  }

  /// Sets the factor on the amplitude of what is heard.
  public func set(gain: Float) { gainBits.store(gain.bitPattern, ordering: .relaxed) }

  /// Starts to play when the devices of other monitors, which were asked to stop, are closed: a device can be opened
  /// again only then. Waits at most `closingNanos`, since a driver may hang.
  public func start(after others: [Monitor] = []) {
    worker.start { [self] in
      let deadline = worker.clock.now + Monitor.closingNanos
      for other in others {
        // In steps, so that this monitor can be stopped meanwhile.
        while !worker.isStopping, worker.clock.now < deadline,
          !other.worker.join(by: .now() + .milliseconds(50))
        {}
      }
      if !worker.isStopping { run() }
    }
  }

  public func requestStop() { worker.requestStop() }

  /// Asks the thread to end, and waits for its end.
  /// - Returns: `false` when the thread had not ended by `deadline`; it is then abandoned.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var reporter = SourceReporter(listener)
    repeat {
      do throws(MonitorTrouble) {
        let device = try PlaybackPCM(opening: pcm)
        try play(on: device) { reporter.reportRunning("The headphones \(device.name) are on.") }
        return
      } catch {
        delay.store(-1, ordering: .relaxed)
        if worker.isStopping { return }
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + Monitor.retryNanos)
  }

  /// Plays until the monitor is stopped.
  private func play(
    on device: PlaybackPCM, whenRunning: () -> Void
  ) throws(MonitorTrouble) {
    let player: MonitorPlayer<PlaybackPCM>
    do throws(Resampler.Failure) {
      player = try MonitorPlayer(device, inputChannels: queue.channels)
    } catch {
      throw .noUsableFormat(pcm: pcm)
    }
    let samples = UnsafeMutablePointer<Float>.allocate(
      capacity: PCMQueue.chunkFrames * queue.channels)
    defer { unsafe samples.deallocate() }
    // What has been waiting is old.
    while unsafe queue.takeNow(into: samples) != nil {}
    let clock = worker.clock
    var (progress, lastPlayed, isRunning) = (clock.now, 0, false)
    while !worker.isStopping {
      player.set(gain: Float(bitPattern: gainBits.load(ordering: .relaxed)))
      let deadline = min(
        try player.wakeTime(now: clock.now), clock.now + Int64.milliseconds(100))
      if let chunk = unsafe queue.take(into: samples, until: deadline) {
        try unsafe player.play(
          samples, frames: chunk.frames, startsAt: chunk.startsAt, now: clock.now)
      } else {
        try player.fill(now: clock.now)
      }
      delay.store(player.heardAfterNanos ?? -1, ordering: .relaxed)
      let played = device.writtenFrames - (try device.queuedFrames() ?? 0)
      if played > lastPlayed { (progress, lastPlayed) = (clock.now, played) }
      if clock.now - progress > Monitor.stuckNanos { throw .stuck(pcm: pcm) }
      if !isRunning {
        isRunning = true
        whenRunning()
      }
    }
    delay.store(-1, ordering: .relaxed)
  }
}
