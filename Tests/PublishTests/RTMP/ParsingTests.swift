// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import Testing

@testable import Publish

@Suite struct ChunkGateTests {
  private func check(
    _ gate: inout ChunkGate, _ bytes: [UInt8], chunkSize: Int = 128
  ) -> ChunkGate.Verdict {
    gate.check(bytes.span, chunkSize: chunkSize)
  }

  /// A full header of a message on channel 3.
  private func header(_ length: Int, format: UInt8 = 0, time: UInt8 = 0) -> [UInt8] {
    let size = [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
    let whole = [format << 6 | 3, time, time, time] + size + [0x14, 0, 0, 0, 0]
    return Array(whole.prefix([12, 8, 4, 1][Int(format)]))
  }

  @Test func waitsForTheWholeChunk() {
    let chunk = header(5) + [1, 2, 3, 4, 5]
    for length in 0..<chunk.count {
      var gate = ChunkGate()
      #expect(check(&gate, Array(chunk.prefix(length))) == .incomplete)
    }
    var gate = ChunkGate()
    #expect(check(&gate, chunk + [9, 9]) == .complete(chunk.count))
    // A chunk without a header: the same length as before.
    #expect(check(&gate, [0xC3, 1, 2, 3, 4]) == .incomplete)
    #expect(check(&gate, [0xC3, 1, 2, 3, 4, 5]) == .complete(6))
  }

  @Test func countsContinuationsAndExtendedTimes() {
    var gate = ChunkGate()
    let body = [UInt8](repeating: 7, count: 128)
    #expect(check(&gate, header(130, time: 0xFF) + [0, 0, 0, 1] + body) == .complete(144))
    #expect(check(&gate, [0xC3, 0, 0, 0, 1, 7]) == .incomplete)
    #expect(check(&gate, [0xC3, 0, 0, 0, 1, 7, 7]) == .complete(7))
  }

  @Test func limitsTheMemoryOfPartialMessages() {
    var gate = ChunkGate()
    // librtmp allocates the full length of a message when it starts.
    func begin(_ channel: UInt8) -> ChunkGate.Verdict {
      var bytes = header(ChunkGate.maxMessageBytes) + [UInt8](repeating: 7, count: 128)
      bytes[0] = channel
      return check(&gate, bytes)
    }
    let most = UInt8(ChunkGate.maxIncompleteBytes / ChunkGate.maxMessageBytes)
    for channel in 3..<3 + most { #expect(begin(channel) == .complete(140)) }
    #expect(begin(3 + most) == .rejected)
    // A message that ends makes room for the next one.
    let rest = [UInt8](repeating: 7, count: ChunkGate.maxMessageBytes - 128)
    #expect(check(&gate, [0xC3] + rest, chunkSize: 8_192) == .complete(1 + rest.count))
    #expect(begin(3 + most) == .complete(140))
    #expect(check(&gate, header(0)) == .complete(12))
  }

  @Test func rejectsChunksThatLibrtmpMishandles() {
    var gate = ChunkGate()
    let body = [UInt8](repeating: 7, count: 128)
    #expect(check(&gate, header(200) + body) == .complete(140))
    for format: UInt8 in 0...2 {
      #expect(check(&gate, header(9_000, format: format)) == .rejected, "a header in a message")
    }
    gate = ChunkGate()
    #expect(check(&gate, header(ChunkGate.maxMessageBytes + 1)) == .rejected)
    #expect(check(&gate, [0xC5]) == .rejected, "nothing to continue")
    #expect(check(&gate, [0x01, 0xFF, 0xFF]) == .rejected, "channel 65,599")
    #expect(check(&gate, [0x01, 0xFF]) == .incomplete)
    #expect(check(&gate, header(0)) == .complete(12))
  }
}

@Suite struct ServerMessageTests {
  private func status(_ code: String, _ description: String = "") -> [UInt8] {
    AMF0.encode([
      .string("onStatus"), .number(0), .null,
      .object([
        .init("level", .string("error")), .init("code", .string(code)),
        .init("description", .string(description)),
      ]),
    ])
  }

  @Test func control() {
    #expect(ServerMessage(type: 1, body: [0, 0, 0x10, 0]) == .chunkSize(4_096))
    #expect(ServerMessage(type: 1, body: [0, 0, 0, 0]) == .malformed)
    #expect(ServerMessage(type: 1, body: [0x80, 0, 0, 1]) == .malformed)
    #expect(ServerMessage(type: 3, body: [0, 1, 0, 0]) == .acknowledgement(65_536))
    #expect(ServerMessage(type: 4, body: [0, 6, 1, 2, 3, 4]) == .ping(0x0102_0304))
    #expect(ServerMessage(type: 4, body: [0, 6, 1]) == .malformed)
    #expect(ServerMessage(type: 4, body: [0, 0, 0, 0, 0, 1]) == .ignored)
    #expect(ServerMessage(type: 6, body: [0, 0x26, 0x25, 0xA0, 2]) == .peerBandwidth(2_500_000))
    #expect(ServerMessage(type: 6, body: []) == .malformed)
  }

  @Test func commands() {
    let result = AMF0.encode([.string("_result"), .number(4), .null, .number(1)])
    #expect(ServerMessage(type: 0x14, body: result) == .result(transaction: 4, number: 1))
    #expect(ServerMessage(type: 0x11, body: [0] + result) == .result(transaction: 4, number: 1))
    #expect(
      ServerMessage(type: 0x14, body: status("A.B", "c"))
        == .status(.init(level: "error", code: "A.B", description: "c")))
    // A string in place of an object: librtmp would use it as a pointer.
    let odd = AMF0.encode([.string("onStatus"), .number(0), .null, .string("x")])
    #expect(ServerMessage(type: 0x14, body: odd) == .status(.init()))
    let call = AMF0.encode([.string("onBWDone"), .number(0), .null])
    #expect(ServerMessage(type: 0x14, body: call) == .call(name: "onBWDone", transaction: 0))
    #expect(ServerMessage(type: 0x14, body: []) == .ignored)
  }

  @Test func refusals() {
    #expect(RTMPRefusal(code: "NetStream.Publish.BadName", description: "") == .streamInUse)
    #expect(RTMPRefusal(code: "NetStream.Publish.Denied", description: "") == .notAllowed)
    #expect(
      RTMPRefusal(
        code: "NetConnection.Connect.Rejected",
        description: "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ")
        == .authentication)
    #expect(
      RTMPRefusal(code: "NetConnection.Connect.InvalidApp", description: "")
        == .unknownApplication)
    #expect(RTMPRefusal(code: "", description: "") == .other)
    for (code, description) in [
      ("NetStream.Publish.BadAuth", ""), ("NetStream.Publish.Unauthorized", ""),
      ("NetStream.Publish.InvalidStreamKey", ""), ("NetStream.Authenticate.TokenExpired", ""),
      ("NetStream.Failed", "Wrong stream key."), ("", "Access DENIED"),
      ("NetStream.Publish.BadName", "invalid token"),
    ] {
      #expect(RTMPRefusal(code: code, description: description) == .notAllowed)
    }
    for (code, description) in [
      ("NetStream.Publish.BadName", "Already publishing"),
      ("NetStream.Publish.BadName", "This stream key is in use"),
    ] {
      #expect(RTMPRefusal(code: code, description: description) == .streamInUse)
    }
    #expect(RTMPRefusal(code: "NetStream.Failed", description: "No keyframe") == .other)
  }
}

