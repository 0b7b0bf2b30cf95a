// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What a run of packets is encoded as. Packets of one epoch are muxed by one muxer and share one initialization
/// segment.
public struct Epoch: Equatable, Sendable {
  /// Rises with each epoch.
  public var number: UInt32 = 0
  /// `nil` if it has no video.
  public var video: VideoHeader?
  public var audio: AudioHeader?

  public init(number: UInt32 = 0, video: VideoHeader? = nil, audio: AudioHeader? = nil) {
    self.number = number
    self.video = video
    self.audio = audio
  }

  /// Whether `other` has the same tracks with the same decoder configuration. The bit rate is no part of that.
  public func hasTracks(of other: Epoch) -> Bool {
    video?.avcConfiguration == other.video?.avcConfiguration && video?.size == other.video?.size
      && audio?.audioSpecificConfig == other.audio?.audioSpecificConfig
      && audio?.sampleRate == other.audio?.sampleRate
  }
}
