// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Publish

/// How long each step of a broadcast's start took: nanoseconds from its beginning, 0 for a step that was done before.
/// `nil` until the step is done.
public struct BroadcastStart: Sendable, Equatable {
  /// All sources have delivered.
  public var devices: Int64?
  /// The main server has accepted the connection.
  public var connected: Int64?
  /// The first frame was sent to it (the first audio packet if there is no video).
  public var firstFrame: Int64?
  /// It is known that something has arrived there.
  public var delivered: Int64?

  public init() {}
}

extension Broadcast {
  /// How the start went so far.
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

  /// When something was first known to have arrived at the main server; `nil` before.
  public var liveAt: MediaTime? { main.counters.milestones.deliveredAt }

  /// When the last source began to deliver; `nil` while one has not, or where there is none.
  private var devicesAt: MediaTime? {
    let (video, audio) = inputs.withLock { ($0.video, $0.audio) }
    var beats: [MediaTime?] = []
    if let video { beats.append(video.pipeline.source.firstBeat) }
    if let audio, audio.sourceKind != .silence { beats.append(audio.firstBeat) }
    return beats.contains { $0 == nil } ? nil : beats.compactMap { $0 }.max()
  }
}
