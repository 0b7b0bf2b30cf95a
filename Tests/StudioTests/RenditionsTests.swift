// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Studio

@Suite struct RenditionsTests {
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

  private let renditions = Renditions()

  private func video(_ kbps: Int) -> VideoHeader {
    VideoHeader(
      avcConfiguration: [1], size: PictureSize(width: 16, height: 16), framesPerSecond: 30,
      bitrateKbps: kbps)
  }

  private func audio(_ kbps: Int) -> AudioHeader {
    AudioHeader(audioSpecificConfig: [1], sampleRate: 48_000, channels: 2, bitrateKbps: kbps)
  }

  private func offer(
    _ kind: PacketKind, of rendition: Rendition? = nil, scene: UInt32 = 0,
    at time: MediaTime = .distantPast
  ) {
    let packet = unsafe Packet(
      kind: kind, time: time, scene: scene, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    if let rendition {
      renditions.offer(packet, of: rendition)
    } else {
      renditions.offer(packet)
    }
  }

  @Test func aSinkThatJoinsGetsHeadersAndScenesFirst() {
    renditions.setVideo(video(1))
    renditions.setAudio(audio(2))
    renditions.setVideo(video(3))
    renditions.begin(video: 4, audio: 5, hidesVideo: false, hidesAudio: false)
    let sink = CallSink()
    renditions.add(sink)
    offer(.keyframe, scene: 4)
    #expect(sink.calls == [.video(3), .audio(2), .cut(4, 5), .packet(.keyframe, 4)])
    // One that leaves may still hold what a pause hides.
    renditions.silence(sink)
    offer(.frame, scene: 4)
    renditions.begin(video: 6, audio: 5, hidesVideo: true, hidesAudio: false)
    #expect(sink.calls.dropFirst(4) == [.cut(6, 0)])
    #expect(!renditions.takesPackets())
    renditions.remove(sink)
    offer(.frame, scene: 6)
    renditions.setVideo(video(9))
    renditions.begin(video: 7, audio: 5, hidesVideo: true, hidesAudio: false)
    #expect(sink.calls.count == 5)
  }

  @Test func onlyWhatHidesCutsThoseWhoAreThere() {
    let sink = CallSink()
    renditions.add(sink)
    renditions.begin(video: 1, audio: 0, hidesVideo: false, hidesAudio: false)
    renditions.begin(video: 2, audio: 0, hidesVideo: true, hidesAudio: false)
    renditions.begin(video: 2, audio: 1, hidesVideo: false, hidesAudio: true)
    #expect(sink.calls == [.cut(0, 0), .cut(2, 0), .cut(0, 1)])
  }

  @Test func videoCanEndForOneSinkAlone() {
    let (one, other) = (CallSink(), CallSink())
    renditions.add(one)
    renditions.add(other)
    let end = MediaTime(nanos: .seconds(5))
    renditions.endVideo(of: one, at: end)
    offer(.frame, at: end - 1)
    offer(.frame, at: end)
    offer(.audio, at: end)
    #expect(one.calls == [.cut(0, 0), .packet(.frame, 0), .packet(.audio, 0)])
    #expect(other.calls.count == 4)
    #expect(renditions.newest.video == end && renditions.newest.audio == end)
  }

  /// A second rendition is for those who want it: packets, headers, requests for keyframes.
  @Test func eachSinkGetsWhatItWants() {
    let (both, call, mute) = (CallSink(), CallSink(), CallSink())
    renditions.setAudio(audio(1))
    renditions.setAudio(audio(2), of: .cameraAudio)
    renditions.add(both)
    renditions.add(call, choice: RenditionChoice(video: .video, audio: .cameraAudio))
    renditions.add(mute, choice: RenditionChoice(video: .secondVideo, audio: nil))
    renditions.setVideo(video(3))
    renditions.setVideo(video(4), of: .secondVideo)
    offer(.keyframe)
    offer(.audio)
    offer(.keyframe, of: .secondVideo)
    offer(.audio, of: .cameraAudio)
    #expect(
      both.calls
        == [.audio(1), .cut(0, 0), .video(3), .packet(.keyframe, 0), .packet(.audio, 0)])
    #expect(
      call.calls
        == [.audio(2), .cut(0, 0), .video(3), .packet(.keyframe, 0), .packet(.audio, 0)])
    #expect(mute.calls == [.cut(0, 0), .video(4), .packet(.keyframe, 0)])
    // The encoder of one picture is not asked for what a sink of the other needs.
    mute.needsKey.store(true, ordering: .relaxed)
    let start = MediaTime(nanos: .seconds(100))
    #expect(!renditions.takeKeyframeRequest(now: start))
    #expect(renditions.takeKeyframeRequest(of: .secondVideo, now: start))
    // Scenes are the same for all.
    renditions.begin(video: 1, audio: 1, hidesVideo: true, hidesAudio: true)
    for sink in [both, call, mute] { #expect(sink.calls.last == .cut(1, 1)) }
    // Of the times only those of the first renditions are of interest.
    offer(.audio, of: .cameraAudio, at: start)
    #expect(renditions.newest.audio == .distantPast)
  }

