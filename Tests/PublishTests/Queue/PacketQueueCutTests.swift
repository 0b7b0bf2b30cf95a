// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import Testing

@testable import Publish

/// Nothing of an earlier scene is sent after a cut.
@Suite struct PacketQueueCutTests {
  @Test func aCutDropsTheQueue() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    let flying = rig.next()
    #expect(flying?.kind == .keyframe)
    rig.offer(.frame, 33)
    rig.offer(.audio, 34)
    rig.queue.cut(video: 1, audio: 1)
    #expect(rig.queue.needsKeyframe)
    #expect(rig.next() == flying, "what is being sent is sent to its end")
    rig.queue.finished()
    #expect(rig.next() == nil)
    // Packets of the old scene that were being encoded during the cut.
    #expect(rig.offer(.frame, 66) == .notQueued)
    #expect(rig.offer(.keyframe, 66) == .notQueued)
    #expect(rig.offer(.audio, 66) == .notQueued)
    #expect(rig.offer(.keyframe, 70, scene: 1) == .queued(wake: false))
    #expect(rig.offer(.audio, 70, scene: 1) == .queued(wake: false))
    let messages = rig.drain().dropFirst(3)
    #expect(messages.map(\.kind) == [.keyframe, .audio])
    #expect(messages.map(\.time) == [70, 70], "the timeline is unbroken")
  }

  /// A pause while the link is far behind: the still's keyframe is queued all the same.
  @Test func theFirstKeyframeOfASceneIsNeverDropped() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    #expect(rig.drain().count == 4)
    rig.queue.suspendVideo(true)
    #expect(rig.offer(.keyframe, 33) == .notQueued)
    rig.queue.cut(video: 1, audio: 1)
    #expect(rig.queue.needsKeyframe)
    #expect(rig.offer(.keyframe, 66) == .notQueued, "of the scene before")
    #expect(rig.offer(.keyframe, 70, scene: 1) == .queued(wake: false))
    #expect(
      rig.offer(.frame, 270, scene: 1) == .queued(wake: false), "nothing says it is late")
    rig.queue.suspendVideo(true)
    #expect(rig.offer(.frame, 470, scene: 1) == .notQueued)
    let messages = rig.drain()
    #expect(messages.map(\.kind) == [.keyframe])
    #expect(messages.map(\.time) == [70])
  }

  /// Otherwise every frame would be encoded as a keyframe, and then dropped.
  @Test func aCutOfAudioRequestsNoKeyframeWhileVideoIsDropped() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    #expect(rig.drain().count == 4)
    rig.queue.suspendVideo(true)
    rig.offer(.audio, 5)
    rig.queue.cut(video: 0, audio: 1)
    #expect(!rig.queue.needsKeyframe)
    rig.queue.suspendVideo(false)
    #expect(rig.queue.prepareToSleep())
    #expect(rig.queue.needsKeyframe)
  }

  @Test func aCutOfAudioAloneNeedsNoKeyframe() {
    let rig = QueueRig()
    rig.begin()
    rig.offer(.keyframe, 0)
    #expect(rig.drain().count == 4)
    rig.offer(.frame, 33)
    rig.queue.cut(video: 0, audio: 1)
    #expect(!rig.queue.needsKeyframe)
    #expect(rig.offer(.audio, 34) == .notQueued)
    #expect(rig.offer(.audio, 34, scene: 1) == .queued(wake: false))
    #expect(rig.drain().map(\.kind) == [.frame, .audio])
    // Audio of the old scene is still queued: it alone is dropped.
    rig.offer(.frame, 66)
    rig.offer(.audio, 67, scene: 1)
    rig.queue.cut(video: 0, audio: 2)
    #expect(!rig.queue.needsKeyframe)
    #expect(rig.drain().map(\.kind) == [.frame])
    // Audio of the new scene came before the cut: another track goes on without a gap.
    rig.offer(.audio, 90, scene: 2)
    rig.offer(.audio, 111, scene: 3)
    rig.queue.cut(video: 0, audio: 3)
    #expect(rig.drain().map(\.kind) == [.audio])
  }

  /// A pause that began before the connection still holds afterwards.
  @Test func aCutOutlastsTheConnection() {
    let rig = QueueRig()
    rig.queue.cut(video: 3, audio: 3)
    rig.begin()
    #expect(rig.offer(.keyframe, 0, scene: 2) == .notQueued)
    #expect(rig.offer(.keyframe, 1, scene: 3) == .queued(wake: false))
    rig.queue.end()
    rig.begin()
    #expect(rig.offer(.keyframe, 2, scene: 2) == .notQueued)
    rig.queue.cut(video: 1, audio: 1)
    #expect(rig.offer(.keyframe, 3, scene: 2) == .notQueued, "there is no way back")
  }

  /// Two encoders, a sender and a cut, all at the same time.
  @Test func nothingOfAnEarlierSceneComesAfterACut() {
    let rig = QueueRig(1 << 16)
    rig.begin()
    let queue = rig.queue
    let known = FormatNumbers(video: 1, audio: 1)
    let scene = Atomic<UInt32>(0)
    let done = Atomic(false)
    let leaks = Atomic(0)
    let taken = Atomic(0)
    let start = rig.start
    let threads =
      [PacketKind.keyframe, .audio].map { kind in
        MediaThread(name: "encoder", urgency: .ordinary) {
          var time = start
          while !done.load(ordering: .relaxed) {
            let mine = scene.load(ordering: .relaxed)
            time = time + .milliseconds(1)
            Piece(kind: kind, time: time, bytes: [UInt8](repeating: UInt8(mine & 0xFF), count: 64))
              .lent(scene: mine) { _ = queue.offer($0) }
          }
        }
      } + [
        MediaThread(name: "sender", urgency: .ordinary) {
          while !done.load(ordering: .relaxed) {
            let current = scene.load(ordering: .sequentiallyConsistent)
            guard case .packet(let packet) = queue.next(known: known) else { continue }
            let first = unsafe queue.bytes(of: packet).last
            queue.finished()
            taken.add(1, ordering: .relaxed)
            // Taken after the cut to `current` had returned.
            if let first, Int8(bitPattern: first &- UInt8(current & 0xFF)) < 0 {
              leaks.add(1, ordering: .relaxed)
            }
          }
        }
      ]
    var number: UInt32 = 0
    // A busy machine lets the sender run less often.
    while number < 2_000 || (taken.load(ordering: .relaxed) <= 1_000 && number < 1_000_000) {
      number += 1
      rig.queue.cut(video: number, audio: number)
      scene.store(number, ordering: .sequentiallyConsistent)
      (MediaTime.now() + 100_000).sleepUntil()
    }
    done.store(true, ordering: .relaxed)
    for thread in threads { #expect(thread.join(until: .now() + .seconds(10))) }
    #expect(leaks.load(ordering: .relaxed) == 0)
    #expect(taken.load(ordering: .relaxed) > 1_000)
  }
}
