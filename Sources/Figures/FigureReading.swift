// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Audio
package import Base
internal import Publish
package import Settings
package import Studio

/// All counters of the program and the machine at one moment. `Figures` derives rates from two successive readings.
package struct FigureReading: Sendable, Equatable {
  /// The counters of a destination: a server that the stream is sent to.
  package struct Destination: Sendable, Equatable {
    var name: String
    /// The sums over all broadcasts since the start of the program, the present one included.
    package var totals = DestinationTotals()
    /// The counters of the present broadcast alone, since its last restart; `nil` if the destination takes no part in a
    /// broadcast.
    var present: DestinationCounters?
  }

  /// What is measured of the sound of a broadcast.
  package struct Sound: Sendable, Equatable {
    package var loudness: LoudnessLevels
    /// The levels of each track in the sum, by its name.
    package var levels: [String: Levels]
    /// The alarms that stand, by the names of the open tracks.
    package var alarms: [String: Set<AudioAlarm>]

    package init(
      loudness: LoudnessLevels, levels: [String: Levels], alarms: [String: Set<AudioAlarm>]
    ) {
      (self.loudness, self.levels, self.alarms) = (loudness, levels, alarms)
    }
  }

  /// What is known of the recording and its disk.
  package struct Recording: Sendable, Equatable {
    /// Whether packets are being written.
    package var isRunning = false
    /// Whether a recording should run, and none can.
    package var isFailing = false
    /// The length, the size, and the number and the length of the gaps of the present recording; 0 without one.
    package var seconds = 0.0
    package var bytes = 0
    package var gaps = 0
    package var gapSeconds = 0.0
    /// The free space of the disk in bytes, and the time in seconds for which it lasts; `nil` if they are not known.
    package var freeBytes: Int?
    package var roomSeconds: Int?

    package init() {}
  }

  /// The settings of the encoders.
  package struct EncoderSettings: Sendable, Equatable {
    var fps: Int
    var gopSeconds: Double
    /// The setting video.speed: "auto", or the name of an x264 preset.
    var speed: String
    var audioKbps: Int
    var audioChannels: Int
  }

  /// When the counters were read, on the monotonic clock.
  var at: MediaTime
  /// When the counters were read, in milliseconds since 1970.
  var wallClock: Int64
  /// When the program was started, in milliseconds since 1970. It is computed from the present time of day, so that it
  /// stays right when the system clock is set.
  package var startedAt: Int64 = 0
  /// The load and the state of the machine.
  package var machine = MachineReading()
  /// The counters of capture and encoding.
  package var studio = StudioFigures()
  /// The sound of the broadcast; `nil` off air, since levels reveal what happens in the room.
  package var sound: Sound?
  /// The recording; `nil` if the box has no place for recordings and none is wanted.
  package var recording: Recording?
  /// The settings of the video and audio encoders; `nil` if they are not known.
  package var encoderSettings: EncoderSettings?
  /// The destinations since the start of the program; those of the present broadcast come first.
  package var destinations: [Destination] = []
  /// The time that each step of the present broadcast's start took, counted from its start or last restart; `nil` off
  /// air.
  package var start: BroadcastStart?

  package init(at: MediaTime, wallClock: Int64) {
    self.at = at
    self.wallClock = wallClock
  }

  /// The main destination, whose state the box's lamp shows; `nil` if there was none since the start of the program.
  package var main: Destination? { destinations.first { $0.name == BroadcastTarget.main } }
}

/// Hides the sizes of packets that are encoded off air: they would reveal whether somebody speaks or moves in a room
/// that is private. Off air, the byte counters stand still, and the largest packet is 0.
struct OffAirPrivacy: Sendable {
  /// The byte counters of the previous reading, before `hidden` was subtracted.
  private var previous = (video: 0, audio: 0)
  /// The bytes that were encoded off air since the start of the program, which are subtracted from the byte counters.
  private var hidden = (video: 0, audio: 0)

  /// Replaces the byte counters and packet sizes in `figures`. To be called once for each reading.
  mutating func hide(in figures: inout StudioFigures, isOnAir: Bool) {
    let now = (video: figures.video.bytes, audio: figures.audio.bytes)
    if !isOnAir {
      hidden.video += now.video - previous.video
      hidden.audio += now.audio - previous.audio
      figures.video.present?.largestPacket = 0
      figures.audio.present?.largestPacket = 0
    }
    previous = now
    figures.video.bytes = now.video - hidden.video
    figures.audio.bytes = now.audio - hidden.audio
  }
}

/// The sums of a destination's counters over all broadcasts since the start of the program.
package struct DestinationTotals: Sendable, Equatable {
  /// Video frames sent.
  var frames: UInt64 = 0
  /// All bytes sent, including metadata and sequence headers.
  var bytes: UInt64 = 0
  /// Bytes of video packets sent.
  var videoBytes: UInt64 = 0
  /// Bytes of audio packets sent.
  var audioBytes: UInt64 = 0
  /// Packets dropped because the link was too slow.
  var dropped: UInt64 = 0
  /// Connections that the server has accepted.
  var connections: UInt64 = 0
  /// How often the server has accepted the stream again after a loss.
  var reconnects: UInt64 = 0
  /// Failed attempts and lost connections.
  var failures: UInt64 = 0
  /// The time of broadcasts in which the server did not accept the stream, in nanoseconds.
  var outageNanos: Int64 = 0

  /// Adds the counters of one broadcast, or of its part up to a restart.
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

extension FigureReading.EncoderSettings {
  package init(_ settings: Settings) {
    fps = settings.video.fps
    gopSeconds = settings.video.gopSeconds
    speed = settings.video.speed?.rawValue ?? "auto"
    audioKbps = settings.audio.bitrateKbps
    audioChannels = settings.audio.channels
  }
}
