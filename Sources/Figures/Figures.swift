// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The figures of one second: the answer to `GET /api/figures`, with the field names in snake_case. Clients rely on the
/// names, so they must not change.
///
/// Rates and times are those of the last second; counts are since the start of the program. A value that is not known
/// is `nil`.
public struct Figures: Codable, Sendable, Equatable {
  /// The load and the state of the machine, and the share that this program has in it.
  public struct Machine: Codable, Sendable, Equatable {
    /// How busy all programs together kept the processor, in percent: 100 if all cores were busy all the time.
    public var cpuPercent: Double?
    /// How busy OnAir alone kept the processor, in percent: 100 if all cores were busy all the time.
    public var ownCpuPercent: Double?
    /// The resident memory of OnAir, in millions of bytes.
    public var memoryMb: Double?
    /// The memory that programs can still allocate, in millions of bytes.
    public var memoryFreeMb: Double?
    /// The temperature of the processor's hottest sensor, in degrees Celsius.
    public var temperatureC: Double?
    /// The clock that the kernel allows, in percent of the full clock. The firmware of a Raspberry Pi lowers the clock
    /// without changing this value: see `throttled`.
    public var clockPercent: Double?
    /// Whether the kernel lowers the clock because of heat, or the firmware lowers it for any reason but the soft
    /// temperature limit.
    public var throttled: Bool?
    /// Whether the supply voltage was too low in the last two seconds.
    public var underVoltage: Bool?
    /// Seconds since the machine's start, without the time for which it was suspended.
    public var uptimeSeconds: Int
  }

  /// The video that is captured and encoded.
  public struct Video: Codable, Sendable, Equatable {
    /// Frames that the video source has delivered.
    public var captured: Int
    /// Frames that were encoded, repeats included.
    public var encoded: Int
    /// Frames that were encoded a second time because no new frame came.
    public var repeated: Int
    /// Frames that were encoded per second, repeats included.
    public var fps: Double?
    /// The bit rate of the encoded video, in kbit/s; 0 off air, when packet sizes are private.
    public var kbps: Double?
    /// The bit rate that the video encoder is set to, in kbit/s.
    public var targetKbps: Int
    /// The width of the encoded video, in pixels.
    public var width: Int
    /// The height of the encoded video, in pixels.
    public var height: Int
    /// The mean elapsed time that the encoder spent on a frame, in milliseconds.
    public var encodeMs: Double?
    /// The longest elapsed time that the encoder spent on a frame, in milliseconds.
    public var encodeMsMax: Double?
    /// The longest time from a frame's arrival from its source until it was encoded, in milliseconds.
    public var delayMsMax: Double?
    /// The speed level of the encoder: how much work it puts into a frame, from 0 (least) to 10 (most). Missing if the
    /// setting video.speed fixes the speed.
    public var speedLevel: Double?
    /// Captured frames that wait for the encoder.
    public var queue: Int
    /// Captured frames that were dropped because the encoder was too slow.
    public var droppedLate: Int
    /// Captured frames that were dropped because the source is faster than the setting video.fps.
    public var droppedSurplus: Int
    /// Captured frames that could not be decoded.
    public var unreadable: Int
    /// The name of the video encoder: "x264".
    public var encoder: String
    /// Where the video encoder runs: "software", which means on the processor.
    public var encoderMode: String
    /// The setting video.speed: "auto" or the name of an x264 preset.
    public var speed: String?
    /// The frame rate of the settings, in frames per second.
    public var targetFps: Int?
    /// The keyframe interval of the settings, in seconds.
    public var gopSeconds: Double?
    /// The elapsed time that the encoder has spent on all frames since the start of the program, in seconds.
    public var encodeSeconds: Double
    /// The size of the largest video packet of the last second, in bytes; 0 off air, when packet sizes are private.
    public var largestPacketBytes: Int
  }

  /// The audio that is captured and encoded.
  public struct Audio: Codable, Sendable, Equatable {
    /// Audio packets that were encoded.
    public var packets: Int
    /// The bit rate of the encoded audio, in kbit/s; 0 off air, when packet sizes are private.
    public var kbps: Double?
    /// Blocks of captured audio that were dropped because the audio encoder was too slow.
    public var dropped: Int
    /// Sample frames that arrived too late to be mixed into the stream.
    public var lateFrames: Int
    /// The deviation of the microphone's sample clock from the system clock, in parts per million.
    public var driftPpm: Double?
    /// The timestamp of the newest video packet minus that of the newest audio packet, in milliseconds; `nil` unless
    /// both video and audio are open.
    public var videoLeadMs: Double?
    /// The name of the audio encoder: "aac".
    public var encoder: String
    /// The bit rate of the audio settings, in kbit/s.
    public var targetKbps: Int?
    /// The number of audio channels of the settings.
    public var channels: Int?
    /// The size of the largest audio packet of the last second, in bytes; 0 off air, when packet sizes are private.
    public var largestPacketBytes: Int
  }

