// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Posix
internal import Synchronization

// A full disk is told before something is to be saved on it.

extension Station {
  /// With less room than this, in bytes, a change may not be saved. Each of the files has a few thousand.
  static let leastRoom = 1 << 20

  /// Looks at the room on the disk that keeps what must survive a power cut, without waiting for the disk.
  package func lookAtDisk() {
    jobs.submit { [self] in note(room: File.room(in: directory)) }
  }

  /// - Parameter room: in bytes; `nil` if the disk does not tell.
  func note(room: Int?) {
    guard let room else { return }
    let isFull = room < Station.leastRoom
    guard setRepair(.disk, isNeeded: isFull) else { return }
    if isFull {
      events.report(
        .diskFull, level: .error, subject: "disk",
        "The disk with \(directory) is full, so a change may be lost at a power cut: free some space there."
      )
    } else {
      events.report(.diskFreed, "The disk with \(directory) has space again.")
    }
  }

  /// Notes that a person has to repair something besides the broadcast, or has done it.
  /// - Returns: whether that is new.
  @discardableResult
  func setRepair(_ repair: Repair, isNeeded: Bool) -> Bool {
    state.withLock { state in
      guard state.repairs.contains(repair) != isNeeded else { return false }
      if isNeeded { state.repairs.insert(repair) } else { state.repairs.remove(repair) }
      state.director.setRepair(.first(of: state.repairs))
      return true
    }
  }
}
