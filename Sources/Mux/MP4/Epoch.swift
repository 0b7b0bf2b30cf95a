// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A part of a stream in which the video and audio formats do not change. The packets of an epoch are muxed by one
/// `FragmentMuxer` and share one initialization segment.
public struct Epoch: Equatable, Sendable {
  /// The epoch's number. Later epochs have higher numbers.
  public var number: UInt32 = 0
  /// The format of the video; `nil` if the epoch has no video.
  public var video: VideoHeader?
  /// The format of the audio; `nil` if the epoch has no audio.
  public var audio: AudioHeader?

  public init(number: UInt32 = 0, video: VideoHeader? = nil, audio: AudioHeader? = nil) {
    self.number = number
    self.video = video
    self.audio = audio
  }

  /// Whether `other` has the same tracks with the same decoder configuration. The bit rates may differ.
  public func hasTracks(of other: Epoch) -> Bool {
    video?.avcConfiguration == other.video?.avcConfiguration && video?.size == other.video?.size
      && audio?.audioSpecificConfig == other.audio?.audioSpecificConfig
      && audio?.sampleRate == other.audio?.sampleRate
  }
}
