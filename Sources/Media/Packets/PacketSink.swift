// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Takes encoded packets. None of the calls blocks.
public protocol PacketSink: AnyObject, Sendable {
  /// Whether the sink uses the packets that it is offered.
  var takesPackets: Bool { get }
  /// Whether the next video packet has to be a keyframe: the sink has just begun, or it has dropped frames.
  var needsKeyframe: Bool { get }
  func setVideo(_ header: VideoHeader)
  func setAudio(_ header: AudioHeader)
  /// Discards the packets of earlier scenes, those already queued included.
  func cut(video: UInt32, audio: UInt32)
  func offer(_ packet: Packet)
}
