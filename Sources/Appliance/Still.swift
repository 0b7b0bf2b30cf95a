// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Picture
internal import Synchronization

/// A still as viewers get it: on the broadcast's canvas, at its own rate, and with keyframes that have
/// their room in a thin link.
@safe final class Still: @unchecked Sendable {
  /// How stills are sent.
  struct Rate: Sendable {
    var framesPerSecond = 5
    var gopNanos = Int64.seconds(4)
    /// What its pictures may take of the line. The rest of 80 kbit/s is for silence and overhead.
    var kbps = 66
  }

  /// Nothing is gained below it but bytes, and nothing is left to see above.
  private static let quantizers = 20...44

  /// A key picture of one of the program's own images has no more bytes than this at the best quantizer, at
  /// any size: then nothing needs to be tried, and no second encoder takes memory beside the one at work.
  static let mostOfOwn = 30_000

  let format: VideoFormat
  let gopNanos: Int64
  /// How it has been encoded, once it has been shown for long enough.
  let reel = Mutex<StillReel?>(nil)
  /// Valid while the still lives; never written to.
  @unsafe let picture: PlanarPicture
  /// One of the two holds the picture.
  private let stage: PictureStage
  private let frame: Frame?

  /// How many pictures there are from one keyframe to the next.
  var repeatCount: Int {
    Int(gopNanos * Int64(format.framesPerSecond) / 1_000_000_000) - 1
  }

  /// Takes a while: the quantizer is found by trying. Not for a thread of the media path.
  /// - Parameter isOwn: the image is one of the program's own.
  init(
    _ image: StillImage, like moving: VideoFormat, rate: Rate, isOwn: Bool = false
  ) throws(EncoderError) {
    stage = PictureStage(
      size: moving.size, rotation: image.rotation, mirror: image.mirror, fit: .fit)
    gopNanos = rate.gopNanos
    let whole = image.frame(at: .distantPast)
    do {
      unsafe picture = try unsafe stage.render(whole)
    } catch {
      throw .failed
    }
    var format = moving
    format.framesPerSecond = rate.framesPerSecond
    format.colour = whole.format.colour
    // What needs no work stays where it is, a cropped last row or column included.
    let start = unsafe UnsafeRawPointer(picture.y)
    let isInPlace = unsafe whole.bytes.baseAddress.map {
      unsafe ($0..<$0 + whole.bytes.count).contains(start)
    }
    if isInPlace == true { frame = consume whole } else { frame = nil }
    let most = Int(rate.gopNanos / 1_000_000) * rate.kbps / 8
    var (low, high) = (Still.quantizers.lowerBound, Still.quantizers.upperBound)
    if isOwn, Still.mostOfOwn <= most { high = low }
    while low < high {
      // The best first: it is enough for a picture that is drawn.
      let middle = low == Still.quantizers.lowerBound ? low : (low + high) / 2
      format.stillQuantizer = middle
      if try unsafe Still.keyBytes(picture, format) <= most {
        high = middle
      } else {
        low = middle + 1
      }
    }
    format.stillQuantizer = high
    self.format = format
  }

  static func keyBytes(
    _ picture: PlanarPicture, _ format: VideoFormat
  ) throws(EncoderError) -> Int {
    var bytes = 0
    try unsafe X264Encoder(format).encode(picture, time: .distantPast, key: true) {
      bytes += unsafe $0.bytes.count
    }
    return bytes
  }
}
