// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The part of an encoder's configuration that changes while it runs.
public struct VideoRate: Equatable, Sendable {
  /// kbit/s of the output.
  public var bitrateKbps: Int
  /// 2 if only every second frame of the format's frame rate is encoded, and so on.
  public var frameStep: Int
  /// `nil` for that of the format's speed.
  public var effort: EncoderEffort?

  public init(bitrateKbps: Int, frameStep: Int = 1, effort: EncoderEffort? = nil) {
    self.bitrateKbps = bitrateKbps
    self.frameStep = frameStep
    self.effort = effort
  }
}

/// Encodes H.264, for live use: each call returns the packet of the frame that it was given. Used by one thread.
public protocol VideoEncoder: AnyObject {
  var format: VideoFormat { get }
  var header: VideoHeader { get }
  /// The rate that was last asked for.
  var rate: VideoRate { get }

  /// Changes the rate from the next frame on, which need not be a keyframe. Not for stills.
  func change(_ rate: VideoRate) throws(EncoderError)

  /// Whether the encoder kept another rate than it was asked for, as its settings show after the first frame. Each
  /// refusal is returned once.
  func takeRefusal() -> EncoderError?

  /// Encodes one frame.
  /// - Parameters:
  ///   - picture: must have the format's size and colour.
  ///   - key: whether to make a keyframe (IDR), from which a decoder can start.
  ///   - introduced: whether to put the encoder's settings (SEI) before it, as at the start of a stream.
  ///   - emit: receives the packet, valid during the call.
  @unsafe func encode(
    _ picture: PlanarPicture, time: MediaTime, key: Bool, introduced: Bool,
    emit: (Packet) -> Void
  ) throws(EncoderError)
}
