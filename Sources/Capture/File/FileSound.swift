// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media
internal import Synchronization

/// The sound of a media file in real time, looped, in step with `FilePictures` of the same epoch.
public final class FileSound: Source {
  static let lateNanos: Int64 = .milliseconds(200)
  /// Time stamps that lie further from where counting puts them are believed.
  static let gapNanos: Int64 = .milliseconds(20)
  static let seekNanos: Int64 = .seconds(3)
  static let retryNanos: Int64 = .seconds(1)

  private let path: String
  private let epoch: MediaTime
  private let queue: PCMQueue
  private let report: SourceListener
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)

  /// - Parameters:
  ///   - epoch: when the file's beginning is due.
  ///   - queue: its channels, 1 or 2, are what comes out.
  public init(
    path: String, epoch: MediaTime, queue: PCMQueue, report: @escaping SourceListener
  ) {
    self.path = path
    self.epoch = epoch
    self.queue = queue
    self.report = report
  }

  /// See `Source`.
  public func start() {
    thread.withLock {
      $0 = MediaThread(name: "file-sound", urgency: .ordinary) { [self] in run() }
    }
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
    /// The end of the last sound put: nothing is put before it.
    var end = MediaTime.distantPast
    repeat {
      do throws(FileTrouble) {
        try play(&end) {
          tell(
            SourceReport(
              state: .running, code: "running",
              sentence: "The sound comes from the file \(path)."))
        }
        return
      } catch {
        if error == .interrupted { return }
        tell(SourceReport(state: .trouble, code: error.code, sentence: error.sentence))
      }
    } while !waker.wait(for: -1, until: .now() + FileSound.retryNanos).woken
  }

  /// Returns when it is told to stop.
  private func play(_ end: inout MediaTime, whenRunning: () -> Void) throws(FileTrouble) {
    var file = try MediaFile(path: path, kind: .sound, waker: waker)
    var clock = LoopClock(epoch: epoch, duration: file.duration)
    let stretch = FileStretch(channels: queue.channels)
    var told = false
    var heard = false
    var whole = true

    func seek(to time: Int64) throws(FileTrouble) {
      stretch.end()
      heard = false
      whole = time == 0
      guard !file.rewind(to: time) else { return }
      whole = true
      file = try MediaFile(path: path, kind: .sound, waker: waker)
    }

    let into = clock.begin(at: .now())
    if into > FileSound.seekNanos { try seek(to: into) }
    while true {
      let step = file.next()
      if waker.wait(for: -1, until: .distantPast).woken { return }
      switch step {
      case .frame(let time):
        heard = true
        clock.goesOn(to: file.measuredEnd)
        // Led astray by damage.
        if time > file.measuredEnd { continue }
        let due = clock.due(time)
        if MediaTime.now() - due > FileSound.seekNanos, clock.duration != nil {
          try seek(to: clock.begin(at: .now()))
          continue
        }
        if unsafe stretch.isInterrupted(at: due, by: file.frame) {
          guard put(stretch.drain(), clock, &end) else { return }
        }
        guard unsafe put(stretch.take(file.frame, due: due), clock, &end) else { return }
        if !told {
          told = true
          whenRunning()
        }
      case .ended:
        guard put(stretch.drain(), clock, &end) else { return }
        if !heard, whole {
          throw .broken(path: path, what: MediaFile.Kind.sound.word)
        }
        clock.passEnded(at: file.measuredEnd)
        try seek(to: 0)
      }
    }
  }

  /// Puts sound piece by piece, each when it is due; what lies outside the pass is left out.
  /// - Returns: `false` when told to stop.
  private func put(
    _ sound: FileStretch.Sound, _ clock: LoopClock, _ end: inout MediaTime
  ) -> Bool {
    guard let samples = unsafe sound.samples else { return true }
    var timeline = SoundTimeline(startsAt: sound.startsAt)
    let floor = max(end, clock.passStart)
    // A microsecond is rounding.
    let overlap = floor - sound.startsAt
    var done =
      overlap > 1000 ? min(sound.frames, PCM.frames(nanos: min(overlap, .seconds(10))) + 1) : 0
    timeline.advance(frames: done)
    while done < sound.frames {
      let left = clock.passEnd - timeline.next
      let room = left < .seconds(1) ? PCM.frames(nanos: max(0, left)) : PCM.sampleRate
      let count = min(sound.frames - done, PCMQueue.chunkFrames, room)
      guard count > 0 else { return true }
      if waker.wait(for: -1, until: timeline.next).woken { return false }
      if MediaTime.now() - timeline.next <= FileSound.lateNanos {
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
