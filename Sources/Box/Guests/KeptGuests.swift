// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Events
internal import Posix

/// What is kept of the guests, so that it survives a power cut.
struct KeptGuests: Codable, Equatable {
  /// A guest who was admitted.
  struct Guest: Codable, Equatable {
    var name: String
    /// See `GuestRules.Guest.line`.
    var line: Int
  }

  /// In the order in which they were admitted.
  var admitted: [Guest] = []
  var hidden: [String] = []
  var removed: [String] = []
  /// The layout that a person has chosen.
  var layout: String?

  private static let file = StateFile<KeptGuests>("guests.json", limit: 16_384)

  /// What was kept of the last run of the program. If the file cannot be read, all guests are removed: one whom a person
  /// has removed must not come back.
  /// - Parameter names: those of the guests of the settings.
  static func saved(
    in directory: String, guests names: [String], events: EventLog
  ) -> KeptGuests {
    do throws(PrivateFileError) {
      return try file.read(in: directory) ?? KeptGuests()
    } catch {
      events.note(
        .warning,
        "\(directory)/\(file.name) cannot be read, so all guests are removed: allow those who may come (onair guest allow "
          + "NAME).")
      return KeptGuests(removed: names)
    }
  }

  /// Writes the file, or removes it if there is nothing to keep.
  func save(in directory: String) throws(SystemError) {
    if self == KeptGuests() { return try KeptGuests.file.remove(in: directory) }
    try KeptGuests.file.write(self, in: directory)
  }
}
