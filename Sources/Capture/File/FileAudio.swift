// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import CFFmpeg
public import Media

/// The audio of a media file, played in a loop in real time. It stays in step with the `FileVideo` that has the same
/// `FileStarts`.
public final class FileAudio: Source {
  /// Audio that is more than this many nanoseconds late is dropped.
  static let maxLatenessNanos: Int64 = .milliseconds(200)
  /// The maximum difference, in nanoseconds, between a timestamp of the file and the time that the samples before it
  /// add up to. A larger difference is a gap: the audio continues at the timestamp. Otherwise it continues without a
  /// gap, at the counted time.
  static let gapThresholdNanos: Int64 = .milliseconds(20)
  /// The time from a failure to the next attempt to play the file, in nanoseconds.
  static let retryNanos: Int64 = .seconds(1)
  /// Pauses in the file's audio that are longer than this many nanoseconds are filled with silence.
  private static let maxUnfilledPauseNanos: Int64 = .milliseconds(100)

  /// The path of the media file.
  private let path: String
  /// Decides when the first pass through the file starts.
  private let starts: FileStarts
  /// Refuses a file that has crashed the program at several openings in a row.
  private let openings: FileOpenings
  /// The queue that receives the audio.
  private let queue: PCMQueue
  /// Called with each report of the source's state.
  private let listener: SourceListener
  /// The source's thread.
  private let worker: Worker
  /// The samples of one chunk of silence, for all channels of the queue.
  private let silence: [Float]

  /// - Parameters:
  ///   - starts: decides when the first pass through the file starts; the same object for the video and the audio of a
  ///     file.
  ///   - openings: refuses files that have crashed the program at several openings in a row.
  ///   - queue: receives the audio, converted to the queue's number of channels, 1 or 2.
  public init(
    path: String, starts: FileStarts, openings: FileOpenings = FileOpenings(), queue: PCMQueue,
    clock: MediaClock = .system, report: @escaping SourceListener
  ) {
    self.path = path
    self.starts = starts
    self.openings = openings
    self.queue = queue
    listener = report
    worker = Worker(name: "file-audio", clock: clock)
    silence = Array(repeating: 0, count: PCMQueue.chunkFrames * queue.channels)
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
    let running = "The sound comes from the file \(path)."
    /// The end time of the last audio in the queue. Audio before this time is not put into the queue.
    var end = MediaTime.distantPast
    repeat {
      do throws(FileTrouble) {
        try play(&end) { trouble in
          if let trouble { reporter.report(trouble) } else { reporter.reportRunning(running) }
        }
        return
      } catch {
        if error == .interrupted { return }
        reporter.report(error)
      }
    } while worker.sleep(until: worker.clock.now + FileAudio.retryNanos)
  }

  /// Plays the file in a loop. Returns when the source is stopped.
  /// - Parameters:
  ///   - end: the end time of the last audio in the queue.
  ///   - report: called with the trouble when the file was removed, or replaced by one that cannot be played;
  ///     otherwise, while audio arrives, with `nil`.
  private func play(
    _ end: inout MediaTime, report: @escaping (FileTrouble?) -> Void
  ) throws(FileTrouble) {
    let resampler = FileResampler(channels: queue.channels)
    var isRunning = false
    let loop = try FileLoop(
      path: path, kind: .audio, starts: starts, openings: openings, worker: worker
    ) {
      // A file that has just been opened is not reported as running before its first audio.
      if $0 != nil || isRunning { report($0) }
    }
    while true {
      switch try loop.next() {
      case .stopped: return
      case .replaced:
        resampler.reset()
        isRunning = false
      case .frame(let due):
        // After a seek, the resampling filter still contains audio of the earlier position.
        if loop.decodedFrames == 1 { resampler.reset() }
        if unsafe resampler.mustRestart(at: due, for: loop.file.frame) {
          guard put(resampler.drain(), loop.clock, &end) else { return }
        }
        let audio = try convert(loop.file, resampler, due: due)
        if !isRunning {
          isRunning = true
          report(nil)
        }
        guard put(audio, loop.clock, &end) else { return }
      case .passEnded:
        guard put(resampler.drain(), loop.clock, &end) else { return }
        if loop.decodedFrames == 0, loop.isWholePass {
          throw .broken(path: path, what: MediaFile.Kind.audio.word)
        }
        try loop.beginNextPass()
      }
    }
  }

  /// Converts the decoded frame of `file`, whose first sample is due at `due`.
  private func convert(
    _ file: MediaFile, _ resampler: FileResampler, due: MediaTime
  ) throws(FileTrouble) -> FileResampler.Audio {
    do throws(Resampler.Failure) {
      return try unsafe resampler.convert(file.frame, due: due)
    } catch {
      throw .unfitSound(path: path, channels: unsafe Int(file.frame.pointee.ch_layout.nb_channels))
    }
  }

  /// Puts audio into the queue in chunks, each when it is due. Drops samples that are late, or that lie outside the
  /// present pass through the file.
  /// - Returns: `false` when the source is stopped.
  private func put(
    _ audio: FileResampler.Audio, _ loop: LoopClock, _ end: inout MediaTime
  ) -> Bool {
    guard let samples = unsafe audio.samples, audio.frames > 0 else { return true }
    if end == .distantPast { end = max(loop.passStart, min(worker.clock.now, audio.startsAt)) }
    guard putSilence(until: audio.startsAt, &end) else { return false }
    var timeline = AudioTimeline(startsAt: audio.startsAt)
    let floor = max(end, loop.passStart)
    // Skip the samples that overlap with the earlier audio. Ignore an overlap of up to 1 µs, which is a rounding error.
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
      if worker.clock.now - timeline.next <= FileAudio.maxLatenessNanos {
        unsafe queue.put(
          samples + done * queue.channels, frames: count, startsAt: timeline.next)
        end = timeline.time(after: count)
      }
      done += count
      timeline.advance(frames: count)
    }
    return true
  }

  /// Fills a pause in the file's audio, from `end` to `start`, with silence, so that the pause is not mistaken for a
  /// source that has failed. A short pause is not filled.
  /// - Returns: `false` when the source is stopped.
  private func putSilence(until start: MediaTime, _ end: inout MediaTime) -> Bool {
    while start - end > FileAudio.maxUnfilledPauseNanos {
      guard worker.sleep(until: end) else { return false }
      // Silence that is already more than `maxLatenessNanos` late is skipped.
      end = max(end, min(start, worker.clock.now - FileAudio.maxLatenessNanos))
      if start - end <= FileAudio.maxUnfilledPauseNanos { return true }
      unsafe silence.withUnsafeBufferPointer { silence in
        guard let start = silence.baseAddress else { return }
        unsafe queue.put(start, frames: PCMQueue.chunkFrames, startsAt: end)
      }
      end = end + PCM.nanos(frames: PCMQueue.chunkFrames)
    }
    return true
  }
}
