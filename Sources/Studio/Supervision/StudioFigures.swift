// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

// The figures of a studio: totals, and the present state of its video and audio.

/// The figures of a studio. Totals count from the start of the program, over all inputs, open or closed.
public struct StudioFigures: Sendable, Equatable {
  /// The figures of the video: totals, and the present state.
  public struct Video: Sendable, Equatable {
    /// Frames that the source has delivered.
    public var captured = 0
    /// Frames encoded, repeats included.
    public var encoded = 0
    /// Encoded frames that repeat the previous frame because no new frame came.
    public var repeated = 0
    /// Frames that could not be decoded.
    public var unreadable = 0
    /// Frames dropped because the pipeline was too slow to take them from its queue.
    public var droppedLate = 0
    /// Frames dropped because the source is faster than the set rate.
    public var droppedSurplus = 0
    /// Encoded bytes.
    public var bytes = 0
    /// The elapsed time of encoding all frames, in nanoseconds.
    public var encodeNanos: Int64 = 0
    /// The present state of video; `nil` while no video is open.
    public var present: PresentVideo?

    public init() {}

    /// Adds the counters of a video half.
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

  /// The present state of video that is open.
  public struct PresentVideo: Sendable, Equatable {
    public var width: Int
    public var height: Int
    /// The requested video bit rate, in kbit/s.
    public var targetKbps: Int
    /// Frames that wait for the encoder.
    public var queued: Int
    /// The longest elapsed time of encoding a frame since the figures were last read, in nanoseconds.
    public var longestEncodeNanos: Int64
    /// The longest time from a frame's arrival from its source until the frame was encoded, since the figures were last
    /// read, in nanoseconds.
    public var longestDelayNanos: Int64
    /// The level of the speed governor, which is the encoder's effort per frame: 0 to `SpeedLadder.top`; `nil` at a
    /// fixed speed.
    public var speedLevel: Double?
    /// Bytes of the largest video packet since the figures were last read.
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

  /// The figures of the audio: totals, and the present state.
  public struct Audio: Sendable, Equatable {
    public var packets = 0
    /// Encoded bytes.
    public var bytes = 0
    /// Chunks of the sources' audio that were dropped because the pipeline was too slow.
    public var dropped = 0
    /// Sample frames that came too late to be heard.
    public var lateFrames = 0
    /// The present state of audio; `nil` while no audio is open.
    public var present: PresentAudio?

    public init() {}

    /// Adds the counters of an audio pipeline.
    mutating func add(_ audio: AudioPipeline) {
      packets += audio.counters.packets.count
      bytes += audio.counters.bytes.count
      dropped += audio.chunksDropped
      lateFrames += audio.counters.late.count
    }
  }

  /// The present state of audio that is open.
  public struct PresentAudio: Sendable, Equatable {
    /// The drift of the main microphone's sample clock against CLOCK_MONOTONIC, in parts per million; `nil` while it is
    /// not known.
    public var driftPPM: Double?
    /// Bytes of the largest audio packet since the figures were last read.
    public var largestPacket = 0

    public init(driftPPM: Double? = nil) { self.driftPPM = driftPPM }
  }

  /// The totals and the present state of the video.
  public var video = Video()
  /// The totals and the present state of the audio.
  public var audio = Audio()
  /// The time of the newest video packet minus the time of the newest audio packet, in nanoseconds; `nil` unless both
  /// video and audio are open and have sent packets.
  public var videoLeadNanos: Int64?

  public init() {}
}

extension Studio {
  /// The totals and the present state of video and audio. For one reader only, on the thread that calls `adjust`,
  /// because each call resets the longest times and the largest packets.
  public func figures() -> StudioFigures {
    let (closedTotals, video, audio) = state.withLock { ($0.closedTotals, $0.video, $0.audio) }
    var figures = closedTotals
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

  /// The levels of the audio that viewers have heard since the reader's previous call; silence while no audio is open.
  /// `nil` if no audio has been encoded since the previous call.
  public func levels(_ reader: inout LevelReader) -> AudioLevels? {
    levels.read(&reader) ?? (halves.audio == nil ? AudioLevels() : nil)
  }
}
