// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A consumer of encoded packets, such as a destination. None of its calls blocks.
public protocol PacketSink: AnyObject, Sendable {
  /// Whether the sink currently uses the packets that `offer` passes to it, instead of dropping them.
  var takesPackets: Bool { get }
  /// Whether the next video packet has to be a keyframe, because the sink has just started or has dropped frames.
  var needsKeyframe: Bool { get }
  /// Sets the format of the video packets that follow.
  func setVideo(_ header: VideoHeader)
  /// Sets the format of the audio packets that follow.
  func setAudio(_ header: AudioHeader)
  /// Cuts to new scenes, as at a pause or a mute. From now on the sink discards packets of earlier scenes, including
  /// packets that are already queued.
  /// - Parameters:
  ///   - video: the number of the present scene of video.
  ///   - audio: the number of the present scene of audio.
  func cut(video: UInt32, audio: UInt32)
  /// Queues a packet, or drops it. The sink copies the packet's bytes.
  func offer(_ packet: Packet)
}
