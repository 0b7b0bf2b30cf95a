// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Opens encoders: the one place that knows which libraries they are of.
public struct EncoderFactory: Sendable {
  /// x264, and libavcodec's AAC encoder.
  public static let libraries = EncoderFactory(
    videoName: X264Encoder.version,
    video: { (format) throws(EncoderError) in try X264Encoder(format) },
    audio: { (format) throws(AudioEncoderError) in try AACEncoder(format) })

  /// The library of the video encoders, and its version: another one may take another time for a frame.
  public let videoName: String
  /// Opens an encoder of live video, or of a still if the format has a `stillQuantizer`.
  public let video: @Sendable (VideoFormat) throws(EncoderError) -> any VideoEncoder
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
