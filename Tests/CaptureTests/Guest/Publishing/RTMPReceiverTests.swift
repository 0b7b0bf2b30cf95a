// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Mux
import TestSupport
import Testing

@testable import Capture

/// What real publishers have sent.
@Suite struct RecordedSenderTests {
  @Test(arguments: RecordedSender.allCases)
  func mediaComesOutAsItWasSent(_ sender: RecordedSender) {
    let result = Reception(sender.bytes)
    #expect(result.events.first == .wantsToPublish(application: "live", key: "secret"))
    #expect(result.events.last == .ended)
    let sent = ReadTag.all(RecordedSender.file)
    let received = ReadTag.all(result.file)
    #expect(received.filter { $0.type == 8 } == sent.filter { $0.type == 8 })
    // GStreamer's parameter sets (the first) and end of sequence (the last) are its own.
    let frames = { (tags: [ReadTag]) in tags.filter { $0.type == 9 }.dropFirst().dropLast() }
    #expect(frames(received) == frames(sent))
    #expect(frames(sent).count == 10)
    switch sender {
    case .ffmpeg: #expect(received.dropFirst() == sent.dropFirst())
    case .gstreamer: #expect(received.contains { $0.body.starts(with: [2, 0, 10, 0x6F, 0x6E]) })
    case .librtmp: #expect(result.file == RecordedSender.file)
    }
  }

  @Test func answersAreThose() {
    let bytes = RecordedSender.ffmpeg.bytes
    var expected = [3] + [UInt8](repeating: 0, count: 1_536) + bytes[1...1_536]
    // Window Acknowledgement Size, Set Peer Bandwidth, Set Chunk Size.
    expected += [2, 0, 0, 0, 0, 0, 4, 5, 0, 0, 0, 0, 0x00, 0x26, 0x25, 0xA0]
    expected += [2, 0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0x00, 0x26, 0x25, 0xA0, 2]
    expected += [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x00, 0x00, 0x10, 0x00]
    let commands: [(stream: UInt8, [AMF0])] = [
      (
        0,
        [
          .string("_result"), .number(1),
          .object([.init("fmsVer", .string("FMS/3,0,1,123")), .init("capabilities", .number(31))]),
          .object([
            .init("level", .string("status")),
            .init("code", .string("NetConnection.Connect.Success")),
            .init("description", .string("Connected.")), .init("objectEncoding", .number(0)),
          ]),
        ]
      ),
      (0, [.string("_result"), .number(2), .null, .undefined]),
      (0, [.string("_result"), .number(3), .null, .undefined]),
      (0, [.string("_result"), .number(4), .null, .number(1)]),
    ]
    for (stream, values) in commands { expected += command(stream, values) }
    // Stream Begin.
    expected += [2, 0, 0, 0, 0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    expected += command(1, status("status", "NetStream.Publish.Start", "Publishing."))
    expected += command(
      1, status("status", "NetStream.Unpublish.Success", "The stream has ended."))
    #expect(Reception(bytes).answers == expected)
  }

  private func command(_ stream: UInt8, _ values: [AMF0]) -> [UInt8] {
    let body = AMF0.encode(values)
    return [3, 0, 0, 0, 0, 0, UInt8(body.count), 0x14, stream, 0, 0, 0] + body
  }

  private func status(_ level: String, _ code: String, _ description: String) -> [AMF0] {
    [
      .string("onStatus"), .number(0), .null,
      .object([
        .init("level", .string(level)), .init("code", .string(code)),
        .init("description", .string(description)),
      ]),
    ]
  }

  @Test(arguments: RecordedSender.allCases)
  func eachSplitGivesTheSame(_ sender: RecordedSender) {
    let bytes = sender.bytes
    let whole = Reception(bytes)
    #expect(Reception(bytes.indices.map { bytes[$0...$0] }) == whole)
    let step = countsAreFull ? 1 : 149
    for place in stride(from: 1, to: bytes.count, by: step) {
      #expect(Reception([bytes[..<place], bytes[place...]]) == whole, "split at \(place)")
    }
    var random = SplitMix64(seed: 1)
    for _ in 0..<often(200) {
      var portions: [ArraySlice<UInt8>] = []
      var place = 0
      while place < bytes.count {
        let end = min(place + Int.random(in: 1...900, using: &random), bytes.count)
        portions.append(bytes[place..<end])
        place = end
      }
      #expect(Reception(portions) == whole)
    }
  }

  /// Wrong, missing and doubled bytes, most of them after the handshake.
  @Test func mutatedBytesDoNoHarm() {
    var random = SplitMix64(seed: 2)
    let recordings = RecordedSender.allCases.map(\.bytes)
    var ends: [String: Int] = [:]
    for round in 0..<often(10_000) {
      var bytes = recordings[round % recordings.count]
      let start = round % 20 == 0 ? 0 : 3_073
      for _ in 0..<Int.random(in: 1...20, using: &random) where bytes.count > start + 8 {
        let place = Int.random(in: start..<bytes.count - 8, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.removeSubrange(place..<place + Int.random(in: 1...8, using: &random))
        case 1: bytes.insert(contentsOf: bytes[place..<place + 8], at: place)
        case 2: bytes[place] = 0xFF
        case 3: bytes[place] = 0
        default: bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
      }
      var receiver = RTMPReceiver()
      var most = 0
      var events: [RTMPReceiver.Event] = []
      for start in stride(from: 0, to: bytes.count, by: 1_000) {
        var more = receiver.receive(bytes[start..<min(start + 1_000, bytes.count)])
        if case .wantsToPublish? = more.last { more += receiver.accept() }
        events += more
        most = max(most, receiver.heldBytes)
      }
      // What it holds is never more than what has come, and its answers to that.
      #expect(most <= bytes.count + RTMPReceiver.maxAnswerBytes)
      let isOver = events.contains {
        switch $0 {
        case .ended, .refused: true
        default: false
        }
      }
      #expect(isOver == (receiver.isOver))
      let ending =
        switch events.last {
        case .refused(let reason): reason.filter { !$0.isNumber }
        case .ended: "ended"
        default: "open"
        }
      ends[ending, default: 0] += 1
    }
    // The mutations reach all parts of the receiver.
    #expect(ends.count > 5, "\(ends)")
    #expect(ends["ended"] ?? 0 > 0)
  }
}
