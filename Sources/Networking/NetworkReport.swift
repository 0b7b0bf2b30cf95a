// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A report about the network for the log and the events, with a sentence for people.
package enum NetworkReport: Sendable, Equatable {
  /// The box is in a network, for the first time or again. The value is a sentence for people.
  case up(String)
  /// The box is in no network; the sentence says why.
  case down(String)
  /// The box has changed from one network link (cable, Wi-Fi, modem) to another. The value is a sentence for people.
  case switched(String)
  /// The box has joined a Wi-Fi, but continues to use another network link. The value is a sentence for people.
  case joined(String)
  /// A network, such as a Wi-Fi, could not be joined. `cause` is a code for programs; the sentence says why.
  case failed(cause: String, String)
  /// The box's own Wi-Fi has begun. The value is a sentence for people.
  case hotspotStarted(String)
  /// The box's own Wi-Fi has ended. The value is a sentence for people.
  case hotspotEnded(String)
  /// A change of the network was undone, since nobody has confirmed it. The value is a sentence for people.
  case undone(String)
  /// A sentence for the log alone, not for the events.
  case note(String)
}