@Suite struct TargetTests {
  @Test func lengths() throws {
    let target = try RTMPTarget(host: "::1", port: 1936, app: "live", streamKey: "k")
    #expect(target.tcURL == "rtmp://[::1]:1936/live")
    let secure = try RTMPTarget(
      transport: .tls(authorities: ""), host: "h", app: "live", streamKey: "k")
    #expect(secure.port == 443 && secure.tcURL == "rtmps://h/live")
    func invalid(
      host: String = "h", port: Int = 1935, app: String = "a", key: String = "k"
    ) -> RTMPTargetError? {
      do throws(RTMPTargetError) {
        _ = try RTMPTarget(host: host, port: port, app: app, streamKey: key)
        return nil
      } catch { return error }
    }
    #expect(invalid() == nil)
    #expect(invalid(app: "", key: "") == nil)
    let bare = try RTMPTarget(host: "h", app: "", streamKey: "k")
    #expect(bare.tcURL == "rtmp://h/" && bare.maskedURL == "rtmp://h/***")
    #expect(invalid(host: "") == .host)
    #expect(invalid(port: 65_536) == .port)
    #expect(invalid(app: String(repeating: "a", count: 8_193)) == .app)
    #expect(invalid(key: String(repeating: "a", count: 8_193)) == .streamKey)
    #expect(invalid(key: "a\nb") == .streamKey)
  }

