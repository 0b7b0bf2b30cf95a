// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Publish
internal import RateControl

// How a broadcast ends.

/// Why a broadcast ends by itself.
public enum BroadcastEnding: Sendable {
  /// The pipe that video frames are read from was closed.
  case sourceEnded
  /// The source cannot be read, and waiting would not help.
  case sourceUnavailable
  /// Video or audio cannot be encoded at all.
  case encoderBroken
}

extension Broadcast {
  /// Nanoseconds that video and audio may take to end at the same moment of the stream.
  private static let finishNanos: Int64 = .milliseconds(500)
  /// How many nanoseconds before the deadline relays have to have ended: closing the studio takes time, too.
  private static let relaysEarlier: Int64 = .milliseconds(400)

  /// Why the broadcast has ended by itself; `nil` while it goes on.
  public var ending: BroadcastEnding? { studio.ending }

  /// Ends the destinations, and closes what no other user of the studio needs.
  /// - Parameters:
  ///   - goodbye: whether to send what is queued and to close the stream at the servers. Otherwise the servers wait for
  ///     the stream to come back.
  ///   - deadline: on the system clock, as for `Worker.join`.
  /// - Returns: `false` if any thread was still running at its deadline, which for relays is a little earlier.
  public func stop(goodbye: Bool, by deadline: MediaTime) -> Bool {
    if goodbye { finish(by: .now() + Broadcast.finishNanos) }
    // The destinations first: a source that hangs must not delay the closing message to the server.
    var allEnded = true
    let (relays, leaving) = others.withLock { others in
      others.isOver = true
      let begun = others.present.filter { !others.waiting.contains($0.name) }
      return (begun.map(\.destination), others.leaving.map(\.0.destination))
    }
    // All at once: a server that does not answer must not keep the others from closing.
    main.beginStop(goodbye: goodbye, by: deadline)
    let relayDeadline = deadline - Broadcast.relaysEarlier
    for relay in relays { relay.beginStop(goodbye: goodbye, by: relayDeadline) }
    for relay in relays + leaving {
      allEnded = relay.finishStop(by: relayDeadline) && allEnded
    }
    allEnded = main.finishStop(by: deadline) && allEnded
    user.leave()
    allEnded = studio.adjust(by: deadline) && allEnded
    forgetLink()
    return allEnded
  }

  /// Ends video and audio at the same moment of the stream.
  private func finish(by deadline: MediaTime) {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    guard let video else { return }
    // Audio that the settings shift forward comes later by as much.
    let audioDeadline = deadline + max(0, -(audio?.delayNanos ?? 0))
    if studio.isShared(besides: user) { return part(from: audio, by: audioDeadline) }
    guard let end = video.finish(by: deadline) else { return }
    audio?.finish(at: end + endVideo(at: end), by: audioDeadline)
  }

  /// Ends the video of each destination at `end`.
  /// - Returns: by how many nanoseconds the audio of a destination ends after its video, at most.
  private func endVideo(at end: MediaTime) -> Int64 {
    destinations.map { $0.destination.endVideo(at: end) }.max() ?? 0
  }

  /// Ends the video and audio of the destinations at the same moment of the stream, while the pipelines go on for other
  /// users.
  private func part(from audio: StudioAudio?, by deadline: MediaTime) {
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

  /// Sets the encoders back to what the settings ask for, so that other users' video is no longer adapted to the link
  /// of this broadcast.
  private func forgetLink() {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    let asked = follower.withLock { $0.asked }
    video?.pipeline.follow(asked)
    audio?.pipeline.follow(bitrateKbps: asked.audioKbps)
  }
}
