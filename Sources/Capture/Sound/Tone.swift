// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import Media
internal import Synchronization

/// Sound made here, at the pace of real time: a beep of 1 kHz in the first 100 ms of each wall-clock
/// second, with silence between. 20 ms are put into the queue each 20 ms, when a microphone would.
public final class Tone: Source {
  /// −20 dB of full scale: heard, and not a fright.
  static let amplitude: Float = 0.1
  static let hertz = 1000.0
  static let chunkFrames = PCMQueue.chunkFrames
  /// Further behind than this (the process was stopped), the lost time is left out.
  private static let patienceNanos: Int64 = .milliseconds(200)

  private let beat: SecondBeat
  private let queue: PCMQueue
  private let report: SourceListener
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameters:
  ///   - beat: the one that the test picture flashes by.
  ///   - queue: its channels are filled alike.
  public init(beat: SecondBeat, queue: PCMQueue, report: @escaping SourceListener) {
    self.beat = beat
    self.queue = queue
    self.report = report
  }

  /// See `Source`.
  public func start() {
    thread.withLock { $0 = MediaThread(name: "tone", urgency: .device) { [self] in run() } }
  }

  /// See `Source`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func run() {
    var timeline = SoundTimeline(startsAt: .now())
    let piece = UnsafeMutableBufferPointer<Float>.allocate(
      capacity: Tone.chunkFrames * queue.channels)
    defer { unsafe piece.deallocate() }
    unsafe piece.initialize(repeating: 0)
    report(
      SourceReport(
        state: .running, code: "running",
        sentence: "The sound is a beep each second, made by OnAir itself."))
    while true {
      let startsAt = timeline.next
      timeline.advance(frames: Tone.chunkFrames)
      if waker.wait(for: -1, until: timeline.next).woken { return }
      unsafe fill(piece, from: startsAt)
      if let start = unsafe UnsafePointer(piece.baseAddress) {
        unsafe queue.put(start, frames: Tone.chunkFrames, startsAt: startsAt)
      }
      let now = MediaTime.now()
      if now - timeline.next > Tone.patienceNanos {
        timeline = SoundTimeline(startsAt: now)
      }
    }
  }

  /// The beep's phase follows from the time alone: whole periods fit into 100 ms, so that it starts
  /// and ends at 0 without a click.
  private func fill(_ samples: UnsafeMutableBufferPointer<Float>, from start: MediaTime) {
    let channels = queue.channels
    let end = start + PCM.nanos(frames: Tone.chunkFrames - 1)
    // Most pieces have nothing of a beep in them: neither at their beginning nor at their end.
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
