// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Synchronization
import TestSupport
import Testing

@testable import Studio

@Suite struct OutletTests {
  /// Records the calls that a sink gets.
  private final class CallSink: PacketSink {
    enum Call: Equatable {
      case video(Int), audio(Int)
      case cut(UInt32, UInt32)
      case packet(PacketKind, UInt32)
    }
    private let list = Mutex<[Call]>([])
    let needsKey = Atomic(false)
    var calls: [Call] { list.withLock { $0 } }
    var takesPackets: Bool { true }
    var needsKeyframe: Bool { needsKey.load(ordering: .relaxed) }
    func setVideo(_ header: VideoHeader) { list.withLock { $0.append(.video(header.bitrateKbps)) } }
    func setAudio(_ header: AudioHeader) { list.withLock { $0.append(.audio(header.bitrateKbps)) } }
    func cut(video: UInt32, audio: UInt32) { list.withLock { $0.append(.cut(video, audio)) } }
    func offer(_ packet: Packet) { list.withLock { $0.append(.packet(packet.kind, packet.scene)) } }
  }

  private let outlet = Outlet()

  private func video(_ kbps: Int) -> VideoHeader {
    VideoHeader(
      avcConfiguration: [1], size: PictureSize(width: 16, height: 16), framesPerSecond: 30,
      bitrateKbps: kbps)
  }

  private func audio(_ kbps: Int) -> AudioHeader {
    AudioHeader(audioSpecificConfig: [1], sampleRate: 48_000, channels: 2, bitrateKbps: kbps)
  }

  private func offer(_ kind: PacketKind, scene: UInt32 = 0, at time: MediaTime = .distantPast) {
    unsafe outlet.offer(
      Packet(
        kind: kind, time: time, scene: scene, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
  }

  @Test func aSinkThatJoinsGetsHeadersAndScenesFirst() {
    outlet.setVideo(video(1))
    outlet.setAudio(audio(2))
    outlet.setVideo(video(3))
    outlet.begin(video: 4, audio: 5, hidesVideo: false, hidesAudio: false)
    let sink = CallSink()
    outlet.add(sink)
    offer(.keyframe, scene: 4)
    #expect(sink.calls == [.video(3), .audio(2), .cut(4, 5), .packet(.keyframe, 4)])
    // One that leaves may still hold what a pause hides.
    outlet.silence(sink)
    offer(.frame, scene: 4)
    outlet.begin(video: 6, audio: 5, hidesVideo: true, hidesAudio: false)
    #expect(sink.calls.dropFirst(4) == [.cut(6, 0)])
    #expect(!outlet.takesPackets)
    outlet.remove(sink)
    offer(.frame, scene: 6)
    outlet.setVideo(video(9))
    outlet.begin(video: 7, audio: 5, hidesVideo: true, hidesAudio: false)
    #expect(sink.calls.count == 5)
  }

  @Test func onlyWhatHidesCutsThoseWhoAreThere() {
    let sink = CallSink()
    outlet.add(sink)
    outlet.begin(video: 1, audio: 0, hidesVideo: false, hidesAudio: false)
    outlet.begin(video: 2, audio: 0, hidesVideo: true, hidesAudio: false)
    outlet.begin(video: 2, audio: 1, hidesVideo: false, hidesAudio: true)
    #expect(sink.calls == [.cut(0, 0), .cut(2, 0), .cut(0, 1)])
  }

  @Test func videoCanEndForOneSinkAlone() {
    let (one, other) = (CallSink(), CallSink())
    outlet.add(one)
    outlet.add(other)
    let end = MediaTime(nanos: .seconds(5))
    outlet.endVideo(of: one, at: end)
    offer(.frame, at: end - 1)
    offer(.frame, at: end)
    offer(.audio, at: end)
    #expect(one.calls == [.cut(0, 0), .packet(.frame, 0), .packet(.audio, 0)])
    #expect(other.calls.count == 4)
    #expect(outlet.newest.video == end && outlet.newest.audio == end)
  }

  @Test func requestsOfOthersAreMerged() {
    let (main, one, other) = (CallSink(), CallSink(), CallSink())
    outlet.add(main, isMain: true)
    outlet.add(one)
    outlet.add(other)
    let start = MediaTime(nanos: .seconds(100))
    #expect(!outlet.takeKeyframeRequest(now: start))
    for sink in [one, other] { sink.needsKey.store(true, ordering: .relaxed) }
    #expect(outlet.needsKeyframe(now: start))
    #expect(outlet.takeKeyframeRequest(now: start))
    #expect(!outlet.needsKeyframe(now: start + .milliseconds(1_999)))
    main.needsKey.store(true, ordering: .relaxed)
    #expect(outlet.takeKeyframeRequest(now: start + .milliseconds(1_999)))
    main.needsKey.store(false, ordering: .relaxed)
    #expect(outlet.takeKeyframeRequest(now: start + .seconds(2)))
  }

  /// Sinks join while scenes and headers change: each gets the last of both, and none an earlier scene.
  @Test func aSinkNeverTakesAPacketOfAnEarlierScene() {
    let scene = Atomic<UInt32>(0)
    let isOver = Atomic(false)
    outlet.setVideo(video(0))
    let encoder = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      var round = 0
      while !isOver.load(ordering: .relaxed) {
        let number = scene.load(ordering: .acquiring)
        round += 1
        if round % 7 == 0 { outlet.setVideo(video(round)) }
        offer(.keyframe, scene: number)
        offer(.audio, scene: number)
      }
    }
    var worst = 0
    for number in 1..<500 as Range<UInt32> {
      let sink = QueueSink(capacity: 1_000_000)
      outlet.begin(video: number, audio: number, hidesVideo: true, hidesAudio: true)
      // A sink that joins now may get what is being encoded with the old number.
      outlet.add(sink)
      scene.store(number, ordering: .releasing)
      sink.start()
      #expect(eventually { sink.count > 0 })
      outlet.remove(sink)
      #expect(sink.stop())
      if sink.taken.contains(where: { $0.scene < number }) { worst += 1 }
      if sink.early > 0 { worst += 1 }
    }
    isOver.store(true, ordering: .relaxed)
    #expect(encoder.join(until: .now() + .seconds(60)))
    #expect(worst == 0)
  }
}
