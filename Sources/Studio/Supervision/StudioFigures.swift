// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// What a studio has counted, and what it does at present.

/// The figures of a studio. Totals count from the start of the program, over all that was opened and closed since.
public struct StudioFigures: Sendable, Equatable {
  public struct Video: Sendable, Equatable {
    /// Frames that the source has delivered.
    public var captured = 0
    /// Frames encoded, repeats included.
    public var encoded = 0
    /// Of these, repeats of the previous frame because no new one came.
    public var repeated = 0
    /// Frames that could not be decoded.
    public var unreadable = 0
    /// Frames dropped because the pipeline was too slow.
    public var droppedLate = 0
    /// Frames dropped because the source is faster than the set rate.
    public var droppedSurplus = 0
    /// Encoded bytes.
    public var bytes = 0
    /// The time of composing and encoding all frames, in nanoseconds.
    public var encodeNanos: Int64 = 0
    /// `nil` while no video is open.
    public var present: PresentVideo?

    public init() {}

    /// Adds what a half has counted.
    mutating func add(_ video: StudioVideo) {
      let pipeline = video.pipeline
      captured += video.frames.delivered
      encoded += pipeline.counters.frames.count
      repeated += pipeline.counters.repeats.count
      unreadable += pipeline.counters.unreadable.count
      droppedLate += video.frames.dropped
      droppedSurplus += pipeline.counters.surplus.count
      bytes += pipeline.counters.bytes.count
      encodeNanos += pipeline.counters.encoding.nanos
    }
  }

  /// The video that is open.
  public struct PresentVideo: Sendable, Equatable {
    public var width: Int
    public var height: Int
    /// The bit rate that the encoder is set to.
    public var targetKbps: Int
    /// Frames that wait for the encoder.
    public var queued: Int
    /// The longest time of composing and encoding a frame since the last reading, in nanoseconds.
    public var longestEncodeNanos: Int64
    /// The longest time from a frame's arrival from its source until it was encoded, likewise.
    public var longestDelayNanos: Int64
    /// How much work the encoder puts into a frame: 0 to `SpeedLadder.top`; `nil` at a fixed speed.
    public var speedLevel: Double?
    /// Bytes of the largest packet since the last reading.
    public var largestPacket = 0

    public init(
      width: Int, height: Int, targetKbps: Int, queued: Int, longestEncodeNanos: Int64,
      longestDelayNanos: Int64 = 0, speedLevel: Double? = nil
    ) {
      self.width = width
      self.height = height
      self.targetKbps = targetKbps
      self.queued = queued
      self.longestEncodeNanos = longestEncodeNanos
      self.longestDelayNanos = longestDelayNanos
      self.speedLevel = speedLevel
    }
  }

  public struct Audio: Sendable, Equatable {
    public var packets = 0
    /// Encoded bytes.
    public var bytes = 0
    /// Chunks of the source's audio dropped because the pipeline was too slow.
    public var dropped = 0
    /// Sample frames that came too late to be heard.
    public var lateFrames = 0
    /// `nil` while no audio is open.
    public var present: PresentAudio?

    public init() {}

    mutating func add(_ audio: AudioPipeline) {
      packets += audio.counters.packets.count
      bytes += audio.counters.bytes.count
      dropped += audio.chunksDropped
      lateFrames += audio.counters.late.count
    }
  }

  /// The audio that is open.
  public struct PresentAudio: Sendable, Equatable {
    /// The deviation of the microphone's sample clock in parts per million; `nil` while it is not known.
    public var driftPPM: Double?
    /// Bytes of the largest packet since the last reading.
    public var largestPacket = 0

    public init(driftPPM: Double? = nil) { self.driftPPM = driftPPM }
  }

  public var video = Video()
  public var audio = Audio()
  /// How much later the newest video packet's time is than the newest audio packet's, in nanoseconds; `nil` unless both
  /// are open.
  public var videoLeadNanos: Int64?

  public init() {}
}

extension Studio {
  /// The present figures. For one reader, on the thread that calls `adjust`: a reading begins the next longest time.
  public func figures() -> StudioFigures {
    let (past, video, audio) = state.withLock { ($0.past, $0.video, $0.audio) }
    var figures = past
    if let video {
      figures.video.add(video)
      let size = video.pipeline.present.size
      figures.video.present = StudioFigures.PresentVideo(
        width: size.width, height: size.height,
        targetKbps: video.pipeline.present.bitrateKbps, queued: video.frames.count,
        longestEncodeNanos: video.pipeline.counters.encoding.takeLongest(),
        longestDelayNanos: video.pipeline.counters.delay.takeLongest(),
        speedLevel: video.pipeline.present.level)
      figures.video.present?.largestPacket = video.pipeline.counters.largest.take()
    }
    if let audio {
      figures.audio.add(audio.pipeline)
      figures.audio.present = StudioFigures.PresentAudio(driftPPM: audio.driftPPM)
      figures.audio.present?.largestPacket = audio.pipeline.counters.largest.take()
    }
    let newest = renditions.newest
    if video != nil, audio != nil, newest.video > .distantPast, newest.audio > .distantPast {
      figures.videoLeadNanos = newest.video - newest.audio
    }
    return figures
  }

  /// The levels of what viewers hear since the reader's last call; silence while no audio is open. `nil` when no audio
  /// has been encoded since.
  public func levels(_ reader: inout LevelReader) -> AudioLevels? {
    levels.read(&reader) ?? (halves.audio == nil ? AudioLevels() : nil)
  }
}
