// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Publish

/// What a broadcast has sent, over all its parts: a restart ends one part and begins the next. Pure.
struct BroadcastTally {
  let startedAt: MediaTime
  private var bytes: UInt64 = 0
  /// Whether the main server has had anything of it.
  private var wasTaken = false
  private var frames = 0
  private var reconnects = 0
  private var overflows = 0
  private var dropped = 0
  private var late = 0

  init(startedAt: MediaTime) { self.startedAt = startedAt }

  /// Adds a part that is over.
  /// - Parameters:
  ///   - late: frames and blocks of audio that were dropped since this machine was too slow.
  ///   - relayBytes: that relays have got besides.
  mutating func add(frames: Int, late: Int, _ main: DestinationCounters, relayBytes: UInt64 = 0) {
    // For viewers the first connection of a later part is one that is made anew.
    if wasTaken, main.bytesSent > 0 { reconnects += 1 }
    wasTaken = wasTaken || main.bytesSent > 0
    bytes += main.bytesSent + relayBytes
    self.frames += frames
    self.late += late
    reconnects += Int(main.reconnects)
    overflows += Int(main.overflows)
    dropped += Int(main.dropped)
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
      seconds: totals(now).seconds, wasTaken: wasTaken, reconnects: reconnects,
      overflows: overflows, dropped: dropped, late: late)
  }
}
