// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The number of the present video scene and of the present audio scene in a sink. A scene is what is sent between two
/// cuts, such as a pause and its end. The sink drops packets of earlier scenes, which may show something private.
public struct PresentScenes: Equatable, Sendable {
  /// The number of the present video scene (`Packet.scene`).
  private var video: UInt32 = 0
  /// The number of the present audio scene (`Packet.scene`).
  private var audio: UInt32 = 0

  public init() {}

  /// Begins new scenes of video and audio, as at a cut to a pause. A number that is not higher than the present one
  /// changes nothing.
  /// - Returns: for video and for audio, whether a new scene has begun.
  public mutating func begin(video: UInt32, audio: UInt32) -> (video: Bool, audio: Bool) {
    let changes = (video: video > self.video, audio: audio > self.audio)
    self.video = max(self.video, video)
    self.audio = max(self.audio, audio)
    return changes
  }

  /// Whether a packet belongs to a scene from before the last cut, such as a pause, so that it must not be sent.
  public func hides(_ kind: PacketKind, of scene: UInt32) -> Bool {
    scene < (kind == .audio ? audio : video)
  }
}
