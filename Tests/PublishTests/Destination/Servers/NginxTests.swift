// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Glibc
import Mux
import Testing

@testable import Publish

/// Against nginx with its RTMP module: it records exactly what was offered.
@Suite struct NginxTests {
  /// Publishes, and stops with a good-bye so that the recording is complete.
  private func publish(
    _ pieces: [Piece], hasVideo: Bool = true, then: (Rig) -> Bool = { _ in true }
  ) throws -> [Peer.Message] {
    let nginx = try Nginx()
    defer { nginx.end() }
    // On a virtual clock that stands at the first piece nothing is too old to be sent, however slowly nginx starts.
    let rig = try Rig(
      port: nginx.port, key: "stream", hasVideo: hasVideo,
      clock: VirtualClock(start: pieces[0].time).clock)
    rig.destination.start()
    guard rig.waitForPublishing() else {
      throw MissingError(description: "nginx does not take the stream: \(nginx.log)")
    }
    #expect(rig.destination.needsKeyframe == hasVideo)
    #expect(rig.offer(pieces))
    #expect(then(rig))
    #expect(rig.stop(goodbye: true))
    #expect(rig.destination.counters.failures == 0)
    #expect(rig.destination.counters.dropped == 0)
    #expect(nginx.log.contains("deleteStream") || nginx.log.contains("disconnect"))
    return try nginx.recorded("stream")
  }

  /// The first difference between what was recorded and what was offered.
  private func difference(
    _ recorded: some Collection<Peer.Message>, _ offered: some Collection<Piece>,
    since first: Piece
  ) -> String? {
    if recorded.count != offered.count { return "\(recorded.count) of \(offered.count)" }
    for (index, (tag, piece)) in zip(recorded, offered).enumerated() {
      let time = UInt32((piece.time - first.time) / 1_000_000)
      if tag.time != time { return "\(index): at \(tag.time) for \(time)" }
      if tag.body != piece.body { return "\(index): other bytes" }
    }
    return nil
  }

  @Test func everyByteAndTimeArrives() throws {
    var pieces = Sample.stream(seconds: 8, from: .now())
    // A gap of more than 2^24 ms: extended timestamps, also on continuation chunks.
    let later = try #require(pieces.last).time + .seconds(5 * 3_600)
    pieces += Sample.stream(seconds: 2, from: later, seed: 2)
    let first = pieces[0]
    let recorded = try publish(pieces)

    let video = recorded.filter { $0.type == 9 }
    let pictures = pieces.filter { $0.kind != .audio }
    #expect(video.first?.body == FLV.videoHeader(Sample.video.avcConfiguration))
    #expect(difference(video.dropFirst(), pictures, since: first) == nil)

    // nginx-rtmp records the audio header twice.
    let audio = recorded.filter { $0.type == 8 }
    let sounds = pieces.filter { $0.kind == .audio }
    #expect(audio.first?.body == FLV.audioHeader(Sample.audio.audioSpecificConfig))
    #expect(difference(audio.drop { $0.body[1] == 0 }, sounds, since: first) == nil)
  }

  @Test func aNewVideoHeaderWhilePublishing() throws {
    let first = Sample.stream(seconds: 1, from: .now())
    let second = Sample.stream(seconds: 1, from: first[0].time + .seconds(1), seed: 2)
    var header = Sample.video
    header.size = PictureSize(width: 160, height: 90)
    header.avcConfiguration[3] = 0x0B
    let recorded = try publish(first) { rig in
      rig.destination.setVideo(header)
      return rig.offer(second)
    }
    let video = recorded.filter { $0.type == 9 }
    try #require(video.count == 62)
    #expect(video[0].body == FLV.videoHeader(Sample.video.avcConfiguration))
    #expect(video[31].body == FLV.videoHeader(header.avcConfiguration))
    let pictures = (first + second).filter { $0.kind != .audio }
    let rest = video.filter { $0.body[1] == 1 }
    #expect(difference(rest, pictures, since: first[0]) == nil)
    #expect(video[31].time == 1_000 && video[32].time == 1_000, "on the unbroken timeline")
  }

  @Test func audioAlone() throws {
    let sounds = Sample.stream(seconds: 2, from: .now()).filter { $0.kind == .audio }
    let recorded = try publish(sounds, hasVideo: false)
    #expect(!recorded.contains { $0.type == 9 })
    let audio = recorded.filter { $0.type == 8 }.drop { $0.body[1] == 0 }
    #expect(difference(audio, sounds, since: sounds[0]) == nil)
  }

  @Test func aSecondPublisherIsRefused() throws {
    let nginx = try Nginx()
    defer { nginx.end() }
    let first = try Rig(port: nginx.port)
    first.destination.start()
    #expect(first.waitForPublishing())
    let second = try Rig(port: nginx.port)
    second.destination.start()
    #expect(second.waitForCause()?.cause == .refused(.streamInUse))
    // nginx closes the connection if the application does not exist.
    let lost = try Rig(port: nginx.port, app: "nothing")
    lost.destination.start()
    #expect(lost.waitForCause()?.cause == .closedByServer(.connectReply))
    for rig in [first, second, lost] { #expect(rig.stop()) }
  }

  /// At 62 kbit/s the kernel of a frozen server's machine takes minutes of the stream. nginx acknowledges what it reads.
  @Test func aFrozenServerIsNoticedAtALowBitRate() throws {
    let nginx = try Nginx()
    defer { nginx.end() }
    let rig = try Rig(port: nginx.port)
    rig.destination.start()
    rig.encode(bytes: 180, audioBytes: 70)
    #expect(Rig.wait { rig.destination.meter.acknowledges })
    #expect(Rig.wait { rig.destination.counters.state == .delivering })
    let frozenAt = MediaTime.now()
    nginx.signal(SIGSTOP)
    defer { nginx.signal(SIGCONT) }
    #expect(Rig.wait { rig.reported.last?.cause == .unconfirmed })
    // Without acknowledgements it would take minutes.
    #expect(MediaTime.now() - frozenAt < .seconds(40))
    #expect(rig.stop())
  }

  @Test func reconnectsWhenTheServerIsBack() throws {
    let nginx = try Nginx()
    defer { nginx.end() }
    var deadlines = Rig.deadlines
    deadlines.confirmation = .seconds(60)
    let rig = try Rig(port: nginx.port, key: "stream", deadlines: deadlines)
    rig.destination.start()
    rig.encode()
    #expect(Rig.wait { rig.destination.counters.bytesSent > 250_000 })
    nginx.kill()
    #expect(Rig.wait { rig.destination.counters.state == .waiting })
    #expect(rig.reported.last?.cause == .closedByServer(.send))
    #expect(!rig.destination.needsKeyframe)
    #expect(Rig.wait { rig.reported.last?.cause == .connectionRefused })
    try nginx.forget("stream")
    try nginx.start()
    #expect(
      Rig.wait {
        ((try? nginx.recorded("stream")) ?? []).contains { $0.type == 9 && $0.body[1] == 1 }
          && rig.destination.counters.reconnects == 1
      })
    #expect(Rig.wait { rig.destination.counters.state == .delivering })
    #expect(rig.stop())
    let video = try nginx.recorded("stream").filter { $0.type == 9 }
    #expect(video.prefix(2).map { $0.body[0] } == [0x17, 0x17])
    #expect(video.prefix(2).map { $0.body[1] } == [0, 1])
    #expect(
      rig.reported.map(\.state)
        == [
          .connecting, .connected, .publishing, .delivering, .waiting, .waiting, .publishing,
          .delivering,
          .stopped,
        ])
  }
}