  @Test func thePipelinesAreToldWhatIsWanted() {
    let changes = Atomic(0)
    renditions.observe { changes.wrappingAdd(1, ordering: .relaxed) }
    func wanted() -> [Rendition] { Rendition.allCases.filter(renditions.isWanted) }
    let (one, two, three) = (CallSink(), CallSink(), CallSink())
    #expect(wanted() == [])
    renditions.add(one)
    #expect(wanted() == [.video, .audio] && changes.load(ordering: .relaxed) == 1)
    renditions.add(two, choice: RenditionChoice(video: nil, audio: .cameraAudio))
    renditions.add(three, choice: RenditionChoice(video: .video, audio: .cameraAudio))
    #expect(wanted() == [.video, .audio, .cameraAudio])
    #expect(changes.load(ordering: .relaxed) == 2)
    #expect(renditions.takesPackets(of: .cameraAudio))
    #expect(!renditions.takesPackets(of: .secondVideo))
    renditions.remove(two)
    #expect(renditions.isWanted(.cameraAudio) && changes.load(ordering: .relaxed) == 2)
    // One that leaves gets nothing any more.
    renditions.silence(three)
    #expect(wanted() == [.video, .audio] && changes.load(ordering: .relaxed) == 3)
    renditions.remove(three)
    renditions.remove(one)
    #expect(wanted() == [] && changes.load(ordering: .relaxed) == 4)
  }

  @Test func requestsOfOthersAreMerged() {
    let (main, one, other) = (CallSink(), CallSink(), CallSink())
    renditions.add(main, isMain: true)
    renditions.add(one)
    renditions.add(other)
    let start = MediaTime(nanos: .seconds(100))
    #expect(!renditions.takeKeyframeRequest(now: start))
    for sink in [one, other] { sink.needsKey.store(true, ordering: .relaxed) }
    #expect(renditions.needsKeyframe(now: start))
    #expect(renditions.takeKeyframeRequest(now: start))
    #expect(!renditions.needsKeyframe(now: start + .milliseconds(1_999)))
    main.needsKey.store(true, ordering: .relaxed)
    #expect(renditions.takeKeyframeRequest(now: start + .milliseconds(1_999)))
    main.needsKey.store(false, ordering: .relaxed)
    #expect(renditions.takeKeyframeRequest(now: start + .seconds(2)))
  }

  /// Sinks join while scenes and headers change: each gets the last of both, and none an earlier scene.
  @Test func aSinkNeverTakesAPacketOfAnEarlierScene() {
    let scene = Atomic<UInt32>(0)
    let isOver = Atomic(false)
    renditions.setVideo(video(0))
    let encoder = MediaThread(name: "encoder", urgency: .ordinary) { [self] in
      var round = 0
      while !isOver.load(ordering: .relaxed) {
        let number = scene.load(ordering: .acquiring)
        round += 1
        if round % 7 == 0 { renditions.setVideo(video(round)) }
        offer(.keyframe, scene: number)
        offer(.audio, scene: number)
      }
    }
    var worst = 0
    for number in 1..<500 as Range<UInt32> {
      let sink = QueueSink(capacity: 1_000_000)
      renditions.begin(video: number, audio: number, hidesVideo: true, hidesAudio: true)
      // A sink that joins now may get what is being encoded with the old number.
      renditions.add(sink)
      scene.store(number, ordering: .releasing)
      sink.start()
      #expect(eventually { sink.count > 0 })
      renditions.remove(sink)
      #expect(sink.stop())
      if sink.taken.contains(where: { $0.scene < number }) { worst += 1 }
      if sink.early > 0 { worst += 1 }
    }
    isOver.store(true, ordering: .relaxed)
    #expect(encoder.join(until: .now() + .seconds(60)))
    #expect(worst == 0)
  }
}
