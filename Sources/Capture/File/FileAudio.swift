// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// The audio of a media file, looped in real time, in step with `FileVideo` of the same epoch.
public final class FileAudio: Source {
  /// Audio that is later than this is dropped.
  static let lateNanos: Int64 = .milliseconds(200)
  /// Timestamps are ignored while they are within this of the counted samples; beyond it, audio continues at the
  /// timestamp.
  static let gapNanos: Int64 = .milliseconds(20)
  /// When playback is later than this, it seeks.
  static let seekNanos: Int64 = .seconds(3)
  static let retryNanos: Int64 = .seconds(1)

  private let path: String
  private let epoch: MediaTime
  private let queue: PCMQueue
  private let listener: SourceListener
  private let worker: Worker

  /// - Parameters:
  ///   - epoch: when the first pass starts.
  ///   - queue: the audio is converted to its channels, 1 or 2.
  public init(
    path: String, epoch: MediaTime, queue: PCMQueue, clock: MediaClock = .system,
    report: @escaping SourceListener
  ) {
    self.path = path
    self.epoch = epoch
    self.queue = queue
    listener = report
    worker = Worker(name: "file-audio", clock: clock)
  }

  public func start() { worker.start { [self] in run() } }

  public func requestStop() { worker.requestStop() }

  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var reporter = SourceReporter(listener)
    /// The end of the audio in the queue. Nothing is put before it.
    var end = MediaTime.distantPast
    repeat {
      do throws(FileTrouble) {
        try play(&end) { reporter.reportRunning("The sound comes from the file \(path).") }
        return
      } catch {
        if error == .interrupted { return }
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + FileAudio.retryNanos)
  }

  /// Plays the file in a loop. Returns when the source is stopped.
  private func play(_ end: inout MediaTime, whenRunning: () -> Void) throws(FileTrouble) {
    var file = try MediaFile(path: path, kind: .audio, worker: worker)
    var loop = LoopClock(epoch: epoch, duration: file.duration)
    let resampler = FileResampler(channels: queue.channels)
    var isRunning = false
    /// Whether anything was decoded since the last seek.
    var hasDecoded = false
    /// Whether this pass began at the start of the file.
    var isWhole = true

    func seek(to time: Int64) throws(FileTrouble) {
      resampler.reset()
      hasDecoded = false
      isWhole = time == 0
      guard !file.rewind(to: time) else { return }
      isWhole = true
      file = try MediaFile(path: path, kind: .audio, worker: worker)
    }

    let offset = loop.begin(at: worker.clock.now)
    if offset > FileAudio.seekNanos { try seek(to: offset) }
    while true {
      let step = file.next()
      if worker.isStopping { return }
      switch step {
      case .frame(let time):
        hasDecoded = true
        loop.contentReaches(file.measuredEnd)
        // Skip timestamps that damage has made too large.
        if time > file.measuredEnd { continue }
        let due = loop.due(time)
        if worker.clock.now - due > FileAudio.seekNanos, loop.duration != nil {
          try seek(to: loop.begin(at: worker.clock.now))
          continue
        }
        if unsafe resampler.mustRestart(at: due, for: file.frame) {
          guard put(resampler.drain(), loop, &end) else { return }
        }
        guard unsafe put(resampler.convert(file.frame, due: due), loop, &end) else { return }
        if !isRunning {
          isRunning = true
          whenRunning()
        }
      case .ended:
        guard put(resampler.drain(), loop, &end) else { return }
        if !hasDecoded, isWhole {
          throw .broken(path: path, what: MediaFile.Kind.audio.word)
        }
        loop.passEnded(at: file.measuredEnd)
        try seek(to: 0)
      }
    }
  }

  /// Puts audio into the queue in chunks, each when it is due. Samples outside the pass are dropped.
  /// - Returns: `false` when the source is stopped.
  private func put(
    _ audio: FileResampler.Audio, _ loop: LoopClock, _ end: inout MediaTime
  ) -> Bool {
    guard let samples = unsafe audio.samples else { return true }
    var timeline = AudioTimeline(startsAt: audio.startsAt)
    let floor = max(end, loop.passStart)
    // An overlap of up to a microsecond is a rounding error.
    let overlap = floor - audio.startsAt
    var done =
      overlap > 1000 ? min(audio.frames, PCM.frames(nanos: min(overlap, .seconds(10))) + 1) : 0
    timeline.advance(frames: done)
    while done < audio.frames {
      let left = loop.passEnd - timeline.next
      let room = left < .seconds(1) ? PCM.frames(nanos: max(0, left)) : PCM.sampleRate
      let count = min(audio.frames - done, PCMQueue.chunkFrames, room)
      guard count > 0 else { return true }
      guard worker.sleep(until: timeline.next) else { return false }
      if worker.clock.now - timeline.next <= FileAudio.lateNanos {
        unsafe queue.put(
          samples + done * queue.channels, frames: count, startsAt: timeline.next)
        end = timeline.time(after: count)
      }
      done += count
      timeline.advance(frames: count)
    }
    return true
  }
}
