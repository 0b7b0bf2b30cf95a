// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Events
internal import Glibc
internal import Recording
internal import Synchronization

// Takes care of the folder with recordings: mends, purges, and looks how much space there is.

extension RecordingKeeper {
  /// Time between two looks at the folder, in nanoseconds: while it is recorded, and otherwise.
  private static let lookNanos = (recording: Int64.seconds(10), idle: Int64.seconds(30))
  /// Time after which a look at the folder counts as hanging, in nanoseconds.
  private static let hangingNanos = Int64.seconds(30)
  /// Time for which a deleted recording can be brought back, in nanoseconds.
  private static let undoNanos = Int64.seconds(60)

  /// Finishes recordings that a power cut or a pulled stick has left.
  func mend(_ folder: RecordingFolder) {
    mending.submit { [events] in
      try? folder.purge()
      guard let mended = try? folder.mend(), !mended.isEmpty else { return }
      let count = Phrase.count(mended.count, "recording")
      events.report(
        .recordMended, subject: "record",
        "\(count) had not been finished, as after a power cut: \(mended.count == 1 ? "it plays" : "they play") now."
      )
    }
  }

  /// Finds out whether the folder can be used, and how much space it has.
  func look(at folder: RecordingFolder, isRecording: Bool, _ now: MediaTime) {
    let isDue = state.withLock { state in
      if let since = state.lookingSince {
        if now - since > Self.hangingNanos { state.look.obstacle = RecordingObstacle(.stalled) }
        return false
      }
      guard now >= state.lookAt else { return false }
      let pause = isRecording ? Self.lookNanos.recording : Self.lookNanos.idle
      (state.lookAt, state.lookingSince) = (now + pause, now)
      return true
    }
    guard isDue else { return }
    let isTaken = looks.submit { [self] in
      let look = RecordingKeeper.look(at: folder)
      state.withLock { state in
        guard state.folder === folder else { return }
        (state.look, state.lookingSince) = (look, nil)
      }
    }
    if !isTaken { state.withLock { $0.lookingSince = nil } }
  }

  static func look(at folder: RecordingFolder) -> Look {
    do throws(RecordingError) {
      let space = try folder.space()
      var look = Look(freeBytes: space.free, totalBytes: space.total)
      if unsafe access(folder.directory, W_OK | X_OK) != 0 {
        look.obstacle = RecordingObstacle(errno == EROFS ? .readOnly : .forbidden)
      }
      return look
    } catch {
      if case .folder(let trouble) = error { return Look(obstacle: RecordingObstacle(trouble)) }
      return Look(obstacle: RecordingObstacle(.noFolder))
    }
  }

  /// Removes deleted recordings for good when nobody has brought them back.
  func purge(_ now: MediaTime) {
    let folder = state.withLock { state -> RecordingFolder? in
      guard let due = state.purgeAt, now >= due else { return nil }
      state.purgeAt = nil
      return state.folder
    }
    if let folder { jobs.submit { try? folder.purge() } }
  }

  /// Notes that a recording was deleted.
  func noteDeletion() { state.withLock { $0.purgeAt = clock.now + Self.undoNanos } }
}
