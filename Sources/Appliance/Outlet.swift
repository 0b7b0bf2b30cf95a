// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Publish

/// Where encoded pictures and sound go: to each destination alike, none of which can hold up another.
final class Outlet: Sendable {
  private let destinations: [Destination]

  init(destinations: [Destination]) { self.destinations = destinations }

  /// Somebody gets what is offered.
  var takesPackets: Bool {
    for destination in destinations where destination.takesPackets { return true }
    return false
  }

  /// A destination has begun, or has had to leave pictures out: it needs one to start from.
  var needsKeyframe: Bool {
    for destination in destinations where destination.needsKeyframe { return true }
    return false
  }

  func setVideo(_ header: VideoHeader) {
    for destination in destinations { destination.setVideo(header) }
  }

  func setAudio(_ header: AudioHeader) {
    for destination in destinations { destination.setAudio(header) }
  }

  /// Keeps what is of earlier scenes from the network, from now on.
  func cut(pictures: UInt32, sounds: UInt32) {
    for destination in destinations { destination.cut(video: pictures, audio: sounds) }
  }

  func offer(_ packet: Packet) {
    for destination in destinations { destination.offer(packet) }
  }
}
