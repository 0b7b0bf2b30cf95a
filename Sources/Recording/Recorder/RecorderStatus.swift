// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
public import Posix

/// Why nothing can be recorded.
public enum RecordingTrouble: Error, Hashable, Sendable {
  /// The folder does not exist.
  case noFolder
  /// A file system that /etc/fstab mounts on the folder or above it is not mounted. The value is its mount point.
  case notMounted(String)
  /// This user may not write in the folder.
  case forbidden
  /// The file system is read-only (EROFS).
  case readOnly
  /// There is no more space, or less than is to be kept free.
  case full
  /// The disk failed, or was pulled (EIO, ENODEV, ENXIO).
  case diskFailed
  /// A system call has not returned for 30 s.
  case stalled
  /// Any other error of a system call.
  case system(SystemError)

  /// A code for programs, such as "read_only".
  public var code: String {
    switch self {
    case .noFolder: "no_folder"
    case .notMounted: "not_mounted"
    case .forbidden: "forbidden"
    case .readOnly: "read_only"
    case .full: "full"
    case .diskFailed: "disk_failed"
    case .stalled: "stalled"
    case .system: "other"
    }
  }

  /// The reason and what to do, as the end of a sentence: "Nothing can be recorded: …".
  public var sentence: String {
    switch self {
    case .noFolder: "the folder for recordings is not there; make it, or name another one"
    case .notMounted(let point): "nothing is mounted at \(point.onOneLine); plug in the disk"
    case .forbidden: "this program may not write in the folder; change its owner or its mode"
    case .readOnly: "the disk is read-only; check it on a computer, or take another one"
    case .full: "the disk is full; delete recordings, or take another disk"
    case .diskFailed: "the disk failed or was unplugged; plug it in again, or take another one"
    case .stalled: "the disk does not respond; take another one"
    case .system(let error): "the disk reports \"\(error)\"; check it, or take another one"
    }
  }
}

/// What a recorder does.
public enum RecorderState: Hashable, Sendable {
  /// Waits for the first keyframe.
  case waiting
  /// Packets are being written.
  case recording
  /// Packets are left out while the broadcast is paused (`PauseRecording.cut`).
  case paused
  /// Nothing can be recorded now. The recorder tries again by itself.
  case failed(RecordingTrouble)
  /// The recorder has been stopped, and its last file is finished.
  case stopped
}

extension RecorderState {
  /// Why nothing can be recorded; `nil` in other states.
  public var trouble: RecordingTrouble? {
    if case .failed(let trouble) = self { trouble } else { nil }
  }
}

/// The state and the figures of a recorder.
public struct RecorderStatus: Equatable, Sendable {
  /// What the recorder does.
  public var state = RecorderState.waiting
  /// The name of the present file; `nil` while there is none.
  public var name: String?
  /// When the recorder was started, in milliseconds since 1970-01-01 UTC.
  public var beganAt: Int64 = 0
  /// The length of all files of this recorder together, in nanoseconds.
  public var nanos: Int64 = 0
  /// The size of all files of this recorder together, in bytes.
  public var bytes = 0
  /// The number of files, with the present one.
  public var files = 0
  /// The name of the newest file, also when it is finished; `nil` before the first one.
  public var newestName: String?
  /// How often packets were dropped, because the disk did not keep up or failed.
  public var gaps = 0
  /// The length of these gaps together, in nanoseconds.
  public var gapNanos: Int64 = 0
  /// The video frames that were dropped in these gaps.
  public var droppedFrames = 0
  /// The recordings that were deleted to make room.
  public var removed = 0
  /// The free space of the file system, in bytes; `nil` if it is not known.
  public var freeBytes: Int?
  /// The time for which the free space lasts at the mean rate so far, in seconds; `nil` before the first ten seconds, or
  /// if the space is not known.
  public var secondsLeft: Int?

  public init() {}
}
