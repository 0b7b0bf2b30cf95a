// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import Testing

@testable import Studio

@Suite struct VideoSwitchTests {
  /// Records what the switch passes on: headers by their bit rate, packets by their time in milliseconds.
  private final class CallSink: PacketSink {
    enum Call: Equatable {
      case header(Int)
      case sound
      case cut(UInt32, UInt32)
      case packet(PacketKind, Int64)
    }
    private let list = Mutex<[Call]>([])
    let needsKey = Atomic(false)
    var takesPackets: Bool { true }
    var needsKeyframe: Bool { needsKey.load(ordering: .relaxed) }
    func setVideo(_ header: VideoHeader) {
      list.withLock { $0.append(.header(header.bitrateKbps)) }
    }
    func setAudio(_ header: AudioHeader) { list.withLock { $0.append(.sound) } }
    func cut(video: UInt32, audio: UInt32) { list.withLock { $0.append(.cut(video, audio)) } }
    func offer(_ packet: Packet) {
      list.withLock { $0.append(.packet(packet.kind, packet.time.nanos / 1_000_000)) }
    }
    /// What has come since the last call.
    func take() -> [Call] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  private let sink = CallSink()
  private let availability = SecondAvailability()
  private let videoSwitch: VideoSwitch
  private let sent: any PacketSink
  private let second: any PacketSink

  init() {
    videoSwitch = VideoSwitch(sink, availability)
    availability.isOpen.store(true, ordering: .relaxed)
    (sent, second) = videoSwitch.entrances
    sent.setVideo(header(1))
    second.setVideo(header(2))
    _ = sink.take()
  }

  private func header(_ kbps: Int) -> VideoHeader {
    VideoHeader(
      avcConfiguration: [1], size: PictureSize(width: 16, height: 16), framesPerSecond: 30,
      bitrateKbps: kbps)
  }

  private func offer(
    _ kind: PacketKind, _ milliseconds: Int64, to entrance: any PacketSink, scene: UInt32 = 0
  ) {
    unsafe entrance.offer(
      Packet(
        kind: kind, time: MediaTime(nanos: .milliseconds(milliseconds)), scene: scene,
        bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
  }

  @Test func itChangesAtAKeyframe() {
    offer(.keyframe, 0, to: sent)
    offer(.keyframe, 1, to: second)
    #expect(sink.take() == [.packet(.keyframe, 0)], "the second is not wanted")
    #expect(!second.takesPackets && !second.needsKeyframe)
    videoSwitch.want(true)
    #expect(second.takesPackets && second.needsKeyframe && !sent.needsKeyframe)
    offer(.frame, 40, to: second)
    offer(.frame, 40, to: sent)
    #expect(sink.take() == [.packet(.frame, 40)] && !videoSwitch.passesSecond)
    // The frames of one moment have the same time in both: none comes twice, and the next one has its own again.
    offer(.frame, 80, to: sent)
    offer(.keyframe, 80, to: second)
    offer(.audio, 81, to: sent)
    sent.setVideo(header(3))
    offer(.keyframe, 120, to: sent)
    offer(.frame, 120, to: second)
    #expect(
      sink.take() == [
        .packet(.frame, 80), .header(2), .packet(.keyframe, 81), .packet(.audio, 81),
        .packet(.frame, 120),
      ])
    #expect(availability.passing.load(ordering: .relaxed) == 1)
    #expect(videoSwitch.passesSecond && !second.needsKeyframe && !sent.needsKeyframe)
    sink.needsKey.store(true, ordering: .relaxed)
    #expect(second.needsKeyframe && !sent.needsKeyframe)
  }

  @Test func itGoesBackWhenTheSecondIsNotWantedOrSilent() {
    videoSwitch.want(true)
    offer(.keyframe, 0, to: second)
    videoSwitch.want(false)
    #expect(sent.needsKeyframe)
    offer(.frame, 40, to: sent)
    offer(.keyframe, 80, to: sent)
    offer(.frame, 90, to: second)
    #expect(
      sink.take() == [.header(2), .packet(.keyframe, 0), .header(1), .packet(.keyframe, 80)])
    // Before the second one ends, the switch goes back without a gap.
    availability.isOpen.store(false, ordering: .relaxed)
    videoSwitch.want(true)
    #expect(!second.needsKeyframe)
    offer(.keyframe, 100, to: second)
    #expect(!videoSwitch.passesSecond)
    availability.isOpen.store(true, ordering: .relaxed)
    offer(.keyframe, 110, to: second)
    availability.isOpen.store(false, ordering: .relaxed)
    #expect(videoSwitch.passesSecond && sent.needsKeyframe)
    offer(.keyframe, 115, to: sent)
    #expect(!videoSwitch.passesSecond && availability.passing.load(ordering: .relaxed) == 0)
    // Or when nothing comes of it any more.
    availability.isOpen.store(true, ordering: .relaxed)
    offer(.keyframe, 120, to: second)
    offer(.frame, 620, to: sent)
    #expect(!sent.needsKeyframe)
    offer(.frame, 621, to: sent)
    #expect(sent.needsKeyframe && videoSwitch.passesSecond)
    offer(.keyframe, 660, to: sent)
    #expect(!videoSwitch.passesSecond && second.needsKeyframe)
  }

  /// A pause hides both renditions, a poor network the sent one alone. Nothing of before a pause comes through, in
  /// whatever order the two entrances are told of it.
  @Test func whatIsHiddenStaysHidden() {
    videoSwitch.want(true)
    offer(.keyframe, 0, to: second)
    _ = sink.take()
    sent.cut(video: 1, audio: 0)
    #expect(sink.take() == [.cut(0, 0)], "the waiting packets of the second stay")
    offer(.frame, 40, to: second, scene: 0)
    offer(.frame, 80, to: second, scene: 1)
    #expect(sink.take() == [.packet(.frame, 40), .packet(.frame, 80)])
    // A pause; the sent rendition is told first, and the second one is about to end.
    sent.cut(video: 2, audio: 3)
    videoSwitch.want(false)
    offer(.keyframe, 120, to: sent, scene: 1)
    second.cut(video: 2, audio: 3)
    offer(.frame, 130, to: second, scene: 1)
    #expect(sink.take() == [.cut(0, 3), .cut(2, 3)])
    offer(.keyframe, 160, to: sent, scene: 2)
    #expect(sink.take() == [.header(1), .packet(.keyframe, 160)])
    // The second one, which was told of it, comes back with a packet from before.
    videoSwitch.want(true)
    sent.cut(video: 3, audio: 3)
    offer(.keyframe, 200, to: second, scene: 2)
    #expect(sink.take() == [.cut(3, 3)])
    second.cut(video: 3, audio: 3)
    offer(.keyframe, 240, to: second, scene: 3)
    #expect(sink.take() == [.cut(0, 3), .header(2), .packet(.keyframe, 240)])
  }
}
