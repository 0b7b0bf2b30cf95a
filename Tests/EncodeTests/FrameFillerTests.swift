// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Media
import Testing

@testable import Encode

struct FrameFillerTests {
  /// Fills a packet with these bytes up to a size.
  private func fill(
    _ bytes: [UInt8], to leastBytes: Int, kind: PacketKind = .frame,
    with filler: FrameFiller = FrameFiller()
  ) -> (bytes: [UInt8], added: Int) {
    var filled: [UInt8] = []
    let added = unsafe bytes.withUnsafeBytes { bytes in
      let packet = unsafe Packet(
        kind: kind, time: MediaTime(nanos: 7), scene: 3, bytes: bytes)
      return filler.fill(packet, to: leastBytes) { packet in
        filled = unsafe Array(packet.bytes)
        #expect(packet.kind == kind && packet.time == MediaTime(nanos: 7) && packet.scene == 3)
      }
    }
    return (filled, added)
  }

  /// ITU-T H.264, 7.3.2.7: any number of ff_byte and rbsp_trailing_bits.
  @Test func fillerIsOneMoreUnit() {
    let slice: [UInt8] = [0, 0, 0, 3, 0x41, 0x9A, 0x80]
    #expect(
      fill(slice, to: 17).bytes
        == slice + [0, 0, 0, 6, 0x0C, 0xFF, 0xFF, 0xFF, 0xFF, 0x80])
    #expect(fill(slice, to: 17).added == 10)
    let large = fill(slice, to: 70_000).bytes
    #expect(large.count == 70_000)
    // 70,000 less the frame and the length itself.
    #expect(Array(large[7..<12]) == [0, 0x01, 0x11, 0x65, 0x0C])
    #expect(large[12..<69_999].allSatisfy { $0 == 0xFF })
    #expect(large.last == 0x80)
  }

  /// The smallest unit has six bytes.
  @Test(arguments: 1...8) func aFewMissingBytesAreFilled(missing: Int) {
    let slice: [UInt8] = [0, 0, 0, 3, 0x41, 0x9A, 0x80]
    let filled = fill(slice, to: 7 + missing)
    #expect(filled.added == max(6, missing))
    #expect(filled.bytes.count == 7 + filled.added)
    #expect(X264EncoderTests.unitTypes(filled.bytes) == [1, 12])
  }

  @Test func whatIsLargeEnoughStaysAsItIs() {
    let slice: [UInt8] = [0, 0, 0, 3, 0x41, 0x9A, 0x80]
    for size in [0, 6, 7] { #expect(fill(slice, to: size) == (slice, 0)) }
    #expect(fill([1, 2], to: 100, kind: .audio) == ([1, 2], 0))
    let filler = FrameFiller()
    #expect(fill(slice, to: 5_000, with: filler).added == 4_993)
    #expect(fill(slice, to: 20, with: filler).bytes.count == 20)
  }

  /// libavcodec, told to fail on any error, decodes the same pictures with and without filler.
  @Test func decodersIgnoreFiller() throws {
    let encoder = try X264Encoder(X264EncoderTests.format())
    let packets = try X264EncoderTests.encode(encoder, frames: 20, keyAt: [0, 10])
    let filler = FrameFiller()
    let filled = packets.enumerated().map { index, packet in
      fill(
        packet.bytes, to: index % 3 == 0 ? packet.bytes.count + 1 + index * 500 : 0,
        kind: packet.kind, with: filler
      ).bytes
    }
    #expect(filled.map(\.count) != packets.map(\.bytes.count))
    let configuration = encoder.header.avcConfiguration
    let plain = try lumas(packets.map(\.bytes), configuration)
    #expect(plain.count == 20)
    #expect(try lumas(filled, configuration) == plain)
  }

  /// Decodes; the luma of each frame.
  private func lumas(_ packets: [[UInt8]], _ configuration: [UInt8]) throws -> [[UInt8]] {
    let codec = try unsafe #require(avcodec_find_decoder(AV_CODEC_ID_H264))
    let context = try unsafe #require(avcodec_alloc_context3(codec))
    let frame = try unsafe #require(av_frame_alloc())
    let packet = try unsafe #require(av_packet_alloc())
    let extra = try unsafe #require(av_mallocz(configuration.count + 64))
    unsafe extra.copyMemory(from: configuration, byteCount: configuration.count)
    unsafe context.pointee.extradata = extra.assumingMemoryBound(to: UInt8.self)
    unsafe context.pointee.extradata_size = Int32(configuration.count)
    unsafe context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
    unsafe context.pointee.thread_count = 1
    unsafe context.pointee.err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM
    #expect(unsafe avcodec_open2(context, codec, nil) == 0)
    var lumas: [[UInt8]] = []
    func read() throws {
      while unsafe avcodec_receive_frame(context, frame) == 0 {
        let luma = try unsafe #require(frame.pointee.data.0)
        let stride = unsafe Int(frame.pointee.linesize.0)
        let size = X264EncoderTests.size
        lumas.append(
          (0..<size.height).flatMap { row in
            unsafe Array(UnsafeBufferPointer(start: luma + row * stride, count: size.width))
          })
      }
    }
    for bytes in packets {
      #expect(unsafe av_new_packet(packet, Int32(bytes.count)) == 0)
      unsafe packet.pointee.data.update(from: bytes, count: bytes.count)
      #expect(unsafe avcodec_send_packet(context, packet) == 0)
      unsafe av_packet_unref(packet)
      try read()
    }
    #expect(unsafe avcodec_send_packet(context, nil) == 0)
    try read()
    return lumas
  }
}
