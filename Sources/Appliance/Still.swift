// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Picture
internal import Synchronization

/// A still as viewers get it: on the broadcast's canvas, at its own rate, and with keyframes that have
/// their room in a thin link.
///
/// It is encoded once, for as long as it takes until it repeats itself: showing it costs next to nothing.
final class Still: Sendable {
  /// How stills are sent.
  struct Rate: Sendable {
    var framesPerSecond = 5
    var gopNanos = Int64.seconds(4)
    /// What its pictures may take of the line. The rest of 80 kbit/s is for silence and overhead.
    var kbps = 66

    /// How many pictures there are at most from one keyframe to the next.
    var between: Int { Int((gopNanos * Int64(framesPerSecond) + 999_999_999) / 1_000_000_000) }
  }

  /// Nothing is gained below it but bytes, and nothing is left to see above.
  private static let quantizers = 20...44

  /// A key picture of one of the program's own images has no more bytes than this at the best quantizer, at
  /// any size: then nothing needs to be tried, and no second encoder takes memory beside the one at work.
  static let mostOfOwn = 30_000

  let header: VideoHeader
  let quantizer: Int
  let gopNanos: Int64
  /// The keyframe without and with what a stream begins with, and the same for the one that follows it: two
  /// neighbours must differ in their number (idr_pic_id; ITU-T H.264, 7.4.3).
  private let keys: [(plain: [UInt8], introduced: [UInt8])]
  /// What follows a keyframe, in order.
  private let repeats: [[UInt8]]

  /// Takes a while: the quantizer is found by trying. Not for a thread of the media path.
  /// - Parameter isOwn: the image is one of the program's own.
  init(
    _ image: StillImage, like moving: VideoFormat, rate: Rate, isOwn: Bool = false
  ) throws(EncoderError) {
    let stage = PictureStage(size: moving.size, rotation: .none, mirror: false, fit: .fit)
    // It holds the picture, unless the stage has made another of it.
    let whole = image.frame(at: .distantPast)
    let picture: PlanarPicture
    do {
      unsafe picture = try unsafe stage.render(whole)
    } catch {
      throw .failed
    }
    var format = moving
    format.framesPerSecond = rate.framesPerSecond
    format.colour = whole.format.colour
    let most = Int(rate.gopNanos / 1_000_000) * rate.kbps / 8
    var (low, high) = (Still.quantizers.lowerBound, Still.quantizers.upperBound)
    if isOwn, Still.mostOfOwn <= most { high = low }
    while low < high {
      // The best first: it is enough for a picture that is drawn.
      let middle = low == Still.quantizers.lowerBound ? low : (low + high) / 2
      format.stillQuantizer = middle
      if try unsafe Still.encode(picture, key: true, by: X264Encoder(format)).count <= most {
        high = middle
      } else {
        low = middle + 1
      }
    }
    format.stillQuantizer = high
    quantizer = high
    gopNanos = rate.gopNanos

    let encoder = try X264Encoder(format)
    header = encoder.header
    let begun = try unsafe Still.encode(picture, key: true, introduced: true, by: encoder)
    var repeats: [[UInt8]] = []
    for _ in 0..<rate.between {
      repeats.append(try unsafe Still.encode(picture, key: false, by: encoder))
    }
    self.repeats = repeats
    let other = try unsafe Still.encode(picture, key: true, by: encoder)
    let plain = try unsafe Still.encode(picture, key: true, by: encoder)
    keys = [
      (plain, begun),
      (other, try unsafe Still.encode(picture, key: true, introduced: true, by: encoder)),
    ]
    withExtendedLifetime(stage) {}
    withExtendedLifetime(whole) {}
  }

  private static func encode(
    _ picture: PlanarPicture, key: Bool, introduced: Bool = false, by encoder: X264Encoder
  ) throws(EncoderError) -> [UInt8] {
    var bytes: [UInt8] = []
    try unsafe encoder.encode(picture, time: .distantPast, key: key, introduced: introduced) {
      unsafe bytes.append(contentsOf: $0.bytes)
    }
    return bytes
  }

  /// Bytes of a keyframe.
  var keyBytes: Int { keys[0].plain.count }

  /// A still while it is shown.
  struct Player {
    let still: Still
    private var key = 0
    /// How many pictures have followed the last keyframe.
    private var count = Int.max

    init(_ still: Still) { self.still = still }

    /// Whether nothing but a keyframe can come next.
    var isOver: Bool { count >= still.repeats.count }

    /// The next picture.
    /// - Parameters:
    ///   - key: makes it one from which a decoder can start.
    ///   - introduced: with what is due where a stream begins.
    ///   - emit: is lent the packet.
    mutating func next(time: MediaTime, key: Bool, introduced: Bool, emit: (Packet) -> Void) {
      let bytes: [UInt8]
      if key || isOver {
        let pair = still.keys[self.key]
        bytes = introduced ? pair.introduced : pair.plain
        self.key = 1 - self.key
        count = 0
      } else {
        bytes = still.repeats[count]
        count += 1
      }
      let kind: PacketKind = count == 0 ? .keyPicture : .picture
      unsafe bytes.withUnsafeBytes { unsafe emit(Packet(kind: kind, time: time, bytes: $0)) }
    }
  }
}
