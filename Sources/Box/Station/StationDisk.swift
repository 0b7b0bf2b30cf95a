// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Director
internal import Posix
internal import Synchronization

// Reports a full disk early, before a change cannot be saved.

extension Station {
  /// Free space, in bytes, below which the disk counts as full. Each file that is saved takes a few thousand bytes.
  static let minFreeBytes = 1 << 20

  /// Checks the free space of the disk with the state directory, without waiting for the disk.
  package func checkDisk() {
    jobs.submit { [self] in reportFullDisk(room: File.freeBytes(in: directory)) }
  }

  /// Reports that the disk is full, or has space again.
  /// - Parameter room: free space in bytes; `nil` if it is not known.
  func reportFullDisk(room: Int?) {
    guard let room else { return }
    let isFull = room < Station.minFreeBytes
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

  /// Notes whether a fault that a person has to repair, such as a full disk, is present.
  /// - Returns: whether this has changed.
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
