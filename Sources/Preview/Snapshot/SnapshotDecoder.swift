// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Mux

/// An H.264 decoder that decodes the frames of fragments up to the newest one. Used by one thread at a time.
///
/// A frame can be decoded only after those before it. The decoder remembers the last fragment that it has decoded: for
/// another snapshot in the same GOP only the new frames are decoded.
@safe final class SnapshotDecoder: @unchecked Sendable {
  private let decoder: UnsafeMutablePointer<AVCodecContext>
  /// The newest decoded frame.
  private let frame: UnsafeMutablePointer<AVFrame>
  /// Receives the next decoded frame. It is separate from `frame` because libavcodec clears the frame that it is given,
  /// even if it returns none.
  private let received: UnsafeMutablePointer<AVFrame>
  /// The packet in which each encoded frame is passed to the decoder.
  private let packet: UnsafeMutablePointer<AVPacket>
  /// The number of the initialization segment that the decoder was opened for.
  let initialization: Int
  /// The number of the last fragment that was decoded; 0 before the first one.
  private(set) var fragmentNumber = 0
  /// Whether any frame has been decoded, so that `frame` contains one.
  private var hasFrame = false

  init(_ initialization: Initialization) throws(PreviewError) {
    onair_av_be_quiet()
    self.initialization = initialization.number
    var context = unsafe avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))
    var frameMade = unsafe av_frame_alloc()
    var receivedMade = unsafe av_frame_alloc()
    var packetMade = unsafe av_packet_alloc()
    let record = initialization.avcConfiguration
    guard let decoder = unsafe context, let frame = unsafe frameMade,
      let received = unsafe receivedMade, let packet = unsafe packetMade,
      unsafe SnapshotDecoder.open(decoder, record)
    else {
      unsafe av_packet_free(&packetMade)
      unsafe av_frame_free(&frameMade)
      unsafe av_frame_free(&receivedMade)
      unsafe avcodec_free_context(&context)
      throw .undecodable
    }
    unsafe self.decoder = decoder
    unsafe self.frame = frame
    unsafe self.received = received
    unsafe self.packet = packet
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe self.packet
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe self.frame
    var received: UnsafeMutablePointer<AVFrame>? = unsafe self.received
    var decoder: UnsafeMutablePointer<AVCodecContext>? = unsafe self.decoder
    unsafe av_packet_free(&packet)
    unsafe av_frame_free(&frame)
    unsafe av_frame_free(&received)
    unsafe avcodec_free_context(&decoder)
  }

  /// Opens the decoder. `record` is the AVC decoder configuration record. Returns `false` on failure.
  private static func open(
    _ decoder: UnsafeMutablePointer<AVCodecContext>, _ record: [UInt8]
  ) -> Bool {
    // Add AV_INPUT_BUFFER_PADDING_SIZE (64) bytes, which libavcodec may read beyond the end of the record.
    guard !record.isEmpty, let copy = unsafe av_mallocz(record.count + 64) else { return false }
    unsafe copy.copyMemory(from: record, byteCount: record.count)
    unsafe decoder.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    unsafe decoder.pointee.extradata_size = Int32(record.count)
    // Decode in one thread, and output each frame as soon as it is decoded: the stream has no B-frames.
    unsafe decoder.pointee.thread_count = 1
    unsafe decoder.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    return unsafe avcodec_open2(decoder, nil, nil) == 0
  }

  /// Decodes the fragments of a GOP, except for those that were decoded before.
  /// - Parameter group: the fragments in order; the first one begins with a keyframe.
  func decode(_ group: ArraySlice<Fragment>) throws(PreviewError) {
    let isKnown = group.contains { $0.number == fragmentNumber }
    if !isKnown { unsafe avcodec_flush_buffers(decoder) }
    for next in group where !isKnown || next.number > fragmentNumber {
      try decode(next)
      fragmentNumber = next.number
    }
  }

  /// Decodes all frames of a fragment.
  private func decode(_ fragment: Fragment) throws(PreviewError) {
    guard var at = MP4Box.contents(of: "mdat", in: fragment.bytes)?.lowerBound else {
      throw .undecodable
    }
    for count in fragment.frameSizes {
      guard at + count <= fragment.bytes.count, unsafe av_new_packet(packet, Int32(count)) == 0
      else { throw .undecodable }
      unsafe fragment.bytes.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: count)
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[at..<at + count]))
      }
      at += count
      let sent = unsafe avcodec_send_packet(decoder, packet)
      unsafe av_packet_unref(packet)
      guard sent == 0 else { throw .undecodable }
      while unsafe avcodec_receive_frame(decoder, received) == 0 {
        unsafe av_frame_unref(frame)
        unsafe av_frame_move_ref(frame, received)
        hasFrame = true
      }
    }
  }

  /// Calls `body` with the newest decoded frame, which is valid only during the call.
  /// - Throws: `undecodable` if no frame was decoded, or the error of `body`.
  func withFrame<Result>(
    _ body: (UnsafeMutablePointer<AVFrame>) throws(PreviewError) -> Result
  ) throws(PreviewError) -> Result {
    guard hasFrame else { throw .undecodable }
    return try unsafe body(frame)
  }
}
