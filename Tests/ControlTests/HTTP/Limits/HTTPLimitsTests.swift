// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import NIOCore
import Testing

@testable import Control

/// What a client may take in time, and what old or faulty clients get: on virtual time, byte by byte.
@Suite struct HTTPLimitsTests {
  /// Holds what is written, as the buffers of a client that does not read do.
  private final class Unread: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    private var held: [EventLoopPromise<Void>] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if let promise { held.append(promise) }
    }

    /// The client reads the first `count` writes.
    func read(_ count: Int) {
      let read = held.prefix(count)
      held.removeFirst(read.count)
      for promise in read { promise.succeed() }
    }
  }

  private typealias Client = EmbeddedClient
  private static let request = EmbeddedClient.request

  @Test func aSilentClientGoesAfterFiveSeconds() throws {
    let client = try Client()
    client.wait(4)
    #expect(client.isOpen)
    client.wait(1)
    #expect(!client.isOpen)
  }

  @Test func aHeadThatDribblesGoesAfterFiveSeconds() throws {
    let client = try Client()
    for letter in "GET /aaaa" where client.isOpen {
      client.send(String(letter))
      client.wait(1)
    }
    #expect(!client.isOpen)
    #expect(client.answerer.requests.isEmpty)
  }

  @Test func aConnectionIsKeptForHalfAMinuteBetweenRequests() throws {
    let client = try Client()
    for _ in 1...3 {
      client.send(Self.request)
      #expect(client.received.hasPrefix("HTTP/1.1 200"))
      client.wait(29)
      #expect(client.isOpen)
    }
    client.wait(1)
    #expect(!client.isOpen)
  }

  @Test func theNextHeadHasFiveSecondsToo() throws {
    let client = try Client()
    client.send(Self.request)
    client.wait(20)
    client.send("GET ")
    client.wait(4)
    #expect(client.isOpen)
    client.wait(1)
    #expect(!client.isOpen)
  }

  @Test func aResponseHasToBeReadWithinFifteenSeconds() throws {
    let client = try Client()
    let unread = Unread()
    try client.channel.pipeline.syncOperations.addHandler(unread, position: .first)
    client.send(Self.request)
    client.wait(10)
    unread.read(1)
    client.wait(14)
    #expect(client.isOpen, "it has read some of it")
    client.wait(1)
    #expect(!client.isOpen)
    unread.read(.max)
  }

  @Test func aBodyHasToKeepComing() throws {
    let client = try Client()
    client.send("PUT / HTTP/1.1\r\nHost: box\r\nContent-Length: 1000000\r\n\r\n")
    for _ in 1...20 {
      for _ in 1...5 {
        client.send(String(repeating: "x", count: 1_000))
        client.wait(1)
      }
      #expect(client.isOpen)
    }
    for _ in 1...10 {
      client.send("x")
      client.wait(1)
    }
    #expect(!client.isOpen)
  }

  @Test func aBodyThatNobodyReadsYetIsNotTheClientsFault() throws {
    let client = try Client()
    client.send("PUT / HTTP/1.1\r\nHost: box\r\nContent-Length: 1000000\r\n\r\n")
    // The server reads no more for now.
    client.channel.pipeline.fireChannelReadComplete()
    client.wait(60)
    #expect(client.isOpen)
  }

  @Test func aResponseMayTakeLong() throws {
    let client = try Client()
    client.answerer.answers = false
    client.send(Self.request)
    client.wait(3_600)
    #expect(client.isOpen)
  }

  @Test func requestsInOneGoAreAnsweredInTurn() throws {
    let client = try Client()
    client.send(Self.request + Self.request + Self.request)
    #expect(client.received.split(separator: "HTTP/1.1 200").count == 3)
    client.wait(29)
    #expect(client.isOpen)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400"),
    ("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
  ])
  func headsWithoutExactlyOneHostAreRefused(request: String, answer: String) throws {
    let client = try Client()
    client.send(request)
    #expect(client.received.hasPrefix(answer))
    #expect(!client.isOpen)
    #expect(client.answerer.requests.isEmpty)
  }

  @Test func oldClientsGetNoChunksAndAClosedConnection() throws {
    let client = try Client()
    client.answerer.hasLength = false
    client.send("GET / HTTP/1.0\r\n\r\n")
    let received = client.received
    #expect(received.hasPrefix("HTTP/1.0 200"))
    #expect(received.hasSuffix("\r\n\r\nok"))
    #expect(!received.lowercased().contains("chunked"))
    #expect(!client.isOpen)
  }

  @Test(arguments: [true, false])
  func headGetsTheHeadOfGet(hasLength: Bool) throws {
    let client = try Client()
    client.answerer.hasLength = hasLength
    client.send("HEAD / HTTP/1.1\r\nHost: box\r\n\r\n")
    #expect(client.answerer.requests.first?.method == .GET)
    let received = client.received
    #expect(received.hasPrefix("HTTP/1.1 200"))
    #expect(received.hasSuffix("\r\n\r\n"))
    #expect(client.isOpen == hasLength)
    guard hasLength else { return }
    client.send(Self.request)
    #expect(client.received.hasSuffix("ok"))
  }

  @Test func anAnswerWithoutTheBodyEndsTheConnectionWhenTheBodyHasCome() throws {
    let client = try Client()
    client.answerer.answersAtHead = true
    client.send("POST / HTTP/1.1\r\nHost: box\r\nContent-Length: 50\r\n\r\nGET /secret")
    let received = client.received
    #expect(received.lowercased().contains("connection: close"))
    #expect(received.hasSuffix("ok"))
    // Closed at once, the client would get a reset instead of the answer.
    #expect(client.isOpen)
    client.send(String(repeating: "x", count: 39) + Self.request)
    #expect(!client.isOpen)
    #expect(client.answerer.requests.count == 1)
  }

  @Test func closeIsClosed() throws {
    let client = try Client()
    client.send("GET / HTTP/1.1\r\nHost: box\r\nConnection: close\r\n\r\n")
    #expect(client.received.lowercased().contains("connection: close"))
    #expect(!client.isOpen)
  }

  @Test func theOldestIdleConnectionMakesRoom() throws {
    let connections = Connections(most: 3, reserved: 1)
    let clients = try (1...3).map { _ in try Client(connections) }
    #expect(clients.map(\.isOpen) == [false, true, true])
    clients[1].channel.triggerUserOutboundEvent(ClientIsKnown(by: .token("a")), promise: nil)
    let more = try (1...10).map { _ in try Client(connections) }
    #expect(clients.map(\.isOpen) == [false, true, false])
    #expect(more.filter(\.isOpen).count == 2)
  }
}
