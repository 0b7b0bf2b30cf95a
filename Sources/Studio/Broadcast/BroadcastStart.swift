// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Publish

/// When each step of a broadcast's start was done, in nanoseconds since the broadcast was started or last restarted. 0
/// for a step that was done before, `nil` for one that is not done yet.
public struct BroadcastStart: Sendable, Equatable {
  /// All sources have delivered.
  public var devices: Int64?
  /// The main server has accepted the connection.
  public var connected: Int64?
  /// The first frame was sent to the main server (the first audio packet if there is no video).
  public var firstFrame: Int64?
  /// The first packet is known to have arrived at the main server.
  public var delivered: Int64?

  public init() {}
}

extension Broadcast {
  /// The times of the steps of the start that are done so far.
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

  /// When the last of the sources delivered for the first time; `nil` while one of them has not, or if there is none.
  private var devicesAt: MediaTime? {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    var beats: [MediaTime?] = []
    if let video { beats.append(video.pipeline.source.firstBeat) }
    if let audio, audio.sourceKind != .silence { beats.append(audio.firstBeat) }
    return beats.contains { $0 == nil } ? nil : beats.compactMap { $0 }.max()
  }
}
