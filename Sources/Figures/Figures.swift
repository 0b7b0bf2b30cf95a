// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The figures of a second, as `GET /api/figures` writes them, in snake_case. The names of the fields are a contract.
///
/// Rates are those of the last second, counts are since the start of the program. What is not known is `nil`.
public struct Figures: Codable, Sendable, Equatable {
  /// The machine, and this program on it.
  public struct Machine: Codable, Sendable, Equatable {
    /// Of all cores, by all programs.
    public var cpuPercent: Double?
    /// Of all cores, by OnAir.
    public var ownCpuPercent: Double?
    /// Resident memory of OnAir in millions of bytes.
    public var memoryMb: Double?
    /// Memory that programs can still get, in millions of bytes.
    public var memoryFreeMb: Double?
    /// Of the processor's hottest sensor.
    public var temperatureC: Double?
    /// The share of the full clock that the kernel allows. The firmware of a Raspberry Pi lowers the clock without
    /// changing this: see `throttled`.
    public var clockPercent: Double?
    /// Whether the clock is lowered because of heat, or by the firmware.
    public var throttled: Bool?
    /// Whether the supply voltage was too low in the last two seconds.
    public var underVoltage: Bool?
    /// Since the machine's start.
    public var uptimeSeconds: Int
  }

  public struct Video: Codable, Sendable, Equatable {
    /// Frames that the source has delivered.
    public var captured: Int
    /// Frames encoded, repeats included.
    public var encoded: Int
    public var repeated: Int
    /// Encoded frames per second.
    public var fps: Double?
    /// Encoded kbit/s.
    public var kbps: Double?
    public var targetKbps: Int
    public var width: Int
    public var height: Int
    /// Mean and longest time of composing and encoding a frame.
    public var encodeMs: Double?
    public var encodeMsMax: Double?
    /// The longest time from a frame's arrival from its source until it was encoded.
    public var delayMsMax: Double?
    /// How much work the encoder puts into a frame: 0 is the least, 10 the most; missing at a fixed video.speed.
    public var speedLevel: Double?
    /// Frames that wait for the encoder.
    public var queue: Int
    /// Frames dropped because the encoder was too slow.
    public var droppedLate: Int
    /// Frames dropped because the source is faster than video.fps.
    public var droppedSurplus: Int
    /// Frames that could not be decoded.
    public var unreadable: Int
    /// The encoder and where it runs: "x264" in "software".
    public var encoder: String
    public var encoderMode: String
    /// What the settings ask of it: "auto" or x264's preset, frames per second, seconds from keyframe to keyframe.
    public var speed: String?
    public var targetFps: Int?
    public var gopSeconds: Double?
    /// The time of composing and encoding all frames.
    public var encodeSeconds: Double
    /// Of the last second.
    public var largestPacketBytes: Int
  }

  public struct Audio: Codable, Sendable, Equatable {
    public var packets: Int
    /// Encoded kbit/s.
    public var kbps: Double?
    /// Blocks of the source's audio dropped because the encoder was too slow.
    public var dropped: Int
    /// Sample frames that came too late to be heard.
    public var lateFrames: Int
    /// Deviation of the microphone's sample clock in parts per million.
    public var driftPpm: Double?
    /// How much later the newest video packet's time is than the newest audio packet's.
    public var videoLeadMs: Double?
    /// What encodes: "aac".
    public var encoder: String
    public var targetKbps: Int?
    public var channels: Int?
    /// Of the last second.
    public var largestPacketBytes: Int
  }

  /// A server to which is sent.
  public struct Destination: Codable, Sendable, Equatable {
    public var name: String
    public var sentFrames: UInt64
    public var sentKbps: Double?
    public var sentVideoKbps: Double?
    public var sentAudioKbps: Double?
    public var sentBytes: UInt64
    /// What waits to be sent; missing off air.
    public var queuePackets: Int?
    public var queueBytes: Int?
    /// The time in the stream up to which video has been queued, and audio.
    public var queueVideoPtsMs: Double?
    public var queueAudioPtsMs: Double?
    /// How long the oldest packet has waited.
    public var queueMs: Double?
    /// From the capture of the newest frame that was sent until it was.
    public var captureToSentMs: Double?
    /// From the capture of the newest frame that has arrived until that was known.
    public var captureToAcknowledgedMs: Double?
    public var roundTripMs: Double?
    /// Packets dropped because the link was too slow.
    public var dropped: UInt64
    public var connections: UInt64
    public var reconnects: UInt64
    /// Time of broadcasts in which the server did not take the stream.
    public var outageSeconds: Double
  }

  /// How long the steps of the start took: milliseconds from the start of the broadcast, 0 for what was done before.
  public struct Start: Codable, Sendable, Equatable {
    public var devicesMs: Int?
    public var connectedMs: Int?
    public var firstFrameMs: Int?
    public var deliveredMs: Int?
  }

  /// UTC in ISO 8601.
  public var time: String
  public var machine: Machine
  /// `nil` while no video is open.
  public var video: Video?
  /// `nil` while no audio is open.
  public var audio: Audio?
  /// Each server to which was sent since the start of the program.
  public var destinations: [Destination]
  /// `nil` off air.
  public var start: Start?
}

/// How loud the audio is that viewers hear: of the louder channel, in dBFS. -100 stands for silence.
public struct Levels: Codable, Sendable, Equatable {
  public var peakDb: Double
  public var rmsDb: Double
  /// Whether a sample has reached full scale.
  public var clipped: Bool
}
