// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import NIOCore
import NIOHTTP1
import Testing

@testable import Control

/// How much a client may send: requests at a time, and bytes and seconds for each.
@Suite struct RequestLimitsTests {
  private static let chunked = "POST / HTTP/1.1\r\nHost: box\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let piece = String(repeating: "a", count: 65_536)

  private static func body(of bytes: Int, method: String, _ path: String) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: box\r\nContent-Length: \(bytes)\r\n\r\n"
  }

  /// Sends until the connection is closed.
  /// - Returns: how many bytes that took; `most` if it is still open.
  private func bytes(_ piece: String, to client: EmbeddedClient, most: Int) -> Int {
    var sent = 0
    while client.isOpen, sent < most {
      client.send(piece)
      sent += piece.utf8.count
    }
    return sent
  }

  @Test func tooManyRequestsInOneGoEndTheConnectionAfterTheFirstAnswers() throws {
    let client = try EmbeddedClient()
    client.answerer.answers = false
    let many = RequestHeads.mostOpen * 25
    client.send(String(repeating: EmbeddedClient.request, count: many))
    #expect(client.answerer.requests.count == RequestHeads.mostOpen)
    for number in 1...RequestHeads.mostOpen {
      #expect(client.isOpen)
      client.answerer.answer()
      let received = client.received
      #expect(received.hasPrefix("HTTP/1.1 200"))
      let isLast = number == RequestHeads.mostOpen
      #expect(received.lowercased().contains("connection: close") == isLast)
    }
    #expect(!client.isOpen)
    #expect(client.answerer.requests.count == RequestHeads.mostOpen)
  }

  @Test func aConnectionServesAnyNumberOfRequestsInTurn() throws {
    let client = try EmbeddedClient()
    for _ in 1...1_000 { client.send(EmbeddedClient.request) }
    #expect(client.isOpen)
    #expect(client.answerer.requests.count == 1_000)
  }

  @Test func anAnswerThatLastsIsNotCutShortByTheOneBeforeIt() throws {
    let client = try EmbeddedClient()
    client.answerer.answers = false
    client.send(EmbeddedClient.request + EmbeddedClient.request)
    client.answerer.answer()
    client.wait(3_600)
    #expect(client.isOpen)
  }

  @Test func whatStandsAroundABodyHasALimit() throws {
    let client = try EmbeddedClient()
    client.send(Self.chunked + "1;")
    let sent = bytes(Self.piece, to: client, most: 100 << 20)
    #expect(sent <= Allowance.request + 2 * Self.piece.utf8.count)
  }

  @Test func trailersHaveALimit() throws {
    let client = try EmbeddedClient()
    client.send(Self.chunked + "0\r\n")
    #expect(bytes("A: b\r\n", to: client, most: 1 << 20) < 16_384)
  }

  @Test func aBodyThatNobodyWantsHasALimit() throws {
    for (method, path, most) in [
      ("POST", "/api/settings", Allowance.request),
      ("PUT", "/api/stills/pause", Allowance.upload),
    ] {
      let client = try EmbeddedClient()
      client.answerer.answersAtHead = true
      client.send(Self.body(of: 1_000_000_000, method: method, path))
      let sent = bytes(Self.piece, to: client, most: 100 << 20)
      #expect(sent > most && sent <= most + 2 * Self.piece.utf8.count)
    }
  }

  /// Counts what is asked of the socket.
  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    var count = 0
    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  /// A program that has answered and asks for nothing more.
  private final class Silence: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    func read(context: ChannelHandlerContext) {}
  }

  /// Or the client could not send it to the end, and would find no answer; and the connection would last as long as an upload.
  @Test func theRestOfABodyIsReadThoughNobodyAsksForIt() throws {
    let client = try EmbeddedClient()
    let reads = Reads()
    try client.channel.pipeline.syncOperations.addHandler(reads, position: .first)
    try client.channel.pipeline.syncOperations.addHandler(Silence())
    client.answerer.answersAtHead = true
    var before = reads.count
    client.send(Self.body(of: 10_000_000, method: "PUT", "/api/stills/pause"))
    for _ in 1...20 {
      #expect(reads.count > before)
      before = reads.count
      client.send(Self.piece)
    }
    client.wait(11)
    #expect(!client.isOpen, "the client has stopped")
  }

  @Test(arguments: [
    ("PUT", "/api/update", Allowance.update), ("PUT", "/api/update?older=1", Allowance.update),
    ("POST", "/api/update", Allowance.request),
    ("PUT", "/api/update/", Allowance.request), ("PUT", "/api/stills/pause", Allowance.upload),
    ("PUT", "/api/media/a.mp4", Allowance.media), ("GET", "/api/media/a.mp4", Allowance.request),
    ("GET", "/", Allowance.request),
  ])
  func onlyUploadsMayBeLong(method: String, path: String, bytes: Int) {
    let head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: path)
    #expect(RequestHeads.allowance(head) == bytes)
  }

  @Test func aBodyThatNobodyWantsAndThatHardlyComesEndsTheConnection() throws {
    let client = try EmbeddedClient()
    client.answerer.answersAtHead = true
    client.send(Self.body(of: 1_000_000_000, method: "POST", "/"))
    client.wait(11)
    #expect(!client.isOpen)
  }

  @Test(arguments: [("POST", "/api/login", 120), ("PUT", "/api/stills/pause", 1_200)])
  func aBodyThatTricklesHasToEnd(method: String, path: String, seconds: Int) throws {
    let client = try EmbeddedClient()
    client.send(Self.body(of: 60_000_000, method: method, path))
    let trickle = String(repeating: " ", count: 1_000)
    for second in 1...seconds {
      #expect(client.isOpen, "after \(second) s")
      client.send(trickle)
      client.wait(1)
    }
    #expect(!client.isOpen)
  }

  /// The parser reads nothing after a mistake.
  @Test(arguments: [
    "POST / HTTP/1.1\r\nHost: box\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    RequestLimitsTests.chunked + "10000000000000000\r\n",
    RequestLimitsTests.chunked + "5\n{\"a\":\n",
  ])
  func aRequestThatIsNotUnderstoodEndsTheConnectionWithItsAnswer(text: String) throws {
    let client = try EmbeddedClient()
    client.send(text + EmbeddedClient.request)
    let received = client.received
    #expect(received.hasPrefix("HTTP/1.1 200"))
    #expect(received.lowercased().contains("connection: close"))
    #expect(received.split(separator: "HTTP/1.1 ").count == 1)
    #expect(!client.isOpen)
    #expect(client.answerer.requests.count == 1)
  }

  @Test func aSenderIsNotWaitedForAfterFiveSeconds() throws {
    let time = VirtualClock()
    let connections = Connections(most: 8, reserved: 2, clock: time.clock)
    let client = try EmbeddedClient(connections)
    client.answerer.answers = false
    time.advance(by: .seconds(20))
    client.send(EmbeddedClient.request)
    time.advance(by: Connections.patienceNanos)
    #expect(connections.isWaiting(client.channel))
    time.advance(by: 1)
    #expect(!connections.isWaiting(client.channel))
    client.send(EmbeddedClient.request)
    #expect(connections.isWaiting(client.channel))
    try client.channel.close().wait()
    #expect(!connections.isWaiting(client.channel))
  }
}
