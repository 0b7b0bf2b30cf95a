// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A consumer of encoded packets, such as a destination. None of its calls blocks.
public protocol PacketSink: AnyObject, Sendable {
  /// Whether the sink at present uses the packets that it is offered, rather than dropping them.
  var takesPackets: Bool { get }
  /// Whether the next video packet has to be a keyframe: the sink has just begun, or it has dropped frames.
  var needsKeyframe: Bool { get }
  func setVideo(_ header: VideoHeader)
  func setAudio(_ header: AudioHeader)
  /// Cuts to new scenes: from now on the sink discards packets of earlier scenes, including those already queued.
  /// - Parameters:
  ///   - video: the number of the present scene of video.
  ///   - audio: the number of the present scene of audio.
  func cut(video: UInt32, audio: UInt32)
  func offer(_ packet: Packet)
}
