// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The scenes of which a sink takes packets: the present ones and later ones. Packets of earlier scenes may be private.
public struct PresentScenes: Equatable, Sendable {
  private var video: UInt32 = 0
  private var audio: UInt32 = 0

  public init() {}

  /// Begins new scenes; a number that is not higher changes nothing.
  /// - Returns: which of the two have changed.
  public mutating func begin(video: UInt32, audio: UInt32) -> (video: Bool, audio: Bool) {
    let changes = (video: video > self.video, audio: audio > self.audio)
    self.video = max(self.video, video)
    self.audio = max(self.audio, audio)
    return changes
  }

  /// Whether a packet is of an earlier scene.
  public func hide(_ kind: PacketKind, of scene: UInt32) -> Bool {
    scene < (kind == .audio ? audio : video)
  }
}
