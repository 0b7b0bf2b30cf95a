// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Director

/// The state of a studio's video input, audio input and encoders.
public struct StudioHealth: Sendable, Equatable {
  /// The state of the video or audio source, such as `good` or `lost`.
  public typealias Input = Conditions.Input

  /// The state of the video source; `unused` while video is not open.
  public var video = Input.unused
  /// The state of the audio source; `unused` while audio is not open.
  public var audio = Input.unused
  /// Whether all attempts to encode video, or audio, have failed for more than a second.
  public var encoderFailed = false

  public init(video: Input = .unused, audio: Input = .unused, encoderFailed: Bool = false) {
    self.video = video
    self.audio = audio
    self.encoderFailed = encoderFailed
  }
}
