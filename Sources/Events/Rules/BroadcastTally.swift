// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Publish

/// What a broadcast has sent, over all its parts: a restart ends one part and begins the next. Pure.
package struct BroadcastTally {
  package let startedAt: MediaTime
  /// When the program began that goes on with a broadcast of an earlier start: only what was from then on is counted. `nil`
  /// if the broadcast began in this program.
  private let countedSince: MediaTime?
  /// Milliseconds from the machine's power-on until the main server first had something of it; `nil` before.
  package private(set) var startedMs: Int?
  /// When the main server first had something of it; of a broadcast that goes on with an earlier start, when that began.
  package private(set) var liveAt: MediaTime?
  private var bytes: UInt64 = 0
  /// Whether the main server has had anything of it.
  private var wasTaken = false
  private var frames = 0
  private var reconnects = 0
  private var overflows = 0
  private var standstills = 0
  private var dropped = 0
  private var late = 0
  /// Whether a relay has had anything of it.
  private var hadRelay = false
  /// Nanoseconds in which viewers should have seen the camera, and heard the microphone, and there was none.
  private var withoutCamera: Int64 = 0
  private var withoutMicrophone: Int64 = 0
  private var lookedAt: MediaTime?

  /// - Parameter earlierNanos: how old the broadcast was when this program went on with it; `nil` if it began it.
  package init(startedAt: MediaTime, earlierNanos: Int64? = nil) {
    self.startedAt = startedAt - (earlierNanos ?? 0)
    countedSince = earlierNanos.map { _ in startedAt }
  }

  /// Notes that the main server has something of it.
  package mutating func noteLive(at time: MediaTime, startedMs: Int) {
    self.startedMs = startedMs
    liveAt = countedSince == nil ? time : startedAt
  }

  /// Notes what is missing at the moment. To be called many times a second. Of a longer gap, in which the program stood still,
  /// a second counts: nobody knows what was missing in the rest of it.
  package mutating func look(lacksCamera: Bool, lacksMicrophone: Bool, now: MediaTime) {
    let passed = lookedAt.map { min(max(0, now - $0), .seconds(1)) } ?? 0
    lookedAt = now
    if lacksCamera { withoutCamera += passed }
    if lacksMicrophone { withoutMicrophone += passed }
  }

  /// Adds a part that is over.
  /// - Parameters:
  ///   - late: frames and blocks of audio that were dropped since this machine was too slow.
  ///   - relayBytes: that relays have got besides.
  package mutating func add(
    frames: Int, late: Int, _ main: DestinationCounters, relayBytes: UInt64 = 0
  ) {
    // For viewers the first connection of a later part is one that is made anew.
    if wasTaken, main.bytesSent > 0 { reconnects += 1 }
    wasTaken = wasTaken || main.bytesSent > 0
    hadRelay = hadRelay || relayBytes > 0
    bytes += main.bytesSent + relayBytes
    self.frames += frames
    self.late += late
    reconnects += Int(main.reconnects)
    overflows += Int(main.overflows)
    standstills += Int(main.standstills)
    dropped += Int(main.dropped)
  }

  /// The whole broadcast, at its end.
  package func totals(_ now: MediaTime) -> Event.Totals {
    Event.Totals(
      seconds: Int((now - startedAt) / 1_000_000_000), bytes: bytes, frames: frames,
      interruptions: reconnects + overflows + standstills + (countedSince == nil ? 0 : 1),
      dropped: dropped, late: late,
      withoutCameraSeconds: BroadcastTally.seconds(withoutCamera),
      withoutMicrophoneSeconds: BroadcastTally.seconds(withoutMicrophone),
      countedSeconds: countedSince.map { Int((now - $0) / 1_000_000_000) })
  }

  /// Whole seconds, and none for a moment: `nil`.
  private static func seconds(_ nanos: Int64) -> Int? {
    nanos < .seconds(1) ? nil : Int(nanos / 1_000_000_000)
  }

  /// How the broadcast was for viewers.
  /// - Parameter goesOn: the program ends, and goes on with the broadcast at its next start.
  package func sentence(_ now: MediaTime, goesOn: Bool = false) -> String {
    totals(now).sentence(
      goesOn: goesOn, wasTaken: wasTaken, hadRelay: hadRelay, reconnects: reconnects,
      overflows: overflows, standstills: standstills)
  }
}
