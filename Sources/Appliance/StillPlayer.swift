// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Encode
internal import Media
internal import Synchronization

/// What x264 makes of a still, until it repeats itself.
struct StillReel: Sendable {
  var header: VideoHeader
  /// A keyframe, and the one after it: neighbours must differ in their number (idr_pic_id; ITU-T H.264, 7.4.3).
  var keys: [[UInt8]] = []
  /// What follows a keyframe, in order.
  var repeats: [[UInt8]] = []
}

/// A still while it is shown. It is encoded once, from one keyframe to the next but one, and then what came out
/// is shown over and over: that costs next to nothing. Used by one thread.
struct StillPlayer {
  let still: Still
  private var reel: StillReel
  /// `nil` once the reel is whole.
  private var encoder: X264Encoder?
  private var keyCount = 0
  /// How many pictures have followed the last keyframe.
  private var position = Int.max

  init(_ still: Still) throws(EncoderError) {
    self.still = still
    if let reel = still.reel.withLock({ $0 }) {
      self.reel = reel
    } else {
      let encoder = try X264Encoder(still.format)
      reel = StillReel(header: encoder.header)
      self.encoder = encoder
    }
  }

  var header: VideoHeader { reel.header }

  /// Whether nothing but a keyframe can come next.
  var isOver: Bool { keyCount == 0 || encoder == nil && position >= reel.repeats.count }

  /// The next picture.
  /// - Parameters:
  ///   - key: makes it one from which a decoder can start.
  ///   - emit: is lent the packet.
  mutating func next(
    time: MediaTime, key: Bool, emit: (Packet) -> Void
  ) throws(EncoderError) {
    let key = key || isOver
    let place = key ? keyCount % 2 : position
    if let encoder {
      var made: [UInt8]?
      let isNew = key ? keyCount == reel.keys.count && keyCount < 2 : place == reel.repeats.count
      try unsafe encoder.encode(still.picture, time: time, key: key) { packet in
        if isNew { made = unsafe Array(packet.bytes) }
        emit(packet)
      }
      if let made { add(made, key: key) }
    } else {
      let bytes = key ? reel.keys[place] : reel.repeats[place]
      unsafe bytes.withUnsafeBytes {
        unsafe emit(Packet(kind: key ? .keyframe : .frame, time: time, bytes: $0))
      }
    }
    keyCount += key ? 1 : 0
    position = key ? 0 : position + 1
  }

  private mutating func add(_ bytes: [UInt8], key: Bool) {
    if key { reel.keys.append(bytes) } else { reel.repeats.append(bytes) }
    guard reel.keys.count == 2, reel.repeats.count >= still.repeatCount else { return }
    let whole = reel
    still.reel.withLock { $0 = whole }
    encoder = nil
  }
}
