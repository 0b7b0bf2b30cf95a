// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Publish

/// How long a broadcast took to complete each step on its way to the viewers, in nanoseconds since its start or its
/// last restart. 0 for a step that was complete before, `nil` for a step that is not complete yet.
public struct BroadcastStart: Sendable, Equatable {
  /// Nanoseconds until every source had delivered its first frame or samples; `nil` while a source has not.
  public var devices: Int64?
  /// Nanoseconds until the main server had accepted the connection; `nil` before.
  public var connected: Int64?
  /// Nanoseconds until the first frame was sent to the main server (the first audio packet if there is no video); `nil`
  /// before.
  public var firstFrame: Int64?
  /// Nanoseconds until the first packet was known to have arrived at the main server; `nil` before.
  public var delivered: Int64?

  public init() {}
}

extension Broadcast {
  /// The times of the steps of the start that are complete so far.
  public var startTimes: BroadcastStart {
    func after(_ time: MediaTime?) -> Int64? { time.map { max(0, $0 - startedAt) } }
    let milestones = main.counters.milestones
    var start = BroadcastStart()
    start.devices = after(devicesAt)
    start.connected = after(milestones.connectedAt)
    start.firstFrame = after(milestones.sentAt)
    start.delivered = after(milestones.deliveredAt)
    return start
  }

  /// When the first packet was known to have arrived at the main server; `nil` before.
  public var liveAt: MediaTime? { main.counters.milestones.deliveredAt }

  /// When every source had delivered its first frame or samples; `nil` while a source has not, or if there is no
  /// source.
  private var devicesAt: MediaTime? {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    var beats: [MediaTime?] = []
    if let video { beats.append(video.pipeline.sourcePulse.firstBeat) }
    if let audio, audio.sourceKind != .silence { beats.append(audio.firstBeat) }
    return beats.contains { $0 == nil } ? nil : beats.compactMap { $0 }.max()
  }
}
