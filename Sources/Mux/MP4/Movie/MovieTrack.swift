// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A track of a movie with its format.
public enum MovieTrack: Equatable, Sendable {
  /// H.264 video.
  case video(VideoHeader)
  /// AAC audio.
  /// - name: for people, such as "Microphone"; empty for none.
  case audio(AudioHeader, name: String)

  /// Whether this is a track of video.
  public var isVideo: Bool {
    if case .video = self { true } else { false }
  }

  /// Units per second of the track's times: 90,000 for video, as in RTP; the sample rate for audio.
  public var timescale: Int {
    switch self {
    case .video: 90_000
    case .audio(let header, _): header.sampleRate
    }
  }

  /// The usual duration of a sample in units of `timescale`.
  var usualDuration: Int64 {
    switch self {
    case .video(let header): Int64(90_000 / max(1, header.framesPerSecond))
    case .audio: Int64(MovieTrack.audioPacketSamples)
    }
  }

  /// Samples of audio in an AAC packet.
  static let audioPacketSamples = 1_024

  /// Whether packets of `other` can follow in the same file: the picture size, or the decoder configuration of the
  /// audio, is the same. Other parameter sets of video get a sample description of their own.
  public func continues(_ other: MovieTrack) -> Bool {
    switch (self, other) {
    case (.video(let one), .video(let other)): one.size == other.size && one.codec == other.codec
    case (.audio(let one, let name), .audio(let other, let otherName)):
      one.audioSpecificConfig == other.audioSpecificConfig && one.sampleRate == other.sampleRate
        && name == otherName
    default: false
    }
  }
}
