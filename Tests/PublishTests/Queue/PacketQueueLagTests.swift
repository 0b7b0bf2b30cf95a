// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

/// A link that falls behind.
@Suite struct PacketQueueLagTests {
  @Test func videoIsDroppedUntilTheQueueIsSent() {
    let rig = QueueRig(behindNanos: .milliseconds(600))
    rig.begin()
    _ = rig.offerNow(.keyframe)
    _ = rig.offerNow(.frame)
    let flying = rig.next()
    #expect(flying?.kind == .keyframe)
    // 85 % of 600 ms are 510 ms.
    rig.pass(520)
    #expect(rig.offerNow(.frame) == .notQueued)
    #expect(rig.offerNow(.audio) == .queued(wake: false))
    #expect(!rig.queue.needsKeyframe, "there is no room for one yet")
    #expect(rig.offerNow(.keyframe) == .notQueued)
    #expect(rig.queue.figures.dropped == 3)
    #expect(rig.queue.figures.overflows == 1)
    #expect(rig.next() == flying, "what is being sent is sent to its end")
    rig.queue.finished()
    #expect(rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .audio])
    #expect(rig.queue.prepareToSleep())
    #expect(rig.queue.needsKeyframe)
    #expect(rig.offerNow(.frame) == .notQueued, "it needs one that was left out")
    #expect(rig.offerNow(.keyframe) == .queued(wake: true))
    #expect(rig.drain().map(\.kind) == [.keyframe])
  }

  @Test func packetsThatAreTooOldAreDropped() {
    let rig = QueueRig(behindNanos: .milliseconds(200))
    rig.begin()
    _ = rig.offerNow(.keyframe)
    _ = rig.drain()
    _ = rig.offerNow(.keyframe)
    _ = rig.offerNow(.audio)
    rig.pass(180)
    #expect(rig.drain().isEmpty)
    #expect(rig.queue.figures.dropped == 2)
    #expect(rig.queue.prepareToSleep())
    #expect(rig.queue.needsKeyframe)
  }

  /// At the given throughput. The next keyframe is requested only 300 ms later.
  @Test func packetsThatWouldArriveLateAreDropped() {
    let rig = QueueRig(behindNanos: .seconds(2))
    rig.begin()
    _ = rig.offerNow(.keyframe)
    _ = rig.drain()
    _ = rig.offerNow(.keyframe)
    _ = rig.offerNow(.audio)
    #expect(rig.next(behind: .seconds(3), nanosPerByte: 1) == nil)
    #expect(rig.queue.figures.dropped == 2)
    #expect(rig.queue.prepareToSleep())
    #expect(!rig.queue.needsKeyframe)
    rig.pass(320)
    #expect(rig.queue.prepareToSleep())
    #expect(rig.queue.needsKeyframe)
    _ = rig.offerNow(.keyframe)
    #expect(rig.next(behind: .seconds(1), nanosPerByte: 1)?.kind == .keyframe)
  }

  /// However late it is and whatever the link: servers record and show a stream from its first keyframe on.
  @Test func aStreamBeginsWithItsFirstKeyframe() {
    let rig = QueueRig(behindNanos: .milliseconds(200))
    rig.begin()
    rig.offer(.keyframe, 0)
    rig.offer(.audio, 5)
    rig.pass(3_000)
    #expect(rig.next(behind: .seconds(3), nanosPerByte: 1)?.kind == .keyframe)
  }

  /// The audio between the lost keyframe and the next one is not sent either: its timestamps would be earlier than that
  /// of the first frame, and nginx-rtmp records such audio with the timestamp 0.
  @Test(arguments: [StartLoss.cut, .thinning, .overflow])
  func aStreamThatLosesItsStartBeginsWithTheNextKeyframe(_ loss: StartLoss) {
    let rig = QueueRig(100_000)
    rig.begin()
    rig.offer(.keyframe, 0, bytes: 1_000)
    rig.offer(.audio, 5)
    let scene: UInt32 = loss == .cut ? 1 : 0
    switch loss {
    case .cut: rig.queue.cut(video: 1, audio: 0)
    case .thinning:
      rig.queue.thin(.nothing)
      rig.queue.thin(.whole)
    case .overflow:
      #expect(rig.offer(.audio, 26, bytes: 99_000) == .overflowed(wake: false))
    }
    #expect(rig.queue.needsKeyframe)
    #expect(rig.next() == nil)
    #expect(rig.offer(.audio, 47) == .notQueued)
    #expect(rig.offer(.frame, 60, scene: scene) == .notQueued)
    #expect(rig.offer(.keyframe, 93, scene: scene) == .queued(wake: false))
    #expect(rig.offer(.audio, 68) == .notQueued, "from before the first frame")
    #expect(rig.offer(.audio, 110) == .queued(wake: false))
    let messages = rig.drain().dropFirst(3)
    #expect(messages.map(\.kind) == [.keyframe, .audio])
    #expect(messages.map(\.time) == [0, 17])
  }

  /// It takes the place of the lost one: it is sent, too, however late.
  @Test func aKeyframeThatOverflowsTheStartIsTheNewStart() {
    let rig = QueueRig(100_000, behindNanos: .milliseconds(200))
    rig.begin()
    rig.offer(.keyframe, 0, bytes: 60_000)
    rig.offer(.audio, 5)
    #expect(rig.offer(.keyframe, 33, bytes: 60_000) == .overflowed(wake: false))
    rig.pass(3_000)
    rig.queue.suspendVideo(true)
    let messages = rig.drain().dropFirst(3)
    #expect(messages.map(\.kind) == [.keyframe])
    #expect(messages.map(\.time) == [0])
  }

  /// A stream whose first keyframe is too large for the queue begins with the next one, at 0.
  @Test func aStartThatIsTooLargeIsForgotten() {
    let rig = QueueRig(100_000)
    rig.begin()
    #expect(rig.offer(.keyframe, 0, bytes: 200_000) == .overflowed(wake: false))
    #expect(rig.offer(.audio, 5) == .notQueued)
    rig.offer(.keyframe, 33)
    let messages = rig.drain().dropFirst(3)
    #expect(messages.map(\.kind) == [.keyframe])
    #expect(messages.map(\.time) == [0])
  }

  /// How a stream loses its first keyframe before anything is sent.
  enum StartLoss { case cut, thinning, overflow }

  @Test func suspendingVideoDropsIt() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    rig.offer(.audio, 5)
    rig.offer(.frame, 33)
    rig.queue.suspendVideo(true)
    #expect(
      rig.drain().map(\.kind) == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio])
    #expect(rig.queue.figures.dropped == 1)
    #expect(rig.queue.figures.queuedBytes == 0)
    #expect(rig.queue.prepareToSleep() && !rig.queue.needsKeyframe)
    #expect(rig.offer(.keyframe, 66) == .notQueued)
    rig.queue.suspendVideo(false)
    #expect(rig.queue.prepareToSleep() && rig.queue.needsKeyframe)
  }
}
