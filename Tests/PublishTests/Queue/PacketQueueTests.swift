// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Mux
import Testing

@testable import Publish

@Suite struct PacketQueueTests {
  @Test func packetsAreDroppedWithoutAConnection() {
    let rig = QueueRig()
    #expect(!rig.queue.needsKeyframe && !rig.queue.takesPackets)
    #expect(rig.offer(.keyframe, 0) == .notQueued)
    rig.begin()
    #expect(rig.queue.needsKeyframe && rig.queue.takesPackets)
    #expect(rig.offer(.frame, 0) == .notQueued)
    #expect(rig.offer(.audio, 0) == .notQueued)
    #expect(rig.drain().isEmpty)
    #expect(rig.queue.figures.dropped == 0)
  }

  /// Sequence headers too: the age of the oldest message in flight tells how the link is.
  @Test func everyMessageTellsWhenItWasQueued() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    rig.offer(.audio, 10)
    let offeredAt = rig.time.now
    rig.pass(50)
    let messages = rig.drain()
    #expect(messages.map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio])
    #expect(messages.allSatisfy { $0.offeredAt == offeredAt })
  }

  @Test func aPublishStartsWithHeadersAndAKeyframeAtZero() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 100)
    #expect(!rig.queue.needsKeyframe)
    rig.offer(.audio, 99)
    rig.offer(.audio, 101)
    rig.offer(.frame, 133)
    let messages = rig.drain()
    #expect(
      messages.map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio, .frame])
    #expect(messages.map(\.time) == [0, 0, 0, 0, 1, 33])
    #expect(messages[1].body == FLV.videoHeader(Sample.video.avcConfiguration))
    #expect(messages[3].body == [0x17, 1, 0, 0, 0] + [UInt8](repeating: 100, count: 10))
    // A new connection starts in the same way.
    rig.queue.end()
    #expect(!rig.queue.takesPackets)
    #expect(rig.offer(.keyframe, 200) == .notQueued)
    rig.begin()
    rig.offer(.keyframe, 300)
    #expect(rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe])
  }

  @Test func audioAlone() {
    let rig = QueueRig(hasVideo: false)
    rig.begin()
    #expect(!rig.queue.needsKeyframe)
    rig.offer(.audio, 50)
    rig.offer(.audio, 71)
    let messages = rig.drain()
    #expect(messages.map(\.kind) == [.metadata, .audioHeader, .audio, .audio])
    #expect(messages.map(\.time) == [0, 0, 0, 21])
  }

  /// After its keyframe, a scene of sound alone is confirmed by its audio; keyframes for other sinks are left out, but
  /// a new connection begins with one.
  @Test func aSceneOfSoundAloneHasOneKeyframe() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    rig.offer(.audio, 10)
    #expect(rig.drain().filter(\.isTracked).map(\.kind) == [.keyframe])
    rig.queue.cut(video: 1, audio: 0)
    var header = Sample.video
    header.isSoundOnly = true
    rig.queue.setVideo(header)
    #expect(rig.queue.needsKeyframe)
    rig.offer(.audio, 20)
    rig.offer(.keyframe, 30, scene: 1)
    #expect(!rig.queue.needsKeyframe)
    rig.offer(.audio, 40)
    #expect(rig.offer(.keyframe, 50, scene: 1) == .notQueued)
    #expect(rig.offer(.frame, 60, scene: 1) == .notQueued)
    let sent = rig.drain()
    #expect(sent.map(\.kind) == [.audio, .videoHeader, .keyframe, .audio])
    #expect(sent.map(\.isTracked) == [false, false, true, true])
    rig.queue.end()
    rig.begin()
    #expect(rig.queue.needsKeyframe)
    rig.offer(.keyframe, 100, scene: 1)
    rig.offer(.audio, 110)
    #expect(rig.offer(.keyframe, 120, scene: 1) == .notQueued)
    #expect(
      rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio])
    // Live again, on the same timeline.
    rig.queue.cut(video: 2, audio: 0)
    rig.queue.setVideo(Sample.video)
    rig.offer(.keyframe, 150, scene: 2)
    rig.offer(.audio, 160)
    let live = rig.drain()
    #expect(live.map(\.kind) == [.videoHeader, .keyframe, .audio])
    #expect(live.map(\.time) == [50, 50, 60] && live.map(\.isTracked) == [false, true, false])
    #expect(rig.queue.figures.dropped == 0)
  }

  @Test func aNewVideoHeaderGoesJustBeforeItsKeyframe() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    var header = Sample.video
    header.size = PictureSize(width: 640, height: 360)
    header.avcConfiguration[3] = 0x1E
    rig.queue.setVideo(header)
    rig.offer(.audio, 10)
    rig.offer(.keyframe, 33)
    rig.offer(.frame, 66)
    let messages = rig.drain().dropFirst(4)
    #expect(messages.map(\.kind) == [.audio, .metadata, .videoHeader, .keyframe, .frame])
    #expect(messages.map(\.time) == [10, 33, 33, 33, 66])
    #expect(messages.dropFirst(2).first?.body == FLV.videoHeader(header.avcConfiguration))
    let metadata = AMF0Reader.values((messages.dropFirst().first?.body ?? [])[...])
    #expect(metadata.last?["width"] == .number(640))
  }

  /// A pause shows a still with fewer frames a second, and later live video again.
  @Test func metadataIsSentOnlyWhenItHasChanged() {
    let rig = QueueRig()
    var still = Sample.video
    still.avcConfiguration[3] = 0x1E
    still.framesPerSecond = 10
    rig.begin()
    rig.offer(.keyframe, 0)
    for (header, time) in [(still, 33), (Sample.video, 66), (still, 100)] as [(VideoHeader, Int64)]
    {
      rig.queue.setVideo(header)
      rig.offer(.keyframe, time)
    }
    #expect(
      rig.drain().map(\.kind)
        == [
          .metadata, .videoHeader, .audioHeader, .keyframe, .videoHeader, .keyframe,
          .videoHeader, .keyframe, .videoHeader, .keyframe,
        ])
    // Another size is another metadata. What was dropped is sent later, and a new connection starts with it.
    still.size = PictureSize(width: 640, height: 360)
    rig.queue.setVideo(still)
    rig.offer(.keyframe, 133)
    rig.queue.cut(video: 1, audio: 0)
    rig.offer(.keyframe, 166, scene: 1)
    #expect(rig.drain().map(\.kind) == [.metadata, .videoHeader, .keyframe])
    rig.begin()
    rig.offer(.keyframe, 200, scene: 1)
    #expect(rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe])
  }

  @Test func aLateAudioHeader() {
    let rig = QueueRig(hasAudio: false)
    rig.begin()
    rig.offer(.keyframe, 0)
    #expect(rig.offer(.audio, 5) == .notQueued)
    rig.queue.setAudio(Sample.audio)
    rig.offer(.audio, 20)
    #expect(
      rig.drain().map(\.kind)
        == [.metadata, .videoHeader, .keyframe, .metadata, .audioHeader, .audio])
  }

  @Test func anOverflowDropsTheQueueAndVideoUpToTheNextKeyframe() {
    let rig = QueueRig(100_000)
    rig.begin()
    rig.offer(.keyframe, 0, bytes: 1_000)
    let flying = rig.next()
    #expect(flying?.kind == .keyframe)
    var time: Int64 = 0
    var outcome = PacketQueue.Outcome.notQueued
    repeat {
      time += 33
      outcome = rig.offer(.frame, time, bytes: 9_000)
    } while outcome == .queued(wake: false)
    #expect(outcome == .overflowed(wake: false))
    #expect(rig.queue.needsKeyframe)
    let dropped = rig.queue.figures.dropped
    // The frames after the keyframe, and the one that did not fit.
    #expect(dropped == UInt64(time / 33))
    #expect(rig.next() == flying, "what is being sent stays")
    rig.queue.finished()
    #expect(rig.offer(.frame, time + 33) == .notQueued)
    #expect(rig.queue.figures.dropped == dropped + 1)
    rig.offer(.audio, time + 34)
    rig.offer(.keyframe, time + 66)
    #expect(!rig.queue.needsKeyframe)
    rig.offer(.frame, time + 99)
    let messages = rig.drain()
    #expect(messages.dropFirst(3).map(\.kind) == [.audio, .keyframe, .frame])
    #expect(messages.last?.time == UInt32(time + 99), "the timeline is unbroken")
    #expect(rig.queue.figures.overflows == 1)
  }

  /// A format set while packets of the one before are queued goes with its own keyframe.
  @Test func eachPacketHasItsOwnFormat() {
    let rig = QueueRig()
    rig.begin()
    var headers: [VideoHeader] = []
    for index in 0..<5 {
      var header = Sample.video
      header.avcConfiguration[3] = UInt8(index)
      headers.append(header)
      rig.queue.setVideo(header)
      rig.offer(.keyframe, Int64(index) * 100)
      rig.offer(.audio, Int64(index) * 100 + 1)
    }
    let bodies = rig.drain().filter { $0.kind == .videoHeader }.map(\.body)
    #expect(bodies == headers.map { FLV.videoHeader($0.avcConfiguration) })
  }

  /// Audio that was captured before a queued frame leaves before it, and no frame waits for audio.
  @Test func audioDoesNotWaitBehindLaterFrames() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    let flying = rig.next()
    // The link is busy with the keyframe. Audio is offered 60 ms after its capture, a frame at once.
    var newestVideo: Int64 = 0
    for time in stride(from: 20, through: 400, by: 20) as StrideThrough<Int64> {
      if time % 40 == 0 { rig.offer(.frame, time) }
      if time >= 80 { rig.offer(.audio, time - 60) }
    }
    #expect(rig.next() == flying)
    rig.queue.finished()
    var order: [Int64] = []
    for message in rig.drain().dropFirst(3) {
      order.append(Int64(message.time))
      if message.kind == .frame { newestVideo = Int64(message.time) }
      if message.kind == .audio { #expect(newestVideo - Int64(message.time) <= 0) }
    }
    #expect(order.count == 27 && order.contains(340) && newestVideo == 400)
  }

  /// On a busy machine audio starts after video. It ends as much later, so that both are equally long.
  @Test func audioThatStartsLateEndsLate() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    rig.offer(.audio, 126)
    #expect(rig.queue.endVideo(at: rig.start + .milliseconds(1_000)) == .milliseconds(126))
    #expect(rig.offer(.audio, 1_115) == .queued(wake: false))
    #expect(rig.offer(.audio, 1_137) == .notQueued)
  }

  @Test func aKeyframeThatOverflowsTheQueueIsKept() {
    let rig = QueueRig(100_000)
    rig.begin()
    rig.offer(.keyframe, 0, bytes: 60_000)
    #expect(rig.offer(.keyframe, 33, bytes: 60_000) == .overflowed(wake: false))
    #expect(
      rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe])
    #expect(rig.offer(.keyframe, 66, bytes: 200_000) == .overflowed(wake: false))
    #expect(rig.queue.needsKeyframe, "too large for the ring altogether")
  }

  @Test func aSleepingSenderIsWokenOnce() {
    let rig = QueueRig()
    rig.begin()
    #expect(rig.queue.prepareToSleep())
    #expect(rig.offer(.keyframe, 0) == .queued(wake: true))
    #expect(rig.offer(.frame, 33) == .queued(wake: false))
    #expect(!rig.queue.prepareToSleep())
  }
}
