// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension RecorderStatus {
  /// The ID of the present file; `nil` while there is none.
  public var id: String? { name.map { RecordingName.id(of: $0) } }

  /// The name of the present file for people, without its ending; `nil` while there is none.
  public var shownName: String? { name.map { RecordingName.shown($0) } }
}

extension Recording {
  /// The name for people, without its ending.
  public var shownName: String { RecordingName.shown(name) }
}

extension RecordingFolder {
  /// The recording whose file has this name, or had it while it was written.
  public func recording(named name: String) throws(RecordingError) -> Recording {
    try recording(RecordingName.id(of: presentName(of: name)))
  }
}
