// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Posix

/// Plays one stream of a file in a loop: what is due when, and whether another file has taken its name. Used by one thread.
final class FileLoop {
  enum Step {
    /// `file.frame` holds content that is due at this time, in the present pass.
    case frame(due: MediaTime)
    /// The end of the file: one round of the loop is over, even if it had no frame. `beginNextPass` goes on.
    case passEnded
    /// The next frames are of another file.
    case replaced
    /// The source is stopped.
    case stopped
  }

  /// When playback is later than this, it seeks.
  static let seekNanos: Int64 = .seconds(3)

  /// An entry of `FileOpenings`, for as long as this object lives.
  private final class Opening {
    let began: MediaTime
    private let openings: FileOpenings
    private let path: String
    private let stamp: FileStamp?

    init(
      _ openings: FileOpenings, _ path: String, _ stamp: FileStamp?, now: MediaTime
    ) throws(FileTrouble) {
      try openings.begin(path, stamp)
      began = now
      (self.openings, self.path, self.stamp) = (openings, path, stamp)
    }

    deinit { openings.end(path, stamp) }
  }

  private(set) var file: MediaFile
  private(set) var clock: LoopClock
  /// Frames decoded since the last seek.
  private(set) var decoded = 0
  /// Whether this pass began at the start of the file.
  private(set) var isWhole = true
  private let path: String
  private let kind: MediaFile.Kind
  private let starts: FileStarts
  private let openings: FileOpenings
  private let worker: Worker
  private let tell: (FileTrouble?) -> Void
  private var watch: FileWatch
  /// Until the file is harmless.
  private var opening: Opening?
  private var successor: (file: MediaFile, stamp: FileStamp)?
  /// Why the file that has the name now cannot be played.
  private var unfit: FileTrouble?
  /// Not after a seek until content was in time: the next seek would lead to the same place.
  private var maySeek = false

  /// - Parameters:
  ///   - starts: when the first pass starts.
  ///   - tell: receives the trouble with a file that has replaced the one that plays on; `nil` when it is over.
  init(
    path: String, kind: MediaFile.Kind, starts: FileStarts, openings: FileOpenings, worker: Worker,
    tell: @escaping (FileTrouble?) -> Void
  ) throws(FileTrouble) {
    self.path = path
    self.kind = kind
    self.starts = starts
    self.openings = openings
    self.worker = worker
    self.tell = tell
    let stamp = FileStamp(path: path)
    watch = FileWatch(opened: stamp, now: worker.clock.now)
    opening = try Opening(openings, path, stamp, now: worker.clock.now)
    file = try MediaFile(path: path, kind: kind, worker: worker)
    clock = LoopClock(
      epoch: starts.start(of: path, stamp, now: worker.clock.now), duration: file.duration)
    try begin()
  }

  /// Decodes what comes next.
  func next() throws(FileTrouble) -> Step {
    while true {
      look()
      if let successor {
        file = successor.file
        clock = LoopClock(
          epoch: starts.start(of: path, successor.stamp, now: worker.clock.now),
          duration: file.duration)
        self.successor = nil
        decoded = 0
        isWhole = true
        try begin()
        return .replaced
      }
      let step = file.next()
      if let began = opening?.began, worker.clock.now - began >= FileOpenings.harmlessAfterNanos {
        opening = nil
      }
      if worker.isStopping { return .stopped }
      if file.hasLeapt {
        clock.forgetStated()
        guard isWhole else {
          // The position that was sought is a wrong one.
          clock.restart()
          try seek(to: 0)
          continue
        }
      }
      guard case .frame(let time) = step else { return .passEnded }
      decoded += 1
      clock.contentReaches(file.measuredEnd)
      let due = clock.due(time)
      let lateness = worker.clock.now - due
      if lateness <= 0 { maySeek = true }
      if lateness > FileLoop.seekNanos, maySeek, decoded > 1, clock.duration != nil {
        try begin()
        continue
      }
      return .frame(due: due)
    }
  }

  /// Goes to the next pass, or to the one that plays now if that is well behind: the duration may have been unknown.
  func beginNextPass() throws(FileTrouble) {
    clock.passEnded(at: file.measuredEnd)
    let now = worker.clock.now
    let offset = now - clock.passStart > FileLoop.seekNanos ? clock.begin(at: now) : 0
    try seek(to: file.hasLeapt || offset <= FileLoop.seekNanos ? 0 : offset)
  }

  /// Looks whether another file has taken the name, at most once a second.
  /// - Returns: whether `next` will open it.
  @discardableResult func look() -> Bool {
    if successor != nil { return true }
    let path = path
    switch watch.look(worker.clock.now, { FileStamp(path: path) }) {
    case nil, .changing: break
    case .same: tell(unfit)
    case .gone: tell(.gone(path: path))
    case .replaced(let stamp):
      watch.accept(stamp)
      do throws(FileTrouble) {
        let opening = try Opening(openings, path, stamp, now: worker.clock.now)
        let file = try MediaFile(path: path, kind: kind, worker: worker)
        successor = (file, stamp)
        self.opening = opening
        unfit = nil
      } catch {
        unfit = .replacement(error)
        tell(unfit)
      }
    }
    return successor != nil
  }

  /// Begins with what is due now.
  private func begin() throws(FileTrouble) {
    let offset = clock.begin(at: worker.clock.now)
    maySeek = false
    if offset > FileLoop.seekNanos || decoded > 0 { try seek(to: file.hasLeapt ? 0 : offset) }
  }

  private func seek(to time: Int64) throws(FileTrouble) {
    decoded = 0
    isWhole = time == 0
    guard !file.rewind(to: time) else { return }
    isWhole = true
    file = try MediaFile(path: path, kind: kind, worker: worker)
  }
}
