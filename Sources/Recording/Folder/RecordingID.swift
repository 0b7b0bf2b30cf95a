// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

extension RecorderStatus {
  /// The ID of the present file; `nil` while there is none.
  public var id: String? { name.map { RecordingName.id(of: $0) } }
}

extension RecordingFolder {
  /// The recording whose file has this name.
  public func recording(named name: String) throws(RecordingError) -> Recording {
    try recording(RecordingName.id(of: name))
  }
}
