// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
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

/// Encodes H.264, for live use. Used by one thread.
///
/// A call emits the packets that are ready: none, that of its own frame, those of earlier frames, in any order in which
/// they can be decoded. Each of them carries the tag of its own frame, so a frame that comes out after a cut still has the
/// number of the scene that it is of. The encoder of a still answers within the call.
public protocol VideoEncoder: AnyObject {
  var format: VideoFormat { get }
  var header: VideoHeader { get }
  /// The rate that was last asked for.
  var rate: VideoRate { get }
  /// Whether packets of frames that it was given are still to come.
  var holdsFrames: Bool { get }

  /// Changes the rate from the next frame on, which need not be a keyframe. Not for stills.
  func change(_ rate: VideoRate) throws(EncoderError)

  /// Whether the encoder kept another rate than it was asked for, as its settings show after the first frame. Each
  /// refusal is returned once.
  func takeRefusal() -> EncoderError?

  /// Encodes one frame. If it throws, the frame is lost; others that it holds may still come.
  /// - Parameters:
  ///   - picture: must have the format's size and colour.
  ///   - tag: comes out with the frame's packet.
  ///   - key: whether to make a keyframe (IDR), from which a decoder can start.
  ///   - introduced: whether to put the encoder's settings (SEI) before it, as at the start of a stream.
  ///   - emit: receives each packet, valid during the call.
  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) throws(EncoderError)

  /// Emits the packets of all frames that it holds. Afterwards the encoder takes no frame any more.
  func finish(emit: (EncodedFrame) -> Void) throws(EncoderError)
}
