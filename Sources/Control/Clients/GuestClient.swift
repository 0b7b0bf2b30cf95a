// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box

// Guests and the layout, for the command line.

extension ControlClient {
  /// The guests, and the layout.
  package static func guests(directory: String) throws(ControlError) -> GuestsReply {
    try decode(GuestsReply.self, request(.GET, "/api/guests", directory: directory))
  }

  /// Admits, hides, removes or allows a guest.
  package static func guest(
    _ action: GuestAction, _ name: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(
      ControlReply.self,
      request(.POST, "/api/guests/\(name)/\(action.rawValue)", directory: directory))
  }

  /// Chooses a layout.
  /// - Parameter layout: `nil` to give the choice back.
  package static func choose(
    layout: String?, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Choice: Encodable { var layout: String? }
    return try post("layout", Choice(layout: layout), directory: directory)
  }
}
