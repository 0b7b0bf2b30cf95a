// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Publish

/// Adds up what a broadcast has sent, over all its parts: a restart ends one part and begins the next. Reads no clock
/// and does no I/O: the time is passed in.
package struct BroadcastTally {
  /// When the broadcast began, perhaps in an earlier run of the program.
  package let startedAt: MediaTime
  /// When this run of the program took over a broadcast of an earlier run; `nil` if the broadcast began in this run.
  /// Data that was sent before this time is not counted.
  private let countedSince: MediaTime?
  /// Elapsed milliseconds from the machine's power-on until data of the broadcast first arrived at the main server;
  /// `nil` before that.
  package private(set) var startedMs: Int?
  /// When data of the broadcast first arrived at the main server; `nil` before that. If the broadcast began in an
  /// earlier run of the program, this is the start of the broadcast instead.
  package private(set) var liveAt: MediaTime?
  /// Bytes sent to the main server and to relays, in the parts of the broadcast that have ended.
  private var bytes: UInt64 = 0
  /// Whether data of the broadcast has been sent to the main server.
  private var hasReachedMain = false
  /// Video frames encoded in the parts of the broadcast that have ended.
  private var frames = 0
  /// How many times the main server has accepted the stream after the first time.
  private var reconnects = 0
  /// Nanoseconds in which the main server did not accept the stream, in the parts of the broadcast that have ended.
  private var withoutServer: Int64 = 0
  /// How many times packets to the main server began to be dropped because the link was too slow.
  private var overflows = 0
  /// How many times the program itself did not run for more than a second.
  private var standstills = 0
  /// Packets to the main server that were dropped because the link was too slow.
  private var dropped = 0
  /// Frames and blocks of audio that were dropped because this machine was too slow.
  private var late = 0
  /// Whether data of the broadcast has been sent to a relay.
  private var hasReachedRelay = false
  /// Nanoseconds in which viewers should have seen the camera, but it delivered nothing.
  private var withoutCamera: Int64 = 0
  /// Nanoseconds in which viewers should have heard the microphone, but it delivered nothing.
  private var withoutMicrophone: Int64 = 0
  /// When `note` was last called; `nil` before the first call.
  private var notedAt: MediaTime?
  /// The picture size and the frame rate of the settings at each call of `note`; empty before the first call.
  private var pictures: Set<Picture> = []

  /// A picture size and a frame rate.
  package struct Picture: Hashable, Sendable {
    package var size: String
    package var fps: Double

    package init(size: String, fps: Double) { (self.size, self.fps) = (size, fps) }
  }

  /// The picture of the whole broadcast; `nil` if it was changed meanwhile.
  package var picture: Picture? { pictures.count == 1 ? pictures.first : nil }

  /// - Parameter earlierNanos: how long the broadcast had lasted, in nanoseconds, when this run of the program took it
  ///   over from an earlier run; `nil` if the broadcast begins in this run.
  package init(startedAt: MediaTime, earlierNanos: Int64? = nil) {
    self.startedAt = startedAt - (earlierNanos ?? 0)
    countedSince = earlierNanos.map { _ in startedAt }
  }

  /// Notes that the first data of the broadcast has arrived at the main server.
  package mutating func noteLive(at time: MediaTime, startedMs: Int) {
    self.startedMs = startedMs
    liveAt = countedSince == nil ? time : startedAt
  }

  /// Adds the time since the last call to the times without camera or microphone, if these are missing now. To be
  /// called many times a second. If the last call was more than a second ago, because the program stood still, only one
  /// second is added: nobody knows what was missing during the standstill.
  /// - Parameter picture: that of the settings.
  package mutating func note(
    lacksCamera: Bool, lacksMicrophone: Bool, picture: Picture, now: MediaTime
  ) {
    pictures.insert(picture)
    let passed = notedAt.map { min(max(0, now - $0), .seconds(1)) } ?? 0
    notedAt = now
    if lacksCamera { withoutCamera += passed }
    if lacksMicrophone { withoutMicrophone += passed }
  }

  /// Adds the figures of a part of the broadcast, once that part has ended.
  /// - Parameters:
  ///   - late: frames and blocks of audio that were dropped because this machine was too slow.
  ///   - relayBytes: the bytes that were sent to relays, besides those that were sent to the main server.
  package mutating func add(
    frames: Int, late: Int, _ main: DestinationCounters, relayBytes: UInt64 = 0
  ) {
    // The first connection of a part after the first one is a reconnect for viewers.
    if hasReachedMain, main.bytesSent > 0 { reconnects += 1 }
    hasReachedMain = hasReachedMain || main.bytesSent > 0
    hasReachedRelay = hasReachedRelay || relayBytes > 0
    bytes += main.bytesSent + relayBytes
    self.frames += frames
    self.late += late
    reconnects += Int(main.reconnects)
    withoutServer += main.outageNanos
    overflows += Int(main.overflows)
    standstills += Int(main.standstills)
    dropped += Int(main.dropped)
  }

  /// The figures of the whole broadcast, for its end.
  /// - Parameter goesOn: whether only the program ends, and continues the broadcast at its next start.
  package func totals(_ now: MediaTime, goesOn: Bool = false) -> Event.Totals {
    Event.Totals(
      seconds: Int((now - startedAt) / 1_000_000_000), bytes: bytes, frames: frames,
      interruptions: reconnects + overflows + standstills + (countedSince == nil ? 0 : 1),
      dropped: dropped, late: late,
      withoutCameraSeconds: BroadcastTally.seconds(withoutCamera),
      withoutMicrophoneSeconds: BroadcastTally.seconds(withoutMicrophone),
      withoutServerSeconds: BroadcastTally.seconds(withoutServer),
      countedSeconds: countedSince.map { Int((now - $0) / 1_000_000_000) },
      reached: hasReachedMain ? "main" : hasReachedRelay ? "relays" : "nobody",
      reconnects: reconnects, overflows: overflows, standstills: standstills,
      goesOn: goesOn ? true : nil)
  }

  /// Converts nanoseconds to whole seconds; `nil` for less than one second.
  private static func seconds(_ nanos: Int64) -> Int? {
    nanos < .seconds(1) ? nil : Int(nanos / 1_000_000_000)
  }

  /// A sentence about the broadcast for its end: how long it was, and what viewers missed.
  /// - Parameter goesOn: whether only the program ends, and continues the broadcast at its next start.
  package func sentence(_ now: MediaTime, goesOn: Bool = false) -> String {
    totals(now, goesOn: goesOn).sentence
  }
}
