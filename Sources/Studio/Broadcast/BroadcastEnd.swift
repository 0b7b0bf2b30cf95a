// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Publish
internal import RateControl

// The end of a broadcast: its reasons, and the order in which the parts are stopped.

/// Why a broadcast ends by itself.
public enum BroadcastEnding: Sendable {
  /// The pipe that video frames are read from was closed.
  case sourceEnded
  /// The video or audio source cannot be read, and another attempt would fail as well.
  case sourceUnavailable
  /// Video or audio cannot be encoded at all.
  case encoderBroken
}

extension Broadcast {
  /// The maximum time, in nanoseconds, to wait until video and audio have ended at the same moment of the stream.
  private static let finishNanos: Int64 = .milliseconds(500)
  /// How many nanoseconds before the deadline of `stop` the relays must have ended. The remaining time is for closing
  /// the studio.
  private static let relayLeadNanos: Int64 = .milliseconds(400)

  /// Why the broadcast cannot go on; `nil` while it can.
  public var ending: BroadcastEnding? { studio.ending }

  /// Ends the destinations, and closes what no other user of the studio needs.
  /// - Parameters:
  ///   - goodbye: whether to send the queued packets and to close the stream at the servers. Otherwise the servers
  ///     expect the stream to continue soon.
  ///   - deadline: on the system clock, as for `Worker.join`.
  /// - Returns: `false` if any thread was still running at its deadline. Relays have a deadline 400 ms earlier.
  public func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    if goodbye { finish(by: .now() + Broadcast.finishNanos) }
    // The destinations are stopped first: a source that hangs must not delay the closing message to the server.
    var allEnded = true
    let (relays, leaving) = relayState.withLock { relayState in
      relayState.isEnding = true
      let begun = relayState.present.filter { !relayState.waiting.contains($0.name) }
      return (begun.map(\.destination), relayState.leaving.map(\.0.destination))
    }
    // All destinations begin to stop before the first is waited for: a server that does not answer must not delay the
    // other servers.
    main.beginStop(goodbye: goodbye, by: deadline)
    let relayDeadline = deadline - Broadcast.relayLeadNanos
    for relay in relays { relay.beginStop(goodbye: goodbye, by: relayDeadline) }
    for relay in relays + leaving {
      allEnded = relay.finishStop(by: relayDeadline) && allEnded
    }
    allEnded = main.finishStop(by: deadline) && allEnded
    user.leave()
    allEnded = studio.adjust(by: deadline) && allEnded
    restoreEncoding()
    return allEnded
  }

  /// Ends video and audio at the same moment of the stream.
  private func finish(by deadline: MediaTime) {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    guard let video else { return }
    // With a negative audio delay, the audio that belongs to a frame is captured after the frame: wait longer for it.
    let audioDeadline = deadline + max(0, -(audio?.delayNanos ?? 0))
    if studio.isShared(besides: user) { return endOutputs(with: audio, by: audioDeadline) }
    guard let end = video.finish(by: deadline) else { return }
    audio?.finish(at: end + endVideo(at: end), by: audioDeadline)
  }

  /// Ends the video of each destination at `end`.
  /// - Returns: how many nanoseconds later than video audio ends, at the destination where the difference is largest.
  private func endVideo(at end: MediaTime) -> Int64 {
    destinations.map { $0.destination.endVideo(at: end) }.max() ?? 0
  }

  /// Ends the video and audio of the destinations at the same moment of the stream, while the pipelines go on for other
  /// users of the studio (a preview or a recording).
  private func endOutputs(with audio: StudioAudio?, by deadline: MediaTime) {
    let end = clock.now
    for named in destinations { studio.renditions.endVideo(of: named.destination, at: end) }
    let lag = endVideo(at: end)
    func isMissing() -> Bool {
      let newest = studio.renditions.newest
      return newest.video < end || audio != nil && newest.audio < end + lag
    }
    while isMissing(), MediaTime.now() < deadline {
      (MediaTime.now() + .milliseconds(5)).sleepUntil()
    }
  }

  /// Sets the encoders back to the bit rates, size and frame rate in the settings, so that a preview or a recording is
  /// no longer adapted to the link of this broadcast.
  private func restoreEncoding() {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    let asked = follower.withLock { $0.asked }
    video?.pipeline.follow(asked)
    audio?.pipeline.follow(bitrateKbps: asked.audioKbps)
  }
}
