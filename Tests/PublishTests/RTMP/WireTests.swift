// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Mux
import Testing

@testable import Publish

/// Every byte that a server receives in a session, as the specification requires.
@Suite struct WireTests {
  /// A message as its chunks (RTMP specification 1.0, 5.3.1).
  /// - Parameters:
  ///   - time: the timestamp in a type 0 header, the difference to the previous timestamp in a type 1 header.
  ///   - stream: the stream id; `nil` for a type 1 header, which has none.
  private func message(
    channel: UInt8, type: UInt8, time: UInt8 = 0, stream: UInt8?, chunk: Int = 60_000,
    _ body: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = [channel | (stream == nil ? 0x40 : 0), 0, 0, time]
    bytes += [UInt8(body.count >> 16), UInt8(body.count >> 8 & 0xFF), UInt8(body.count & 0xFF)]
    bytes.append(type)
    if let stream { bytes += [stream, 0, 0, 0] }
    for start in stride(from: 0, to: body.count, by: chunk) {
      if start > 0 { bytes.append(channel | 0xC0) }
      bytes += body[start..<min(start + chunk, body.count)]
    }
    return bytes
  }

  private func command(
    channel: UInt8 = 3, stream: UInt8?, chunk: Int = 60_000, _ values: [AMF0]
  ) -> [UInt8] {
    message(channel: channel, type: 0x14, stream: stream, chunk: chunk, AMF0.encode(values))
  }

  @Test func theWholeConversation() throws {
    var noise = Noise(seed: 3)
    let s1 = noise.bytes(1_536)
    let handshake = Found<(c0c1: [UInt8], c2: [UInt8])>()
    let received = Found<[UInt8]>()
    let server = try FakeServer { peer in
      let c0c1 = try peer.read(1_537)
      try peer.write([3] + s1 + c0c1.dropFirst())
      handshake.set((c0c1, try peer.read(1_536)))
      try peer.answer(upTo: "publish")
      try peer.status("NetStream.Publish.Start")
      peer.readToEnd()
      received.set(peer.received)
    }
    defer { server.end() }
    let rig = try Rig(port: server.port)
    rig.destination.start()
    #expect(rig.waitForPublishing())
    let start = MediaTime.now()
    let picture = noise.bytes(70_000)
    let sound = noise.bytes(400)
    let pieces = [
      Piece(kind: .keyframe, time: start, bytes: picture),
      Piece(kind: .audio, time: start + .milliseconds(21), bytes: sound),
      Piece(kind: .frame, time: start + .milliseconds(33), bytes: sound),
    ]
    #expect(rig.offer(pieces))
    #expect(rig.stop(goodbye: true))

    // 5.2: version 3, a time, four zeros, 1,528 arbitrary bytes; then an echo of the server's.
    let (c0c1, c2) = try #require(handshake.wait())
    #expect(c0c1[0] == 3)
    #expect(c0c1[5..<9] == [0, 0, 0, 0])
    #expect(Set(c0c1[9...]).count > 200)
    #expect(c2 == s1)

    let key = AMF0.string(Rig.key)
    let wanted: [(String, [UInt8])] = [
      (
        "connect",
        command(
          stream: 0, chunk: 128,
          [
            .string("connect"), .number(1),
            .object([
              .init("app", .string("live")), .init("type", .string("nonprivate")),
              .init("flashVer", .string("FMLE/3.0 (compatible; OnAir)")),
              .init("tcUrl", .string("rtmp://127.0.0.1:\(server.port)/live")),
            ]),
          ])
      ),
      ("chunk size", message(channel: 2, type: 1, stream: 0, [0, 0, 0xEA, 0x60])),
      ("acknowledgement window", message(channel: 2, type: 5, stream: 0, [0, 0, 0x27, 0x10])),
      ("releaseStream", command(stream: nil, [.string("releaseStream"), .number(2), .null, key])),
      ("FCPublish", command(stream: nil, [.string("FCPublish"), .number(3), .null, key])),
      ("createStream", command(stream: nil, [.string("createStream"), .number(4), .null])),
      (
        "publish",
        command(
          channel: 4, stream: 1, [.string("publish"), .number(5), .null, key, .string("live")])
      ),
      (
        "metadata",
        message(
          channel: 5, type: 0x12, stream: 1,
          FLV.metadata(video: Sample.video, audio: Sample.audio, encoder: "OnAir test"))
      ),
      (
        "picture header",
        message(
          channel: 6, type: 9, stream: 1, [0x17, 0, 0, 0, 0] + Sample.video.avcConfiguration)
      ),
      ("sound header", message(channel: 4, type: 8, stream: 1, [0xAF, 0, 0x11, 0x90])),
      ("key picture", message(channel: 6, type: 9, stream: nil, [0x17, 1, 0, 0, 0] + picture)),
      ("sound", message(channel: 4, type: 8, time: 21, stream: nil, [0xAF, 1] + sound)),
      ("picture", message(channel: 6, type: 9, time: 33, stream: nil, [0x27, 1, 0, 0, 0] + sound)),
      ("FCUnpublish", command(stream: 0, [.string("FCUnpublish"), .number(6), .null, key])),
      (
        "deleteStream",
        command(stream: 0, [.string("deleteStream"), .number(7), .null, .number(1)])
      ),
    ]
    var rest = try #require(received.wait())[...]
    for (name, bytes) in wanted {
      let got = Array(rest.prefix(bytes.count))
      #expect(got.prefix(300) == bytes.prefix(300), "\(name)")
      try #require(got == bytes, "\(name)")
      rest = rest.dropFirst(bytes.count)
    }
    #expect(rest.isEmpty, "and no more")
  }
}
