// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What pictures the encoder is given, and what it is to make of them. A change of any of these but
/// the bit rate needs a new encoder.
public struct VideoFormat: Sendable, Equatable {
  public var size: PictureSize
  public var framesPerSecond: Int
  public var bitrateKbps: Int
  /// For a still: the quantizer of its keyframes, and no bound on their bytes; `nil` for pictures that move,
  /// which keep to the bit rate.
  public var stillQuantizer: Int?
  public var speed: EncoderSpeed
  public var colour: Colour

  public init(
    size: PictureSize, framesPerSecond: Int, bitrateKbps: Int, stillQuantizer: Int? = nil,
    speed: EncoderSpeed, colour: Colour
  ) {
    self.size = size
    self.framesPerSecond = framesPerSecond
    self.bitrateKbps = bitrateKbps
    self.stillQuantizer = stillQuantizer
    self.speed = speed
    self.colour = colour
  }
}

/// Why x264 does not encode.
public enum EncoderError: Error, Equatable, CustomStringConvertible {
  /// x264 knows no such preset, tune or profile: it was built without what OnAir needs.
  case unsupported(String)
  /// The encoder could not be opened: out of memory, most likely.
  case notOpened
  /// x264 took the settings but not as they were given; the name and the value read back.
  case settingNotTaken(name: String, value: String)
  /// A picture could not be encoded.
  case failed

  public var description: String {
    switch self {
    case .unsupported(let what): "this machine's x264 knows no \(what)"
    case .notOpened: "x264 does not open: too little memory, or too few threads are left"
    case .settingNotTaken(let name, let value): "x264 made \(name) \(value)"
    case .failed: "x264 failed"
    }
  }
}
