// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import Testing

@testable import Capture

/// The conversation before, around and after a stream.
@Suite struct RTMPCommandTests {
  @Test func nothingIsReadBeforeTheDecision() {
    var script = SenderScript.publishing()
    script.send(9, [1, 2, 3], time: 40)
    var receiver = RTMPReceiver()
    #expect(
      receiver.receive(script.bytes) == [.wantsToPublish(application: "live", key: "key")])
    #expect(!receiver.isReading && !receiver.isOver)
    #expect(receiver.receive([]) == [])
    let media = receiver.accept()
    #expect(
      media == [
        .media(
          [0x46, 0x4C, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]
            + [9, 0, 0, 3, 0, 0, 40, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 14])
      ])
    #expect(receiver.isReading)
    #expect(receiver.accept() == [])
  }

  @Test func aRefusalIsExplained() {
    var receiver = RTMPReceiver()
    _ = receiver.receive(SenderScript.publishing().bytes)
    _ = receiver.takeAnswers()
    receiver.refuse("This key is not known.")
    let expected = AMF0.encode([
      .string("onStatus"), .number(0), .null,
      .object([
        .init("level", .string("error")), .init("code", .string("NetStream.Publish.BadName")),
        .init("description", .string("This key is not known.")),
      ]),
    ])
    #expect(receiver.takeAnswers().dropFirst(12) == expected[...])
    #expect(receiver.isOver)
    #expect(receiver.accept() == [])
    #expect(receiver.receive(SenderScript.publishing().bytes) == [])
    #expect(receiver.heldBytes == 0)
  }

  @Test func whoDoesNotWaitIsBounded() {
    var receiver = RTMPReceiver()
    _ = receiver.receive(SenderScript.publishing().bytes)
    var events: [RTMPReceiver.Event] = []
    for _ in 0..<100 where events.isEmpty {
      events = receiver.receive([UInt8](repeating: 0, count: 65_536))
      #expect(receiver.heldBytes < 2 << 20)
    }
    #expect(events == [.refused(reason: "The sender did not wait for an answer.")])
  }

  /// Some phone apps send commands in AMF3, which begins with a byte 0.
  @Test func commandsMayBeInAMF3() {
    var script = SenderScript()
    script.greet()
    let connect: [AMF0] = [
      .string("connect"), .number(1),
      .object([.init("app", .string("live")), .init("objectEncoding", .number(3))]),
    ]
    script.send(0x11, [0] + AMF0.encode(connect), stream: 0)
    script.send(
      0x11,
      [0] + AMF0.encode([.string("publish"), .number(5), .null, .string("a?b=c"), .string("live")]))
    let data = AMF0.encode([.string("onMetaData"), .ecmaArray([])])
    script.send(0x0F, [0] + data)
    let result = Reception(script.bytes)
    #expect(result.events.first == .wantsToPublish(application: "live", key: "a?b=c"))
    #expect(ReadTag.all(result.file) == [ReadTag(type: 18, time: 0, body: data)])
  }

  @Test func dataFramesAreUnwrapped() {
    var script = SenderScript.publishing()
    let data = AMF0.encode([.string("onMetaData"), .ecmaArray([.init("width", .number(640))])])
    script.send(0x12, AMF0.encode([.string("@setDataFrame")]) + data)
    script.send(0x12, AMF0.encode([.string("@clearDataFrame"), .string("onMetaData")]))
    script.send(0x12, AMF0.encode([.string("onTextData")]))
    // An enhanced video tag (HEVC) is passed on as it is.
    script.send(9, [0x90, 0x68, 0x76, 0x63, 0x31, 1])
    script.send(8, [])
    #expect(
      ReadTag.all(Reception(script.bytes).file).map(\.body) == [
        data, AMF0.encode([.string("onTextData")]), [0x90, 0x68, 0x76, 0x63, 0x31, 1],
      ])
  }

  @Test(arguments: ["FCUnpublish", "deleteStream", "closeStream"])
  func theStreamEnds(command: String) {
    var script = SenderScript()
    script.greet()
    script.connect()
    // Without a stream it ends none.
    script.command([.string(command), .number(0), .null, .string("key")])
    script.publish()
    script.command([.string(command), .number(0), .null, .string("key")])
    script.send(9, [1])
    #expect(
      Reception(script.bytes).events == [
        .wantsToPublish(application: "live", key: "key"), .ended,
      ])
  }

  @Test func mediaBeforeTheStreamIsIgnored() {
    var script = SenderScript()
    script.greet()
    script.connect()
    script.send(9, [1])
    script.publish()
    #expect(Reception(script.bytes).file == [])
  }

  @Test func questionsAreAnswered() {
    var script = SenderScript.publishing()
    let before = Reception(script.bytes).answers.count
    // A ping, then SetBufferLength, which has no answer.
    script.send(4, [0, 6, 1, 2, 3, 4], channel: 2, stream: 0)
    script.send(4, [0, 3, 0, 0, 0, 1, 0, 0, 0, 9], channel: 2, stream: 0)
    script.command([.string("getStreamLength"), .number(7), .null, .string("key")])
    // Expects no answer.
    script.command([.string("anything"), .number(0), .null])
    #expect(
      Array(Reception(script.bytes).answers.dropFirst(before))
        == [2, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 7, 1, 2, 3, 4]
        + [3, 0, 0, 0, 0, 0, 29, 0x14, 0, 0, 0, 0]
        + AMF0.encode([.string("_result"), .number(7), .null, .number(0)]))
  }

  @Test(arguments: [20_000, 1]) func receivedBytesAreAcknowledged(window: UInt32) throws {
    var script = SenderScript.publishing()
    script.setChunkSize(1_000)
    script.send(5, AMF0.bigEndian(window), channel: 2, stream: 0)
    let before = Reception(script.bytes)
    let start = script.bytes.count
    script.send(9, [UInt8](repeating: 1, count: 40_500))
    let answers = Reception(script.bytes).answers.dropFirst(before.answers.count)
    #expect(answers.count == 32)
    // Since the beginning, in whole chunks, and never for less than 16,384 bytes.
    let first = start + 1_012 + (max(Int(window), 16_384) - start - 1_012 + 1_000) / 1_001 * 1_001
    #expect(
      Array(answers.prefix(16)) == [2, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0]
        + AMF0.bigEndian(UInt32(first)))
  }

  @Test func aFloodOfQuestionsIsRefused() {
    var receiver = RTMPReceiver()
    _ = receiver.receive(SenderScript.publishing().bytes)
    _ = receiver.accept()
    var pings = SenderScript()
    for _ in 0..<5_000 { pings.send(4, [0, 6, 1, 2, 3, 4], channel: 2, stream: 0) }
    #expect(
      receiver.receive(pings.bytes) == [
        .refused(reason: "The sender asks too much and does not take the answers.")
      ])
    #expect(receiver.heldBytes <= RTMPReceiver.maxAnswerBytes + 100)
  }

  @Test func messagesBeforeTheStreamAreBounded() {
    var script = SenderScript()
    script.greet()
    script.connect()
    for _ in 0..<63 { script.command([.string("_checkbw"), .number(0), .null]) }
    #expect(Reception(script.bytes).refusal == nil)
    script.publish()
    #expect(Reception(script.bytes).refusal == "The sender did not begin a stream.")
  }

  @Test(
    arguments: [
      (0x16, "RTMPS"), (6, "RTMPE"), (0x47, "does not speak RTMP"),
    ] as [(UInt8, String)])
  func otherProtocolsAreTold(first: UInt8, words: String) {
    #expect(Reception([first]).refusal?.contains(words) == true)
  }

  @Test func wrongOrderIsTold() {
    var script = SenderScript()
    script.greet()
    var other = script
    other.publish()
    #expect(Reception(other.bytes).refusal?.contains("without connecting") == true)
    script.connect()
    other = script
    other.connect()
    #expect(Reception(other.bytes).refusal == "The sender connected twice.")
    other = script
    other.command([.string("play"), .number(0), .null, .string("key")])
    #expect(Reception(other.bytes).refusal?.contains("wants to play") == true)
    other = script
    other.publish(String(repeating: "k", count: 1_024))
    #expect(Reception(other.bytes).refusal == nil)
    other = script
    other.publish(String(repeating: "k", count: 1_025))
    #expect(Reception(other.bytes).refusal == "The sender gave a name of 1025 bytes.")
    script.publish()
    script.publish()
    #expect(Reception(script.bytes).refusal == "The sender began a second stream.")
  }
}
