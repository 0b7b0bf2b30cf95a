// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The settings with which a video encoder is opened. The settings in `VideoRate` can be changed while the encoder is
/// open; any other change needs a new encoder.
public struct VideoFormat: Sendable, Equatable {
  /// The picture size in pixels.
  public var size: PictureSize
  /// The frame rate of the input, of which `VideoRate.frameStep` may skip frames.
  public var framesPerSecond: Int
  /// The bit rate in kbit/s until `VideoEncoder.change` sets another one.
  public var bitrateKbps: Int
  /// For a still: the constant quantizer (QP) of its frames, which may then have any number of bytes. `nil` for live
  /// video, which is encoded at `bitrateKbps`.
  public var stillQuantizer: Int?
  /// x264's preset; `nil` for an encoder whose effort changes from frame to frame (`VideoRate.effort`). Such an encoder
  /// begins with the preset veryfast.
  public var speed: EncoderSpeed?
  /// The colour description that the stream states.
  public var colour: Colour
  /// How many threads encode a frame, one slice each; `nil` to derive it from the frame's height and the number of
  /// processors.
  public var threads: Int?

  public init(
    size: PictureSize, framesPerSecond: Int, bitrateKbps: Int, stillQuantizer: Int? = nil,
    speed: EncoderSpeed?, colour: Colour,
    threads: Int? = nil
  ) {
    self.size = size
    self.framesPerSecond = framesPerSecond
    self.bitrateKbps = bitrateKbps
    self.stillQuantizer = stillQuantizer
    self.speed = speed
    self.colour = colour
    self.threads = threads
  }
}

/// The reason why x264 cannot encode.
public enum EncoderError: Error, Equatable, CustomStringConvertible {
  /// This build of x264 lacks a preset, tune or profile that OnAir needs.
  case unsupported(String)
  /// The encoder could not be opened, most likely for lack of memory.
  case notOpened
  /// x264 uses another value of a setting than requested: the setting's name, and a text with both values.
  case settingNotApplied(name: String, value: String)
  /// A frame could not be encoded.
  case failed
  /// The encoder accepts frames, but has not emitted a packet for a long time.
  case silent

  public var description: String {
    switch self {
    case .unsupported(let what): "this machine's x264 does not support \(what)"
    case .notOpened: "x264 cannot be opened: not enough memory or threads are left"
    case .settingNotApplied(let name, let value): "x264 set \(name) to \(value)"
    case .failed: "x264 failed"
    case .silent: "the encoder takes frames and returns nothing"
    }
  }
}