  @Test func secretsAreNotShown() throws {
    let target = try RTMPTarget(
      host: "example.org", app: "live?token=sesame", streamKey: "swordfish?auth=xyzzy")
    var dumped = ""
    dump(target, to: &dumped)
    let said = "stream live/swordfish is busy\r\nauth=xyzzy swordfish?auth=xyzzy token=sesame"
    let shown = ["\(target)", String(reflecting: target), dumped, target.shown(said)]
    for text in shown {
      for secret in ["swordfish", "xyzzy", "sesame"] { #expect(!text.contains(secret), "\(text)") }
      #expect(!text.contains("\n") || text == dumped)
    }
    for other in [
      "SwordFish", "%73wordfish%20", "swordfish%3Fauth%3Dxyzzy", "wordfish", "aswordfishb",
    ] {
      let shown = target.shown("key \(other) is wrong").lowercased()
      #expect(!shown.contains("wordfish"), "\(other)")
    }
    let encoded = try RTMPTarget(host: "h", app: "a", streamKey: "a%2Bkey/that+is_long")
    for form in ["a+key/that+is_long", "a%2Bkey%2Fthat%2Bis_long", "A%2bkey/that", "that+is_lo"] {
      #expect(!encoded.shown("no \(form)").contains("that"), "\(form)")
    }
    // What only looks like a percent code stays as it is.
    let odd = try RTMPTarget(host: "h", app: "a", streamKey: "%61b%+Ac%64%65f%2Bgh")
    #expect(odd.shown("no ab%+Acdef+gh") == "no …")
    // A token of any length, wherever a piece of it stands.
    let token = String(
      (0..<4_000).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
    let long = try RTMPTarget(host: "h", app: "a", streamKey: "cam?jwt=\(token)")
    for start in [0, 700, 3_980] {
      let part = token.dropFirst(start).prefix(20)
      #expect(long.shown("no \(part)!") == "no …!")
    }
    #expect(target.shown(String(repeating: "x", count: 5_000)).count == 200)
    #expect(target.shown("stream live/swordfish is busy") == "stream live/… is busy")
    // Combining marks: any number of them extend the character before them.
    #expect(target.shown("swordfish\u{301}: xyzzy\u{200D}") == "…\u{301}: … ")
    #expect(target.shown("x" + String(repeating: "\u{301}", count: 5_000)).utf8.count < 400)
    #expect(target.shown("a\u{1B}[2Jb\u{9B}c\u{202E}d\u{2028}e") == "a [2Jb c d e")
  }

  @Test func randomMessagesEnd() {
    var random = Noise(seed: 7)
    for _ in 0..<2_000 {
      let bytes = random.bytes(Int(random.next() % 64))
      for type: UInt8 in [1, 3, 4, 5, 6, 0x11, 0x14, 0x12, 0xFF] {
        _ = ServerMessage(type: type, body: bytes)
      }
    }
  }
}
