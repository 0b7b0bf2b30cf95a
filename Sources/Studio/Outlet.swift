// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Passes each packet to all sinks. None of them can hold up another.
final class Outlet: Sendable {
  private let sinks: [any PacketSink]

  init(_ sinks: [any PacketSink]) { self.sinks = sinks }

  /// Whether any sink uses the packets. If not, nothing needs to be encoded.
  var takesPackets: Bool {
    for sink in sinks where sink.takesPackets { return true }
    return false
  }

  var needsKeyframe: Bool {
    for sink in sinks where sink.needsKeyframe { return true }
    return false
  }

  func setVideo(_ header: VideoHeader) {
    for sink in sinks { sink.setVideo(header) }
  }

  func setAudio(_ header: AudioHeader) {
    for sink in sinks { sink.setAudio(header) }
  }

  func cut(video: UInt32, audio: UInt32) {
    for sink in sinks { sink.cut(video: video, audio: audio) }
  }

  func offer(_ packet: Packet) {
    for sink in sinks { sink.offer(packet) }
  }
}
