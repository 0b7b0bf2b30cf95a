// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc
public import Media

/// A synthetic audio source: a beep of 1 kHz in the first 100 ms of each second of the wall clock, silence between.
/// Every 20 ms, 20 ms of audio are put into the queue.
public final class Tone: Source {
  /// The amplitude of the beep, −20 dB of full scale: clearly audible, but not loud.
  static let amplitude: Float = 0.1
  /// The frequency of the beep.
  static let hertz = 1000.0
  /// The number of sample frames that are put into the queue at once: 20 ms.
  static let chunkFrames = PCMQueue.chunkFrames
  /// The maximum stall, in nanoseconds, after which the missed audio is still delivered. After a longer stall, as when
  /// the process was stopped, the missed audio is skipped.
  private static let maxStallNanos: Int64 = .milliseconds(200)

  /// Tells when the beep is on.
  private let beat: SecondBeat
  /// The queue that receives the audio.
  private let queue: PCMQueue
  /// Called with each report of the source's state.
  private let report: SourceListener
  /// The source's thread.
  private let worker: Worker

  /// - Parameters:
  ///   - beat: the `SecondBeat` that the test picture uses, too, so that flash and beep coincide.
  ///   - queue: receives the beep. All its channels get the same samples.
  public init(
    beat: SecondBeat, queue: PCMQueue, clock: MediaClock = .system,
    report: @escaping SourceListener
  ) {
    self.beat = beat
    self.queue = queue
    self.report = report
    worker = Worker(name: "tone", urgency: .device, clock: clock)
  }

  /// Starts the source's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the source's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the source's thread to end, and waits for its end. Returns `false` if the thread has not ended by `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the source's thread: puts audio into the queue until the source is stopped.
  private func run() {
    var timeline = AudioTimeline(startsAt: worker.clock.now)
    let chunk = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: Tone.chunkFrames * queue.channels)
    defer { unsafe chunk.deallocate() }
    unsafe chunk.initialize(repeating: 0)
    report(
      SourceReport(
        state: .running, code: "running",
        sentence: "The sound is OnAir's test tone: a beep each second."))
    while true {
      let startsAt = timeline.next
      timeline.advance(frames: Tone.chunkFrames)
      guard worker.sleep(until: timeline.next) else { return }
      unsafe fill(chunk, from: startsAt)
      if let start = unsafe UnsafePointer(chunk.baseAddress) {
        unsafe queue.put(start, frames: Tone.chunkFrames, startsAt: startsAt)
      }
      let now = worker.clock.now
      if now - timeline.next > Tone.maxStallNanos {
        timeline = AudioTimeline(startsAt: now)
      }
    }
  }

  /// Fills a chunk that starts at `start` with the beep or with silence. The beep's phase depends on the time alone.
  /// 100 ms are a whole number of periods, so the beep starts and ends at 0, without a click.
  private func fill(_ samples: UnsafeMutableBufferPointer<Float>, from start: MediaTime) {
    let channels = queue.channels
    let end = start + PCM.nanos(frames: Tone.chunkFrames - 1)
    // Most chunks are silent: the beep covers neither their start nor their end.
    if !beat.moment(at: start).isBeat, !beat.moment(at: end).isBeat {
      unsafe samples.update(repeating: 0)
      return
    }
    for frame in 0..<(samples.count / channels) {
      let moment = beat.moment(at: start + PCM.nanos(frames: frame))
      let value =
        moment.isBeat
        ? Tone.amplitude * Float(sin(2 * .pi * Tone.hertz * Double(moment.nanosIntoSecond) / 1e9))
        : 0
      for channel in 0..<channels { unsafe samples[frame * channels + channel] = value }
    }
  }
}