  /// A server that the stream is sent to: the main server or a relay.
  public struct Destination: Codable, Sendable, Equatable {
    public var name: String
    /// Video frames that were sent.
    public var sentFrames: UInt64
    /// The rate of all bytes sent, in kbit/s.
    public var sentKbps: Double?
    /// The rate of the video sent, in kbit/s.
    public var sentVideoKbps: Double?
    /// The rate of the audio sent, in kbit/s.
    public var sentAudioKbps: Double?
    /// All bytes that were sent, including metadata and sequence headers.
    public var sentBytes: UInt64
    /// Packets in the send queue; missing off air.
    public var queuePackets: Int?
    /// Bytes in the send queue; missing off air.
    public var queueBytes: Int?
    /// The timestamp of the newest queued video frame, in milliseconds from the start of the stream; missing while the
    /// server does not accept the stream.
    public var queueVideoPtsMs: Double?
    /// The timestamp of the newest queued audio packet, in milliseconds from the start of the stream; missing while the
    /// server does not accept the stream.
    public var queueAudioPtsMs: Double?
    /// The time for which the oldest queued packet has waited, in milliseconds; missing off air.
    public var queueMs: Double?
    /// The time from the capture of the newest sent frame until it was handed to the kernel, in milliseconds. Without
    /// video, the newest audio packet counts.
    public var captureToSentMs: Double?
    /// The time from the capture of the newest frame that has arrived at the server until its arrival was known, in
    /// milliseconds. Without video, the newest audio packet counts.
    public var captureToAcknowledgedMs: Double?
    /// TCP's smoothed round-trip time, in milliseconds; missing while the server does not accept the stream.
    public var roundTripMs: Double?
    /// Packets that were dropped because the link was too slow.
    public var dropped: UInt64
    /// Connections that the server has accepted.
    public var connections: UInt64
    /// How often the server has accepted the stream again after a loss.
    public var reconnects: UInt64
    /// The time of broadcasts in which the server did not accept the stream, in seconds.
    public var outageSeconds: Double
  }

  /// When each step of a broadcast's start was done, in milliseconds since the broadcast was started or last
  /// restarted. 0 for a step that was already done at that moment, such as open devices; `nil` until the step is done.
  public struct Start: Codable, Sendable, Equatable {
    /// The time until all sources have delivered their first frame or audio, in milliseconds.
    public var devicesMs: Int?
    /// The time until the main server has accepted the connection, in milliseconds.
    public var connectedMs: Int?
    /// The time until the first frame was sent to the main server (without video, the first audio packet), in
    /// milliseconds.
    public var firstFrameMs: Int?
    /// The time until a packet was first known to have arrived at the main server, in milliseconds.
    public var deliveredMs: Int?
  }

  /// When the figures were measured, in UTC and ISO 8601.
  public var time: String
  /// The figures of the machine.
  public var machine: Machine
  /// The figures of the video; `nil` while no video is open.
  public var video: Video?
  /// The figures of the audio; `nil` while no audio is open.
  public var audio: Audio?
  /// The servers that the stream was sent to since the start of the program; those of the present broadcast come first.
  public var destinations: [Destination]
  /// When the steps of the present broadcast's start were done; `nil` off air.
  public var start: Start?
}

/// The levels of the audio that viewers hear, in dBFS: those of the louder channel. -100 stands for silence.
public struct Levels: Codable, Sendable, Equatable {
  /// The peak level of the louder channel, in dBFS.
  public var peakDb: Double
  /// The root-mean-square level of the louder channel, in dBFS.
  public var rmsDb: Double
  /// Whether a sample has reached full scale, so that the audio may be clipped.
  public var clipped: Bool
  /// The levels of each track in the sum; `nil` while no audio is open.
  public var tracks: [Track]?
  /// `nil` while no audio is open.
  public var loudness: LoudnessLevels?
  /// By how many decibels music is lowered now; `nil` while no audio is open.
  public var reductionDb: Double?

  /// The levels of a track, in dBFS.
  public struct Track: Codable, Sendable, Equatable {
    public var name: String
    public var peakDb: Double
    public var rmsDb: Double

    public init(name: String, peakDb: Double, rmsDb: Double) {
      (self.name, self.peakDb, self.rmsDb) = (name, peakDb, rmsDb)
    }
  }
}

/// The loudness of the programme (ITU-R BS.1770, EBU R 128). -100 stands for silence.
public struct LoudnessLevels: Codable, Sendable, Equatable {
  public var momentaryLufs: Double
  public var shortTermLufs: Double
  /// Since the broadcast began; `nil` while there was only silence.
  public var integratedLufs: Double?
  public var rangeLu: Double?
  public var truePeakDbtp: Double
}
