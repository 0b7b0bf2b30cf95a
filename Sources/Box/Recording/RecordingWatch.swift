// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Recording
internal import Studio

/// Why nothing can be recorded, for people and programs.
struct RecordingObstacle: Equatable {
  /// A code for programs, such as "read_only".
  var code: String
  /// The reason and what to do, as the end of a sentence.
  var reason: String

  /// There is neither a folder nor a stick.
  static let noPlace = RecordingObstacle(
    code: "no_place", reason: "plug in a USB stick, or name a folder (record.directory)")
  /// The system cannot create the recorder's thread.
  static let noThread = RecordingObstacle(
    code: "other", reason: "this machine has no room for another thread")

  init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }

  init(_ trouble: RecordingTrouble) { self.init(code: trouble.code, reason: trouble.sentence) }

  /// The reason as a sentence.
  var sentence: String { "Nothing can be recorded: \(reason)." }
}

/// Decides what is told of a recording: that it fails, that parts are missing, that the free space runs out. Reads no
/// clock and does no I/O: the time is passed in.
struct RecordingWatch {
  /// What is to be told.
  enum Report: Equatable {
    /// Nothing can be recorded. `isLater`: a recording is only expected.
    case failed(RecordingObstacle, isLater: Bool)
    /// It can be recorded again.
    case back
    /// No recording is expected any more, so it does not matter that none is possible.
    case forgotten
    /// A part is missing.
    case gap(nanos: Int64, frames: Int)
    /// What viewers get is recorded instead of the programme that is asked for.
    case asSent(SecondVideoRefusal)
    /// The programme is recorded again.
    case asProgramme
    /// So many recordings were deleted to make room.
    case removed(Int)
    /// The free space lasts for this time.
    case roomLow(seconds: Int)
    /// There is enough free space again.
    case roomBack
  }

  /// Whether the programme is recorded instead of what viewers get.
  enum Programme: Equatable {
    case recorded
    case refused(SecondVideoRefusal)
  }

  /// The state of the recording and its disk.
  struct Reading {
    /// Whether a recording is to run now.
    var isWanted = false
    /// Whether recordings begin by themselves.
    var isExpected = false
    /// Why nothing can be recorded now; `nil` if it can, or is not known.
    var obstacle: RecordingObstacle?
    /// Whether the programme is recorded that is asked for; `nil` while it is not asked for, or about to be recorded.
    var programme: Programme?
    /// What the recorder tells; `nil` while there is none.
    var recorder: RecorderStatus?
    /// The free space and the time for which it lasts; `nil` if they are not known.
    var room: Room?
  }

  /// The free space of a disk.
  struct Room: Equatable {
    /// The bytes that recordings may take, and the size of the disk in bytes.
    var usableBytes: Int, totalBytes: Int
    /// The time for which `usableBytes` last, in seconds.
    var seconds: Int

    /// The time in seconds below which the space runs out.
    private static let lowSeconds = 1_800
    /// The time in seconds below which the space runs out if less than `lowShare` of the disk is free.
    private static let lowShareSeconds = 6 * 3_600
    /// The share of the disk, as 1 divided by this.
    private static let lowShare = 7
    /// By how much more the space has to last until it counts as enough again, as a divisor of the limits.
    private static let hysteresis = 4

    /// Whether the free space runs out.
    func isLow(after wasLow: Bool) -> Bool {
      func limit(_ seconds: Int) -> Int { wasLow ? seconds + seconds / Self.hysteresis : seconds }
      return seconds < limit(Self.lowSeconds)
        || usableBytes < totalBytes / Self.lowShare && seconds < limit(Self.lowShareSeconds)
    }
  }

  /// The time between two reports of gaps, in nanoseconds: a slow disk must not fill the log.
  private static let gapIntervalNanos = Int64.seconds(60)

  /// How long the programme has to be missing until that is told, in nanoseconds.
  private static let programmeNanos = Int64.seconds(10)

  /// The obstacle that was told last; `nil` for none.
  private var told: RecordingObstacle?
  /// Whether a recording was wanted at the last check.
  private var wasWanted = false
  /// The gaps that were told of this recorder.
  private var gaps = (count: 0, nanos: Int64(0), frames: 0)
  private var gapToldAt = MediaTime.distantPast
  /// Whether the free space runs out.
  private(set) var isRoomLow = false
  /// Since when the programme has been missing; `nil` while it is recorded, or not asked for.
  private var lacksSince: MediaTime?
  private var isLackTold = false
  /// The deleted recordings that were told of this recorder.
  private var removed = 0

  /// The reports that are due.
  mutating func check(_ reading: Reading, now: MediaTime) -> [Report] {
    [
      checkObstacle(reading), checkGaps(reading, now), checkRoom(reading),
      checkProgramme(reading.programme, now), checkRemoved(reading.recorder),
    ].compactMap(\.self)
  }

  /// Counts gaps anew, for another recorder.
  mutating func beginRecording() {
    gaps = (0, 0, 0)
    gapToldAt = .distantPast
    removed = 0
    isLackTold = false
  }

  private mutating func checkProgramme(_ programme: Programme?, _ now: MediaTime) -> Report? {
    guard case .refused(let refusal) = programme else {
      lacksSince = nil
      guard isLackTold, programme == .recorded else { return nil }
      isLackTold = false
      return .asProgramme
    }
    let since = lacksSince ?? now
    lacksSince = since
    guard !isLackTold, now - since >= Self.programmeNanos else { return nil }
    isLackTold = true
    return .asSent(refusal)
  }

  private mutating func checkRemoved(_ recorder: RecorderStatus?) -> Report? {
    guard let count = recorder?.removed, count > removed else { return nil }
    defer { removed = count }
    return .removed(count - removed)
  }

  private mutating func checkObstacle(_ reading: Reading) -> Report? {
    defer { wasWanted = reading.isWanted }
    let isDue = reading.isWanted || reading.isExpected
    guard isDue, let obstacle = reading.obstacle else {
      guard told.take() != nil else { return nil }
      return isDue ? .back : .forgotten
    }
    // An obstacle that was expected is told again when a recording should begin.
    guard obstacle.code != told?.code || reading.isWanted && !wasWanted else { return nil }
    told = obstacle
    return .failed(obstacle, isLater: !reading.isWanted)
  }

  private mutating func checkGaps(_ reading: Reading, _ now: MediaTime) -> Report? {
    guard let recorder = reading.recorder, recorder.gaps > gaps.count,
      now - gapToldAt >= Self.gapIntervalNanos
    else { return nil }
    defer {
      gaps = (recorder.gaps, recorder.gapNanos, recorder.droppedFrames)
      gapToldAt = now
    }
    return .gap(
      nanos: recorder.gapNanos - gaps.nanos, frames: recorder.droppedFrames - gaps.frames)
  }

  private mutating func checkRoom(_ reading: Reading) -> Report? {
    guard reading.isWanted || reading.isExpected, let room = reading.room else {
      return isRoomLow && reading.room == nil ? endLow() : nil
    }
    let isLow = room.isLow(after: isRoomLow)
    guard isLow != isRoomLow else { return nil }
    isRoomLow = isLow
    return isLow ? .roomLow(seconds: room.seconds) : .roomBack
  }

  private mutating func endLow() -> Report {
    isRoomLow = false
    return .roomBack
  }
}
