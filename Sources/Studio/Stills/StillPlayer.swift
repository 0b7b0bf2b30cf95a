// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Encode
internal import Media
internal import Synchronization

/// The encoded packets of a still, to be sent in a loop.
struct StillReel: Sendable {
  /// The header of the encoder that has encoded the packets.
  var header: VideoHeader
  /// Two encoded keyframes, which are sent alternately, because consecutive keyframes must differ in idr_pic_id (ITU-T
  /// H.264, 7.4.3).
  var keys: [[UInt8]] = []
  /// The packets of the frames between one keyframe and the next.
  var repeats: [[UInt8]] = []
}

/// Emits the packets of the still that is on air. Encodes two keyframe intervals, then closes the encoder and repeats
/// the encoded packets, which takes almost no processor time. Used by one thread.
struct StillPlayer {
  /// The still that is played.
  let still: Still
  /// The packets encoded so far, for reuse.
  private var reel: StillReel
  /// The encoder of the still; `nil` once `reel` is complete.
  private var encoder: (any VideoEncoder)?
  /// The number of keyframes emitted so far.
  private var keyCount = 0
  /// How many frames have followed the last keyframe; `Int.max` before the first keyframe.
  private var framesAfterKey = Int.max
  /// The time of the last keyframe; `nil` before the first keyframe, and after a failure to encode a frame.
  private var lastKeyAt: MediaTime?

  init(_ still: Still) throws(EncoderError) {
    self.still = still
    if let reel = still.reel.withLock({ $0 }) {
      self.reel = reel
    } else {
      let encoder = try still.encoders.video(still.format)
      reel = StillReel(header: encoder.header)
      self.encoder = encoder
    }
  }

  /// The video header, which a sink needs before the packets.
  var header: VideoHeader { reel.header }

  /// Whether the next frame has to be a keyframe, because it is the first frame, or because all packets of `reel` were
  /// sent.
  var needsKeyframe: Bool {
    keyCount == 0 || encoder == nil && framesAfterKey >= reel.repeats.count
  }

  /// Whether the frame at this time has to be a keyframe because the keyframe interval is over, even if no sink needs
  /// one.
  /// - Parameter interval: nanoseconds from frame to frame.
  func isKeyframeDue(at time: MediaTime, interval: Int64) -> Bool {
    guard let lastKeyAt, !needsKeyframe else { return true }
    // A keyframe may come half a frame early; otherwise it would come up to a whole frame late.
    return time > lastKeyAt + still.gopNanos - interval / 2
  }

  /// Emits the next frame.
  /// - Parameters:
  ///   - key: whether to make the frame a keyframe.
  ///   - emit: receives the packet, which is valid during the call.
  /// - Throws: an error of the encoder; `EncoderError.failed` also if the encoder did not emit the packet within the
  ///   call.
  mutating func next(
    _ tag: FrameTag, key: Bool, emit: (EncodedFrame) -> Void
  ) throws(EncoderError) {
    let key = key || needsKeyframe
    let index = key ? keyCount % 2 : framesAfterKey
    let keyAt = key ? tag.time : lastKeyAt
    // If encoding fails, `lastKeyAt` stays `nil`: the next frame has to be a keyframe, since the encoder may refer to
    // this frame.
    lastKeyAt = nil
    if let encoder {
      var made: [UInt8]?
      var hasAnswered = false
      let isNew = key ? keyCount == reel.keys.count && keyCount < 2 : index == reel.repeats.count
      try unsafe encoder.encode(still.picture, tag, key: key, introduced: false) { frame in
        guard frame.tag == tag else { return }
        hasAnswered = true
        if isNew { made = unsafe Array(frame.packet.bytes) }
        emit(frame)
      }
      guard hasAnswered else { throw .failed }
      if let made { add(made, key: key) }
    } else {
      let bytes = key ? reel.keys[index] : reel.repeats[index]
      unsafe bytes.withUnsafeBytes {
        unsafe emit(EncodedFrame(key ? .keyframe : .frame, tag, bytes: $0))
      }
    }
    lastKeyAt = keyAt
    keyCount += key ? 1 : 0
    framesAfterKey = key ? 0 : framesAfterKey + 1
  }

  /// Adds an encoded packet to `reel`. When `reel` is complete, saves `reel` in the still and closes the encoder.
  private mutating func add(_ bytes: [UInt8], key: Bool) {
    if key { reel.keys.append(bytes) } else { reel.repeats.append(bytes) }
    guard reel.keys.count == 2, reel.repeats.count >= still.repeatCount else { return }
    let complete = reel
    still.reel.withLock { $0 = complete }
    encoder = nil
  }
}
