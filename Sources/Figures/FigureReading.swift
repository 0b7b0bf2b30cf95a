// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Publish
package import Settings
package import Studio

/// All counters at one moment. Two of them give the rates in between.
package struct FigureReading: Sendable, Equatable {
  /// What was sent to a server.
  package struct Destination: Sendable, Equatable {
    var name: String
    package var totals = DestinationTotals()
    /// The counters of the present broadcast; `nil` off air.
    var present: DestinationCounters?
  }

  /// What the settings ask of the encoders.
  package struct Asked: Sendable, Equatable {
    var fps: Int
    var gopSeconds: Double
    /// "auto", or x264's preset.
    var speed: String
    var audioKbps: Int
    var audioChannels: Int
  }

  var at: MediaTime
  /// Milliseconds since 1970.
  var wallClock: Int64
  /// The start of the program, in milliseconds since 1970 by the present time of day.
  package var startedAt: Int64 = 0
  package var machine = MachineReading()
  package var studio = StudioFigures()
  /// How video and audio are asked to be encoded.
  package var asked: Asked?
  /// Those of the present broadcast first.
  package var destinations: [Destination] = []
  /// `nil` off air.
  package var start: BroadcastStart?

  package init(at: MediaTime, wallClock: Int64) {
    self.at = at
    self.wallClock = wallClock
  }

  /// The destination that the lamp follows.
  package var main: Destination? { destinations.first { $0.name == BroadcastTarget.main } }
}

/// Keeps from the figures how large encoded packets are off air: they tell whether somebody speaks or moves in a room that is
/// private. Off air, the counters of bytes stand still.
struct RoomBytes: Sendable {
  private var seen = (video: 0, audio: 0)
  private var hidden = (video: 0, audio: 0)

  /// To be called with each reading.
  mutating func hide(in figures: inout StudioFigures, isOnAir: Bool) {
    let now = (video: figures.video.bytes, audio: figures.audio.bytes)
    if !isOnAir {
      hidden.video += now.video - seen.video
      hidden.audio += now.audio - seen.audio
      figures.video.present?.largestPacket = 0
      figures.audio.present?.largestPacket = 0
    }
    seen = now
    figures.video.bytes = now.video - hidden.video
    figures.audio.bytes = now.audio - hidden.audio
  }
}

/// What was sent to the server of a name since the start of the program, over all broadcasts.
package struct DestinationTotals: Sendable, Equatable {
  var frames: UInt64 = 0
  /// All bytes, those of metadata and sequence headers included.
  var bytes: UInt64 = 0
  var videoBytes: UInt64 = 0
  var audioBytes: UInt64 = 0
  /// Packets dropped because the link was too slow.
  var dropped: UInt64 = 0
  var connections: UInt64 = 0
  var reconnects: UInt64 = 0
  var failures: UInt64 = 0
  var outageNanos: Int64 = 0

  mutating func add(_ counters: DestinationCounters) {
    frames += counters.framesSent
    bytes += counters.bytesSent
    videoBytes += counters.videoBytesSent
    audioBytes += counters.audioBytesSent
    dropped += counters.dropped
    connections += counters.connections
    reconnects += counters.reconnects
    failures += counters.failures
    outageNanos += counters.outageNanos
  }
}

extension FigureReading.Asked {
  package init(_ settings: Settings) {
    fps = settings.video.fps
    gopSeconds = settings.video.gopSeconds
    speed = settings.video.speed?.rawValue ?? "auto"
    audioKbps = settings.audio.bitrateKbps
    audioChannels = settings.audio.channels
  }
}
