// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Synchronization
internal import Video

/// A still image that is ready to be encoded: scaled to the broadcast's frame size, with its own frame rate, and with a
/// quantizer at which its keyframes are small enough for a slow link.
@safe final class Still: @unchecked Sendable {
  /// The frame rate, keyframe interval and bit rate of a still.
  struct Rate: Sendable, Equatable {
    var framesPerSecond = 5
    /// Nanoseconds from one keyframe to the next.
    var gopNanos = Int64.seconds(4)
    /// The video bit rate in kbit/s. Together with silent audio and protocol overhead, the stream has 80 kbit/s.
    var kbps = 66
  }

  /// The x264 quantizers to choose from. Below 20 the image does not look better; above 44 it is unrecognisable.
  private static let quantizers = 20...44

  /// The largest size, in bytes, of a keyframe of a built-in image, at any frame size and the best quantizer. If the
  /// still's bit rate allows keyframes of this size, no trial encodes are needed, which saves the memory of a second
  /// encoder.
  static let maxBuiltInBytes = 30_000

  /// The format in which the still is encoded.
  let format: VideoFormat
  /// Nanoseconds from one keyframe to the next.
  let gopNanos: Int64
  /// Creates the encoder for the still.
  let encoders: EncoderFactory
  /// The still's encoded packets, for reuse; `nil` until the still has been shown for two keyframe intervals.
  let reel = Mutex<StillReel?>(nil)
  /// The scaled image with its layers. Valid while the still exists; never written to.
  @unsafe let picture: PlanarPicture
  /// The memory of `picture`.
  private let buffer: PlaneBuffer

  /// How many frames follow each keyframe.
  var repeatCount: Int {
    Int(gopNanos * Int64(format.framesPerSecond) / 1_000_000_000) - 1
  }

  /// Scales the image and draws the layers on it. Then finds, by trial encodes, the best quantizer at which a keyframe
  /// is small enough. Slow: do not call it on a thread of the media path.
  /// - Parameters:
  ///   - live: the format of the broadcast's live video.
  ///   - isBuiltIn: whether the image is built into the program.
  ///   - layers: the layers to draw on the image (`Composition.onStills`).
  convenience init(
    _ image: StillImage, like live: VideoFormat, rate: Rate, isBuiltIn: Bool = false,
    layers: Composition = Composition(), encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    try self.init(
      image.frame(at: .distantPast), VideoLook(rotation: image.rotation, mirror: image.mirror),
      like: live, rate: rate, isBuiltIn: isBuiltIn, layers: layers, encoders: encoders)
  }

  /// As above, from a frame.
  /// - Parameter look: how the frame is placed in the broadcast's frame size.
  init(
    _ whole: consuming Frame, _ look: VideoLook = VideoLook(), like live: VideoFormat, rate: Rate,
    isBuiltIn: Bool = false, layers: Composition = Composition(),
    encoders: EncoderFactory = .libraries
  ) throws(EncoderError) {
    self.encoders = encoders
    gopNanos = rate.gopNanos
    var format = live
    format.framesPerSecond = rate.framesPerSecond
    format.colour = whole.format.colour
    let layers = layers.paintedForStill(size: live.size, colour: format.colour)
    let composer = VideoComposer(
      Layout(
        size: live.size, look, colour: format.colour), layers)
    do { try composer.take(whole) } catch { throw .failed }
    buffer = unsafe PlaneBuffer(copying: composer.compose(at: .distantPast))
    unsafe picture = buffer.picture
    let maxBytes = Int(rate.gopNanos / 1_000_000) * rate.kbps / 8
    var (low, high) = (Still.quantizers.lowerBound, Still.quantizers.upperBound)
    if isBuiltIn, !layers.hasLayers, Still.maxBuiltInBytes <= maxBytes { high = low }
    while low < high {
      // The lowest (best) quantizer is tried first: keyframes of drawn images, which compress well, are usually small
      // enough with it.
      let middle = low == Still.quantizers.lowerBound ? low : (low + high) / 2
      format.stillQuantizer = middle
      if try unsafe Still.keyBytes(picture, format, encoders) <= maxBytes {
        high = middle
      } else {
        low = middle + 1
      }
    }
    format.stillQuantizer = high
    self.format = format
  }

  /// The bytes of a keyframe of this picture in this format, found by a trial encode.
  static func keyBytes(
    _ picture: PlanarPicture, _ format: VideoFormat, _ encoders: EncoderFactory = .libraries
  ) throws(EncoderError) -> Int {
    var bytes = 0
    try unsafe encoders.video(format).encode(
      picture, FrameTag(time: .distantPast), key: true, introduced: false
    ) {
      bytes += unsafe $0.packet.bytes.count
    }
    return bytes
  }
}
