// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import TestSupport
import Testing

@testable import Capture

/// Messages in chunks of each kind.
@Suite struct RTMPChunkTests {
  /// Audio and video on up to eight chunk streams, with random headers, sizes and gaps, whose chunks are interleaved.
  @Test func messagesComeOutWhole() {
    var random = SplitMix64(seed: 3)
    for round in 0..<often(300) {
      var script = SenderScript.publishing()
      script.repeatsTimestamp = round % 3 != 0
      script.setChunkSize(
        [1, 128, 4_096, 65_536, 0x7FFF_FFFF].randomElement(using: &random) ?? 128)
      // The last message of each channel: a header may leave out what it has in common with it.
      var last: [Int: (tag: ReadTag, difference: UInt32)] = [:]
      var sent: [ReadTag] = []
      var time = UInt32.random(in: 0...0x1FF_FFFF, using: &random)
      for _ in 0..<20 {
        var waiting: [[[UInt8]]] = []
        var tags: [ReadTag] = []
        let channels = [4, 5, 63, 64, 319, 320, 65_599].shuffled(using: &random)
        for channel in channels.prefix(Int.random(in: 1...3, using: &random)) {
          time &+= UInt32([0, 23, 40, 0x100_0000].randomElement(using: &random) ?? 0)
          var tag = ReadTag(
            type: Bool.random(using: &random) ? 8 : 9, time: time,
            body: (0..<Int.random(in: 1...300, using: &random)).map { UInt8($0 & 0xFF) })
          var format: UInt8 = 0
          var stamp = time
          if let before = last[channel], Bool.random(using: &random) {
            stamp = time &- before.tag.time
            format = 1
            if Bool.random(using: &random) {
              (tag.type, tag.body) = (before.tag.type, before.tag.body.reversed())
              format = stamp == before.difference ? 3 : 2
            }
          }
          last[channel] = (tag, stamp)
          tags.append(tag)
          waiting.append(
            script.chunks(tag.type, tag.body, format: format, channel: channel, time: stamp))
        }
        // The last chunk of each comes in the order of the tags.
        while let most = waiting.map(\.count).max(), most > 1 {
          for index in waiting.indices where waiting[index].count > 1 {
            script.put(waiting[index].removeFirst())
          }
        }
        for chunks in waiting { script.put(Array(chunks.joined())) }
        sent += tags
      }
      // What follows tells the end of the last message from a repeated timestamp.
      script.send(4, [], channel: 2, stream: 0)
      let result = Reception(script.bytes)
      #expect(result.refusal == nil)
      #expect(ReadTag.all(result.file) == sent)
      let place = Int.random(in: 1..<script.bytes.count, using: &random)
      #expect(Reception([script.bytes[..<place], script.bytes[place...]]) == result)
    }
  }

  @Test func aDifferenceMayGoBack() {
    var script = SenderScript.publishing()
    script.send(9, [1], channel: 4, time: 1_040)
    script.send(8, [2], format: 1, channel: 4, time: 0xFFFF_FFF6)
    #expect(ReadTag.all(Reception(script.bytes).file).map(\.time) == [1_040, 1_030])
  }

  /// librtmp may begin a chunk stream with a header of format 1.
  @Test func theFirstHeaderMayBeShort() {
    var script = SenderScript.publishing()
    script.send(9, [1, 2], format: 1, channel: 4, time: 7)
    #expect(
      ReadTag.all(Reception(script.bytes).file) == [ReadTag(type: 9, time: 7, body: [1, 2])])
  }

  @Test func anAbortedMessageIsForgotten() throws {
    var script = SenderScript.publishing()
    let aborted = script.chunks(9, [UInt8](repeating: 1, count: 300), channel: 6, time: 5)
    script.put(try #require(aborted.first))
    script.send(2, [0, 0, 0, 6], channel: 2, stream: 0)
    script.send(9, [2], channel: 6, time: 6)
    // There is nothing to abort on these.
    script.send(2, [0, 0, 0, 6], channel: 2, stream: 0)
    script.send(2, [0xFF, 0xFF, 0xFF, 0xFF], channel: 2, stream: 0)
    #expect(ReadTag.all(Reception(script.bytes).file) == [ReadTag(type: 9, time: 6, body: [2])])
  }

  @Test func theLongestMessageIsTaken() {
    let longest = [UInt8](repeating: 7, count: RTMPChunkReader.maxBytes)
    var script = SenderScript.publishing()
    script.setChunkSize(0x7FFF_FFFF)
    script.send(9, longest)
    let result = Reception(script.bytes)
    #expect(ReadTag.all(result.file).map(\.body.count) == [longest.count])

    script.send(9, longest + [7])
    #expect(Reception(script.bytes).refusal?.contains("8388609 bytes") == true)
  }

  /// All incomplete messages together are no longer than the longest.
  @Test func incompleteMessagesAreBounded() {
    var script = SenderScript.publishing()
    var receiver = RTMPReceiver()
    _ = receiver.receive(script.bytes)
    _ = receiver.accept()
    script = SenderScript()
    for channel in 10..<15 {
      let chunks = script.chunks(
        9, [UInt8](repeating: 0, count: RTMPChunkReader.maxBytes / 4), channel: channel)
      script.put(Array(chunks.dropLast().joined()))
    }
    let events = receiver.receive(script.bytes)
    #expect(events == [.refused(reason: "The sender announced an RTMP message of 2097152 bytes.")])
    #expect(receiver.heldBytes < 100_000)
  }

  @Test func chunkStreamsAreBounded() {
    var script = SenderScript.publishing()
    for channel in 4..<19 { script.send(9, [1], channel: channel) }
    #expect(Reception(script.bytes).refusal == nil)
    script.send(9, [1], channel: 19)
    #expect(Reception(script.bytes).refusal == "The sender uses more than 16 chunk streams.")
  }

  @Test(
    arguments: [
      // A new message within another one.
      (
        [4, 0, 0, 0, 0, 1, 0, 9, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 128) + [0x44, 0, 0, 0],
        "within another one"
      ),
      // A header that refers to none.
      ([0xC9, 1, 2, 3], "did not send"), ([0x89, 1, 2, 3], "did not send"),
      // Set Chunk Size: 0, too large, too short.
      ([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0], "chunks of 0 bytes"),
      ([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0, 0, 0], "chunks of 2147483648 bytes"),
      ([2, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 1], "too short"),
      // A command that is too long, before it has come.
      ([3, 0, 0, 0, 0, 0x40, 1, 0x14, 0, 0, 0, 0], "of 16385 bytes"),
      // An aggregate message.
      ([3, 0, 0, 0, 0, 0, 1, 0x16, 0, 0, 0, 0, 0], "aggregate"),
      // A command without a name.
      ([3, 0, 0, 0, 0, 0, 1, 0x14, 0, 0, 0, 0, 5], "cannot be read"),
    ] as [([UInt8], String)])
  func faultsAreTold(bytes: [UInt8], words: String) {
    let script = SenderScript.publishing()
    let result = Reception(script.bytes + bytes)
    #expect(result.refusal?.contains(words) == true, "\(result.refusal ?? "none")")
    #expect(Reception((script.bytes + bytes).map { [$0][...] }) == result)
  }
}
