// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The stick that recordings go to if the settings name no folder. The part of the program that finds sticks is behind
/// it. Its calls never block.
package protocol RecordingStick: Sendable {
  /// The stick that is plugged in; `nil` without one.
  var status: Status.Record.Stick? { get }
  /// The folder on the stick for recordings; `nil` while it cannot be used.
  var directory: String? { get }
  /// Notes whether something is recorded, and how many bytes a second of a recording has.
  func follow(isRecording: Bool, bytesPerSecond: Int)
  /// Asks for the stick to be unmounted, so that it can be pulled. No file on it is open. `status` tells the outcome.
  func remove()
}

/// A machine that does not find sticks.
package struct NoStick: RecordingStick {
  package init() {}
  package var status: Status.Record.Stick? { nil }
  package var directory: String? { nil }
  package func follow(isRecording: Bool, bytesPerSecond: Int) {}
  package func remove() {}
}

/// Where a recording goes.
enum RecordingPlace: Equatable {
  case none
  /// The folder of `record.directory`.
  case folder(String)
  /// The folder on a stick.
  case stick(String)

  /// - Parameters:
  ///   - directory: the value of `record.directory`.
  ///   - removed: the ID of the stick that is being removed, on which nothing is recorded; `nil` for none.
  init(directory: String, stick: any RecordingStick, removed: String?) {
    if !directory.isEmpty {
      self = .folder(directory)
    } else if let directory = stick.directory, removed == nil || stick.status?.id != removed {
      self = .stick(directory)
    } else {
      self = .none
    }
  }

  /// The path of the folder; `nil` for `none`.
  var directory: String? {
    switch self {
    case .none: nil
    case .folder(let directory), .stick(let directory): directory
    }
  }

  /// The value of `Status.Record.place`.
  var word: String {
    switch self {
    case .none: "none"
    case .folder: "folder"
    case .stick: "stick"
    }
  }
}
