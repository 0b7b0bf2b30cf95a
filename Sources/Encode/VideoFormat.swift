// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The input and the output of a video encoder. Any change other than that of a `VideoRate` needs a new
/// encoder.
public struct VideoFormat: Sendable, Equatable {
  public var size: PictureSize
  public var framesPerSecond: Int
  public var bitrateKbps: Int
  /// For a still: the quantizer of its keyframes, whose size is then not limited. `nil` for video, which keeps to the
  /// bit rate.
  public var stillQuantizer: Int?
  /// `nil` for an encoder whose effort changes: see `VideoRate.effort`.
  public var speed: EncoderSpeed?
  public var colour: Colour
  /// Slices of a frame that are encoded at the same time; `nil` for as many as fit the processors.
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

/// Why x264 cannot encode.
public enum EncoderError: Error, Equatable, CustomStringConvertible {
  /// This build of x264 lacks a preset, tune or profile that OnAir needs.
  case unsupported(String)
  /// The encoder could not be opened, most likely for lack of memory.
  case notOpened
  /// x264 changed a setting; its name, and the actual and the requested value.
  case settingNotApplied(name: String, value: String)
  /// A frame could not be encoded.
  case failed
  /// The encoder takes frames, and no packet has come out for long.
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
