// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Opens video and audio encoders. Only this type knows which encoder libraries are used.
public struct EncoderFactory: Sendable {
  /// The factory that the program uses: x264 for video, libavcodec's AAC encoder for audio.
  public static let libraries = EncoderFactory(
    videoName: X264Encoder.version,
    video: { (format) throws(EncoderError) in try X264Encoder(format) },
    audio: { (format) throws(AudioEncoderError) in try AACEncoder(format) })

  /// Identifies the version of the video encoder's library. Measured encoding times are valid for this version only.
  public let videoName: String
  /// Opens an encoder of live video, or of a still if the format has a `stillQuantizer`.
  public let video: @Sendable (VideoFormat) throws(EncoderError) -> any VideoEncoder
  /// Opens an encoder of audio.
  public let audio: @Sendable (AudioFormat) throws(AudioEncoderError) -> any AudioEncoder

  public init(
    videoName: String = "",
    video: @escaping @Sendable (VideoFormat) throws(EncoderError) -> any VideoEncoder,
    audio: @escaping @Sendable (AudioFormat) throws(AudioEncoderError) -> any AudioEncoder
  ) {
    self.videoName = videoName
    self.video = video
    self.audio = audio
  }
}
