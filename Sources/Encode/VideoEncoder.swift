// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The settings of a video encoder that can change while it runs.
public struct VideoRate: Equatable, Sendable {
  /// The bit rate to encode at, in kbit/s.
  public var bitrateKbps: Int
  /// 1 if every frame of the format's frame rate is encoded, 2 if every second one is, and so on.
  public var frameStep: Int
  /// How much work the encoder puts into a frame. `nil` keeps the present effort, which at first is that of the preset
  /// `VideoFormat.speed`.
  public var effort: EncoderEffort?

  public init(bitrateKbps: Int, frameStep: Int = 1, effort: EncoderEffort? = nil) {
    self.bitrateKbps = bitrateKbps
    self.frameStep = frameStep
    self.effort = effort
  }
}

/// An encoder of H.264 for live use. Used by one thread.
///
/// Each call of `encode` emits the packets that are ready, in decoding order: none, the packet of the frame just
/// passed, or packets of earlier frames. Each packet comes with the tag that was passed with its frame, so a packet
/// that is emitted after a cut still has the scene number of its frame. An encoder of a still emits the packet of a
/// frame before `encode` returns.
public protocol VideoEncoder: AnyObject {
  /// The settings with which the encoder was opened.
  var format: VideoFormat { get }
  /// The format of the packets, with the decoder configuration.
  var header: VideoHeader { get }
  /// The settings that `change` has last requested; at first those of `format`.
  var rate: VideoRate { get }
  /// Whether frames have been passed to `encode` whose packets are not emitted yet.
  var holdsFrames: Bool { get }

  /// Changes the settings from the next frame on, which need not be a keyframe. Not for an encoder of a still.
  func change(_ rate: VideoRate) throws(EncoderError)

  /// Returns an error if the encoder library has not applied the last `change`, otherwise `nil`. The library's settings
  /// are read back after the first frame that follows the change. Returns each error once.
  func takeRefusal() -> EncoderError?

  /// Encodes one frame. If this throws, the frame is lost; the packets of earlier frames may still be emitted.
  /// - Parameters:
  ///   - picture: must have the format's size and colour.
  ///   - tag: emitted with the frame's packet.
  ///   - key: whether to make a keyframe (IDR), from which a decoder can start.
  ///   - introduced: whether to put an SEI with the encoder's settings before a keyframe, as at the start of a stream.
  ///   - emit: receives each packet, whose bytes are valid during the call only.
  @unsafe func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool,
    emit: (EncodedFrame) -> Void
  ) throws(EncoderError)

  /// Emits the packets of all frames whose packets are not emitted yet. After this, `encode` must not be called.
  func finish(emit: (EncodedFrame) -> Void) throws(EncoderError)
}
