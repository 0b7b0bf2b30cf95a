// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Publish

/// What a broadcast has sent, over all its parts: a restart ends one part and begins the next. Pure.
struct BroadcastTally {
  let startedAt: MediaTime
  private var bytes: UInt64 = 0
  private var frames = 0
  private var reconnects = 0
  private var overflows = 0
  private var dropped = 0
  private var late = 0

  init(startedAt: MediaTime) { self.startedAt = startedAt }

  /// Adds a part that is over.
  /// - Parameter late: frames and blocks of audio that were dropped since this machine was too slow.
  mutating func add(frames: Int, late: Int, _ servers: [DestinationCounters]) {
    let sent = servers.reduce(0) { $0 + $1.bytesSent }
    // For viewers the first connection of a later part is one that is made anew.
    if bytes > 0, sent > 0 { reconnects += 1 }
    bytes += sent
    self.frames += frames
    self.late += late
    for server in servers {
      reconnects += Int(server.reconnects)
      overflows += Int(server.overflows)
      dropped += Int(server.dropped)
    }
  }

  /// The whole broadcast, at its end.
  func totals(_ now: MediaTime) -> Event.Totals {
    Event.Totals(
      seconds: Int((now - startedAt) / 1_000_000_000), bytes: bytes, frames: frames,
      interruptions: reconnects + overflows, dropped: dropped, late: late)
  }

  /// How the broadcast was for viewers.
  func sentence(_ now: MediaTime) -> String {
    Event.Totals.sentence(
      seconds: totals(now).seconds, wasTaken: bytes > 0, reconnects: reconnects,
      overflows: overflows, dropped: dropped, late: late)
  }
}
