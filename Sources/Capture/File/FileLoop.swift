// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Plays one stream of a media file in a loop: decodes it, computes when each frame is due, and notices when the file
/// has been replaced. Used by one thread.
final class FileLoop {
  /// The result of a call of `next`.
  enum Step {
    /// `file.frame` contains decoded video or audio of the present pass through the file, which is due at this time.
    case frame(due: MediaTime)
    /// The present pass has reached the end of the file, perhaps without a frame. The caller has to call
    /// `beginNextPass` next.
    case passEnded
    /// The file has been replaced by another file at its path, and the next frames are those of the new file.
    case replaced
    /// The source is stopped.
    case stopped
  }

  /// Playback that is more than this many nanoseconds late seeks to the position that is due.
  static let seekNanos: Int64 = .seconds(3)

  /// Registers a file with `FileOpenings` as open, for as long as this object lives.
  private final class Opening {
    /// When the file was opened.
    let began: MediaTime
    private let openings: FileOpenings
    private let path: String
    private let stamp: FileStamp?

    init(
      _ openings: FileOpenings, _ path: String, _ stamp: FileStamp?, now: MediaTime
    ) throws(FileTrouble) {
      try openings.noteOpening(path, stamp)
      began = now
      (self.openings, self.path, self.stamp) = (openings, path, stamp)
    }

    deinit { openings.noteHarmless(path, stamp) }
  }

  /// The file that is being played; changes when another file replaces it at its path.
  private(set) var file: MediaFile
  /// Computes when the content of `file` is due.
  private(set) var clock: LoopClock
  /// The number of frames that were decoded since the file was opened, or since the last seek.
  private(set) var decodedFrames = 0
  /// Whether the present pass began at the start of the file, not at the target of a seek.
  private(set) var isWholePass = true
  /// The path of the media file.
  private let path: String
  /// The stream of the file that is played: its video or its audio.
  private let kind: MediaFile.Kind
  /// Decides when the first pass through the file starts.
  private let starts: FileStarts
  /// Refuses a file that has crashed the program at several openings in a row.
  private let openings: FileOpenings
  /// The source's thread, which calls `next`.
  private let worker: Worker
  /// Called at each check of the file: with the trouble if the file was removed, or replaced by one that cannot be
  /// played; otherwise with `nil`.
  private let report: (FileTrouble?) -> Void
  /// Finds out whether the file was removed, replaced or written to.
  private var watch: FileWatch
  /// The registration of the open file with `FileOpenings`; `nil` once the file has played long enough to count as
  /// harmless.
  private var opening: Opening?
  /// The file that has replaced the open one at its path, and that `next` will change to; `nil` if there is none.
  private var successor: (file: MediaFile, stamp: FileStamp)?
  /// Why the file that has replaced the open one at its path cannot be played; `nil` if there is no such file.
  private var replacementTrouble: FileTrouble?
  /// Whether playback that is late may seek forward. `false` from a seek until the first frame that is in time, because
  /// another seek would lead to the same position.
  private var maySeek = false

  /// - Parameters:
  ///   - starts: decides when the first pass through the file starts.
  ///   - report: called at each check of the file: with the trouble if the file was removed, or replaced by one that
  ///     cannot be played; otherwise with `nil`.
  init(
    path: String, kind: MediaFile.Kind, starts: FileStarts, openings: FileOpenings, worker: Worker,
    report: @escaping (FileTrouble?) -> Void
  ) throws(FileTrouble) {
    self.path = path
    self.kind = kind
    self.starts = starts
    self.openings = openings
    self.worker = worker
    self.report = report
    let stamp = FileStamp(path: path)
    watch = FileWatch(opened: stamp, now: worker.clock.now)
    opening = try Opening(openings, path, stamp, now: worker.clock.now)
    file = try MediaFile(path: path, kind: kind, worker: worker)
    clock = LoopClock(
      epoch: starts.start(of: path, stamp, now: worker.clock.now), duration: file.duration)
    try playFromDuePosition()
  }

  /// Decodes the next frame, or returns why there is none.
  func next() throws(FileTrouble) -> Step {
    while true {
      checkForReplacement()
      if let successor {
        file = successor.file
        clock = LoopClock(
          epoch: starts.start(of: path, successor.stamp, now: worker.clock.now),
          duration: file.duration)
        self.successor = nil
        decodedFrames = 0
        isWholePass = true
        try playFromDuePosition()
        return .replaced
      }
      let step = file.next()
      if let began = opening?.began, worker.clock.now - began >= FileOpenings.harmlessAfterNanos {
        opening = nil
      }
      if worker.isStopping { return .stopped }
      if file.hasLeapt {
        clock.forgetStatedDuration()
        guard isWholePass else {
          // Play from the start of the file: because the timestamps leap, the seek has led to a wrong position.
          clock.goToFirstPass()
          try seek(to: 0)
          continue
        }
      }
      guard case .frame(let time) = step else { return .passEnded }
      decodedFrames += 1
      clock.contentReaches(file.measuredEnd)
      let due = clock.due(time)
      let lateness = worker.clock.now - due
      if lateness <= 0 { maySeek = true }
      if lateness > FileLoop.seekNanos, maySeek, decodedFrames > 1, clock.duration != nil {
        try playFromDuePosition()
        continue
      }
      return .frame(due: due)
    }
  }

  /// Begins the next pass through the file. If that pass should have begun more than `seekNanos` ago, which happens
  /// when the duration was unknown, playback begins at the position that is due now.
  func beginNextPass() throws(FileTrouble) {
    clock.passEnded(at: file.measuredEnd)
    let now = worker.clock.now
    let offset = now - clock.passStart > FileLoop.seekNanos ? clock.goToPass(at: now) : 0
    try seek(to: file.hasLeapt || offset <= FileLoop.seekNanos ? 0 : offset)
  }

  /// Checks whether the file has been replaced, at most once a second.
  /// - Returns: whether `next` will change to another file.
  @discardableResult func checkForReplacement() -> Bool {
    if successor != nil { return true }
    let path = path
    switch watch.check(worker.clock.now, { FileStamp(path: path) }) {
    case nil, .changing: break
    case .same: report(replacementTrouble)
    case .gone: report(.gone(path: path))
    case .replaced(let stamp):
      watch.accept(stamp)
      do throws(FileTrouble) {
        let opening = try Opening(openings, path, stamp, now: worker.clock.now)
        let file = try MediaFile(path: path, kind: kind, worker: worker)
        successor = (file, stamp)
        self.opening = opening
        replacementTrouble = nil
      } catch {
        replacementTrouble = .replacement(error)
        report(replacementTrouble)
      }
    }
    return successor != nil
  }

  /// Begins playback at the position in the file that is due now.
  private func playFromDuePosition() throws(FileTrouble) {
    let offset = clock.goToPass(at: worker.clock.now)
    maySeek = false
    if offset > FileLoop.seekNanos || decodedFrames > 0 { try seek(to: file.hasLeapt ? 0 : offset) }
  }

  /// Seeks to `time`, in nanoseconds from the start of the file. A file that is not seekable is opened again, at its
  /// start.
  private func seek(to time: Int64) throws(FileTrouble) {
    decodedFrames = 0
    isWholePass = time == 0
    guard !file.rewind(to: time) else { return }
    isWholePass = true
    file = try MediaFile(path: path, kind: kind, worker: worker)
  }
}
