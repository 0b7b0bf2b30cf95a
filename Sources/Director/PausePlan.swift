// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What viewers see and hear in a pause.
public struct PausePlan: Equatable, Sendable {
  /// What viewers see in a pause.
  public enum Picture: Sendable, CaseIterable {
    /// The still of the pause.
    case image
    /// The last frame from before the pause, frozen; the still if there is no such frame.
    case last
    /// Nothing: only sound is sent; the still if there is no sound.
    case none
  }

  /// What viewers see.
  public var picture: Picture
  /// The tracks that viewers do not hear.
  public var silenced: SilencedTracks

  public init(_ picture: Picture = .image, silenced: SilencedTracks) {
    self.picture = picture
    self.silenced = silenced
  }
}
