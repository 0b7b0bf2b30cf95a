// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Synchronization
import Testing

@testable import Publish

@Suite struct PublishClockTests {
  private func at(_ milliseconds: Int64) -> MediaTime {
    MediaTime(nanos: 5_000_000_000 + .milliseconds(milliseconds))
  }

  @Test func beginsAtZeroAndRises() {
    var clock = PublishClock()
    #expect(clock.video(at(0)) == nil)
    clock.start(at: at(0))
    #expect(clock.video(at(0)) == 0)
    #expect(clock.video(at(33) + 999_999) == 33)
    #expect(clock.video(at(33) + 999_999) == 34, "strictly rising")
    #expect(clock.video(at(10)) == 35, "never back")
    #expect(clock.video(at(67)) == 67)
    #expect(clock.audio(at(0) - 1) == nil, "older than the first picture")
    #expect(clock.audio(at(21)) == 21)
    #expect(clock.audio(at(20)) == 21, "never back")
    clock.start(at: at(1_000))
    #expect(clock.video(at(1_000)) == 0, "each publish begins at 0")
  }

  @Test func wrapsAt32Bits() {
    var clock = PublishClock()
    clock.start(at: at(0))
    #expect(clock.video(at(0xFFFF_FFFF)) == 0xFFFF_FFFF)
    #expect(clock.video(at(0x1_0000_0000)) == 0)
    #expect(clock.video(at(0x1_0000_0021)) == 33)
  }

  @Test func audioEndsWhenItIsAsLongAsVideo() {
    let piece: Int64 = 21_333_333
    for (start, length) in [(Int64(0), Int64(1_000)), (15, 1_003), (21, 990)] {
      var clock = PublishClock()
      clock.start(at: at(0))
      var sound = at(start)
      while clock.evensOut(sound, length: piece, videoEnd: at(length)) {
        _ = clock.audio(sound)
        sound = sound + piece
      }
      let difference = abs(sound - at(start) - .milliseconds(length))
      #expect(difference <= piece / 2 + 1)
    }
    #expect(!PublishClock().evensOut(at(0), length: piece, videoEnd: at(1)))
  }

  @Test func fullHeadersWhereShortOnesWouldBeWrong() {
    var plan = HeaderPlan()
    func next(_ time: UInt32, _ bytes: Int) -> Bool {
      plan.needsFullHeader(time: time, bytes: bytes, type: 9)
    }
    #expect(next(0, 100))
    #expect(!next(0, 200))
    #expect(next(0, 200), "same time, size and type: librtmp would send no header at all")
    #expect(!next(33, 200))
    #expect(!next(66, 200))
    #expect(next(65, 300), "backwards")
  }
}

@Suite struct RingTests {
  @Test func messagesAreInOrderAndDoNotOverlap() {
    var noise = Noise(seed: 3)
    var ring = RingLayout(capacity: 10_000)
    var queued: [QueuedMessage] = []
    var time: UInt32 = 0
    var refusals = 0
    for _ in 0..<20_000 {
      if noise.next() % 5 < 3 {
        let bytes = Int(noise.next() % 2_500)
        if let message = ring.add(.frame, bodyBytes: bytes, time: time, offeredAt: .now()) {
          let end = message.offset + RingLayout.headroom + bytes
          #expect(message.offset >= 0 && end <= 10_000)
          for other in queued {
            let otherEnd = other.offset + RingLayout.headroom + other.bodyBytes
            #expect(end <= other.offset || otherEnd <= message.offset)
          }
          queued.append(message)
          time += 1
        } else {
          refusals += 1
        }
      } else if !queued.isEmpty {
        #expect(ring.first == queued.removeFirst())
        ring.removeFirst()
      }
      #expect(ring.count == queued.count)
      #expect(ring.bytes == queued.reduce(0) { $0 + $1.bodyBytes })
    }
    #expect(time > 5_000 && refusals > 100)
  }

  @Test func theNumberOfMessagesIsLimited() {
    var ring = RingLayout(capacity: 1 << 20)
    for index in 0..<RingLayout.maxMessages {
      #expect(ring.add(.audio, bodyBytes: 1, time: UInt32(index), offeredAt: .now()) != nil)
    }
    #expect(ring.add(.audio, bodyBytes: 1, time: 0, offeredAt: .now()) == nil)
    var gone = 0
    ring.removeAll(keepingFirst: 1) { _ in gone += 1 }
    #expect(gone == RingLayout.maxMessages - 1)
    #expect(ring.first?.time == 0)
  }
}

@Suite struct PublishQueueTests {
  private let time = VirtualClock()
  private var start: MediaTime { MediaTime(nanos: .seconds(1_000_000)) }

  private func queue(
    _ capacity: Int = 1 << 20, hasVideo: Bool = true, behindNanos: Int64 = .seconds(1_000_000)
  ) -> PublishQueue {
    let queue = PublishQueue(
      capacity: capacity, hasVideo: hasVideo, encoder: "OnAir", behindNanos: behindNanos,
      clock: time.clock)
    if hasVideo { queue.setVideo(Sample.video) }
    queue.setAudio(Sample.audio)
    return queue
  }

  @discardableResult private func offer(
    _ queue: PublishQueue, _ kind: PacketKind, _ milliseconds: Int64, bytes: Int = 10,
    scene: UInt32 = 0
  ) -> PublishQueue.Outcome {
    Piece(
      kind: kind, time: start + .milliseconds(milliseconds),
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: milliseconds), count: bytes)
    ).lent(scene: scene) { queue.offer($0) }
  }

  private func drain(_ queue: PublishQueue) -> [(MessageKind, UInt32, [UInt8])] {
    var messages: [(MessageKind, UInt32, [UInt8])] = []
    while let message = queue.next() {
      unsafe messages.append((message.kind, message.time, Array(queue.body(of: message))))
      queue.finished()
    }
    return messages
  }

  @Test func packetsAreDroppedWithoutAConnection() {
    let queue = queue()
    #expect(!queue.needsKeyframe && !queue.takesPackets)
    #expect(offer(queue, .keyframe, 0) == .passed)
    queue.begin()
    #expect(queue.needsKeyframe && queue.takesPackets)
    #expect(offer(queue, .frame, 0) == .passed)
    #expect(offer(queue, .audio, 0) == .passed)
    #expect(drain(queue).isEmpty)
    #expect(queue.figures.dropped == 0)
  }

  /// Sequence headers too: the age of the oldest message in flight tells how the link is.
  @Test func everyMessageTellsWhenItWasQueued() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    offer(queue, .audio, 10)
    var kinds: [MessageKind] = []
    while let message = queue.next() {
      #expect(message.offeredAt == time.now)
      kinds.append(message.kind)
      queue.finished()
    }
    #expect(kinds == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio])
  }

  @Test func aPublishStartsWithHeadersAndAKeyframeAtZero() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 100)
    #expect(!queue.needsKeyframe)
    offer(queue, .audio, 99)
    offer(queue, .audio, 101)
    offer(queue, .frame, 133)
    let messages = drain(queue)
    #expect(
      messages.map(\.0) == [.metadata, .videoHeader, .audioHeader, .keyframe, .audio, .frame])
    #expect(messages.map(\.1) == [0, 0, 0, 0, 1, 33])
    #expect(messages[1].2 == FLV.videoHeader(Sample.video.avcConfiguration))
    #expect(messages[3].2 == [0x17, 1, 0, 0, 0] + [UInt8](repeating: 100, count: 10))
    // A new connection starts in the same way.
    queue.end()
    #expect(!queue.takesPackets)
    #expect(offer(queue, .keyframe, 200) == .passed)
    queue.begin()
    offer(queue, .keyframe, 300)
    #expect(drain(queue).map(\.0) == [.metadata, .videoHeader, .audioHeader, .keyframe])
  }

  @Test func audioAlone() {
    let queue = queue(hasVideo: false)
    queue.begin()
    #expect(!queue.needsKeyframe)
    offer(queue, .audio, 50)
    offer(queue, .audio, 71)
    let messages = drain(queue)
    #expect(messages.map(\.0) == [.metadata, .audioHeader, .audio, .audio])
    #expect(messages.map(\.1) == [0, 0, 0, 21])
  }

  @Test func aNewVideoHeaderGoesJustBeforeItsKeyframe() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    var header = Sample.video
    header.size = PictureSize(width: 640, height: 360)
    header.avcConfiguration[3] = 0x1E
    queue.setVideo(header)
    offer(queue, .audio, 10)
    offer(queue, .keyframe, 33)
    offer(queue, .frame, 66)
    let messages = drain(queue).dropFirst(4)
    #expect(messages.map(\.0) == [.audio, .metadata, .videoHeader, .keyframe, .frame])
    #expect(messages.map(\.1) == [10, 33, 33, 33, 66])
    #expect(messages.dropFirst(2).first?.2 == FLV.videoHeader(header.avcConfiguration))
    let metadata = AMF0Reader.values((messages.dropFirst().first?.2 ?? [])[...])
    #expect(metadata.last?["width"] == .number(640))
  }

  /// A pause shows a still with fewer frames a second, and later live video again.
  @Test func metadataIsSentOnlyWhenItHasChanged() {
    let queue = queue()
    var still = Sample.video
    still.avcConfiguration[3] = 0x1E
    still.framesPerSecond = 10
    queue.begin()
    offer(queue, .keyframe, 0)
    for (header, time) in [(still, 33), (Sample.video, 66), (still, 100)] as [(VideoHeader, Int64)]
    {
      queue.setVideo(header)
      offer(queue, .keyframe, time)
    }
    #expect(
      drain(queue).map(\.0)
        == [
          .metadata, .videoHeader, .audioHeader, .keyframe, .videoHeader, .keyframe,
          .videoHeader, .keyframe, .videoHeader, .keyframe,
        ])
    // Another size is another metadata. What was dropped is sent later, and a new connection starts with it.
    still.size = PictureSize(width: 640, height: 360)
    queue.setVideo(still)
    offer(queue, .keyframe, 133)
    queue.cut(video: 1, audio: 0)
    offer(queue, .keyframe, 166, scene: 1)
    #expect(drain(queue).map(\.0) == [.metadata, .videoHeader, .keyframe])
    queue.begin()
    offer(queue, .keyframe, 200, scene: 1)
    #expect(drain(queue).map(\.0) == [.metadata, .videoHeader, .audioHeader, .keyframe])
  }

  @Test func aLateAudioHeader() {
    let queue = PublishQueue(capacity: 1 << 20, hasVideo: true, encoder: "OnAir")
    queue.setVideo(Sample.video)
    queue.begin()
    offer(queue, .keyframe, 0)
    #expect(offer(queue, .audio, 5) == .passed)
    queue.setAudio(Sample.audio)
    offer(queue, .audio, 20)
    #expect(
      drain(queue).map(\.0)
        == [.metadata, .videoHeader, .keyframe, .metadata, .audioHeader, .audio])
  }

  @Test func anOverflowDropsTheQueueAndVideoUpToTheNextKeyframe() {
    let queue = queue(100_000)
    queue.begin()
    offer(queue, .keyframe, 0, bytes: 1_000)
    let flying = queue.next()
    #expect(flying?.kind == .metadata)
    var time: Int64 = 0
    var outcome = PublishQueue.Outcome.passed
    repeat {
      time += 33
      outcome = offer(queue, .frame, time, bytes: 9_000)
    } while outcome == .queued(wake: false)
    #expect(outcome == .overflowed(wake: false))
    #expect(queue.needsKeyframe)
    let dropped = queue.figures.dropped
    // The keyframe, the frames after it, and the one that did not fit.
    #expect(dropped == UInt64(time / 33) + 1)
    #expect(queue.next() == flying, "what is being sent stays")
    queue.finished()
    #expect(offer(queue, .frame, time + 33) == .passed)
    #expect(queue.figures.dropped == dropped + 1)
    offer(queue, .audio, time + 34)
    offer(queue, .keyframe, time + 66)
    #expect(!queue.needsKeyframe)
    offer(queue, .frame, time + 99)
    let messages = drain(queue)
    // The headers were dropped too, except for the metadata, which was being sent.
    #expect(
      messages.map(\.0) == [.audioHeader, .audio, .videoHeader, .keyframe, .frame])
    #expect(messages.last?.1 == UInt32(time + 99), "the timeline is unbroken")
    #expect(queue.figures.overflows == 1)
  }

  // MARK: A link that falls behind

  private func pass(_ milliseconds: Int64) { time.advance(by: .milliseconds(milliseconds)) }

  private func offerNow(_ queue: PublishQueue, _ kind: PacketKind) -> PublishQueue.Outcome {
    Piece(kind: kind, time: time.now, bytes: [1, 2, 3]).lent { queue.offer($0) }
  }

  @Test func videoIsDroppedUntilTheQueueIsSent() {
    let queue = queue(behindNanos: .milliseconds(600))
    queue.begin()
    _ = offerNow(queue, .keyframe)
    _ = offerNow(queue, .frame)
    for _ in 0..<3 { _ = queue.next().map { _ in queue.finished() } }
    let flying = queue.next()
    #expect(flying?.kind == .keyframe)
    // 85 % of 600 ms are 510 ms.
    pass(520)
    #expect(offerNow(queue, .frame) == .passed)
    #expect(offerNow(queue, .audio) == .queued(wake: false))
    #expect(!queue.needsKeyframe, "there is no room for one yet")
    #expect(offerNow(queue, .keyframe) == .passed)
    #expect(queue.figures.dropped == 3)
    #expect(queue.figures.overflows == 1)
    #expect(queue.next() == flying, "what is being sent is sent to its end")
    queue.finished()
    #expect(drain(queue).map(\.0) == [.audio])
    #expect(queue.prepareToSleep())
    #expect(queue.needsKeyframe)
    #expect(offerNow(queue, .frame) == .passed, "it needs one that was left out")
    #expect(offerNow(queue, .keyframe) == .queued(wake: true))
    #expect(drain(queue).map(\.0) == [.keyframe])
  }

  @Test func packetsThatAreTooOldAreDropped() {
    let queue = queue(behindNanos: .milliseconds(200))
    queue.begin()
    _ = offerNow(queue, .keyframe)
    _ = offerNow(queue, .audio)
    pass(180)
    #expect(drain(queue).map(\.0) == [.metadata, .videoHeader, .audioHeader])
    #expect(queue.figures.dropped == 2)
    #expect(queue.prepareToSleep())
    #expect(queue.needsKeyframe)
  }

  /// At the given throughput. The next keyframe is requested only 300 ms later.
  @Test func packetsThatWouldArriveLateAreDropped() {
    let queue = queue(behindNanos: .seconds(2))
    queue.begin()
    _ = offerNow(queue, .keyframe)
    _ = offerNow(queue, .audio)
    // Metadata and sequence headers are never too late.
    for _ in 0..<3 {
      if queue.next(behind: .seconds(3), nanosPerByte: 1) != nil { queue.finished() }
    }
    #expect(queue.figures.dropped == 0)
    #expect(queue.next(behind: .seconds(3), nanosPerByte: 1) == nil)
    #expect(queue.figures.dropped == 2)
    #expect(queue.prepareToSleep())
    #expect(!queue.needsKeyframe)
    pass(320)
    #expect(queue.prepareToSleep())
    #expect(queue.needsKeyframe)
    _ = offerNow(queue, .keyframe)
    #expect(queue.next(behind: .seconds(1), nanosPerByte: 1)?.kind == .keyframe)
  }

  @Test func suspendingVideoDropsIt() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    offer(queue, .audio, 5)
    offer(queue, .frame, 33)
    queue.dropVideo(true)
    #expect(drain(queue).map(\.0) == [.metadata, .videoHeader, .audioHeader, .audio])
    #expect(queue.figures.dropped == 2)
    #expect(queue.figures.queuedBytes == 0)
    #expect(queue.prepareToSleep() && !queue.needsKeyframe)
    #expect(offer(queue, .keyframe, 66) == .passed)
    queue.dropVideo(false)
    #expect(queue.prepareToSleep() && queue.needsKeyframe)
  }

  /// On a busy machine audio starts after video. It ends as much later, so that both are equally long.
  @Test func audioThatStartsLateEndsLate() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    offer(queue, .audio, 126)
    #expect(queue.endVideo(at: start + .milliseconds(1_000)) == .milliseconds(126))
    #expect(offer(queue, .audio, 1_115) == .queued(wake: false))
    #expect(offer(queue, .audio, 1_137) == .passed)
  }

  // MARK: Privacy

  @Test func aCutDropsTheQueue() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    for _ in 0..<3 { _ = queue.next().map { _ in queue.finished() } }
    let flying = queue.next()
    #expect(flying?.kind == .keyframe)
    offer(queue, .frame, 33)
    offer(queue, .audio, 34)
    queue.cut(video: 1, audio: 1)
    #expect(queue.needsKeyframe)
    #expect(queue.next() == flying, "what is being sent is sent to its end")
    queue.finished()
    #expect(queue.next() == nil)
    // Packets of the old scene that were being encoded during the cut.
    #expect(offer(queue, .frame, 66) == .passed)
    #expect(offer(queue, .keyframe, 66) == .passed)
    #expect(offer(queue, .audio, 66) == .passed)
    #expect(offer(queue, .keyframe, 70, scene: 1) == .queued(wake: false))
    #expect(offer(queue, .audio, 70, scene: 1) == .queued(wake: false))
    let messages = drain(queue)
    #expect(messages.map(\.0) == [.keyframe, .audio])
    #expect(messages.map(\.1) == [70, 70], "the timeline is unbroken")
  }

  /// A pause while the link is far behind: the still's keyframe is queued all the same.
  @Test func theFirstKeyframeOfASceneIsNeverDropped() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    queue.dropVideo(true)
    #expect(offer(queue, .keyframe, 33) == .passed)
    queue.cut(video: 1, audio: 1)
    #expect(queue.needsKeyframe)
    #expect(offer(queue, .keyframe, 66) == .passed, "of the scene before")
    #expect(offer(queue, .keyframe, 70, scene: 1) == .queued(wake: false))
    #expect(
      offer(queue, .frame, 270, scene: 1) == .queued(wake: false), "nothing says it is late")
    queue.dropVideo(true)
    #expect(offer(queue, .frame, 470, scene: 1) == .passed)
    let messages = drain(queue)
    #expect(messages.map(\.0) == [.metadata, .videoHeader, .audioHeader, .keyframe])
    #expect(messages.map(\.1).last == 70)
  }

  /// Otherwise every frame would be encoded as a keyframe, and then dropped.
  @Test func aCutOfAudioRequestsNoKeyframeWhileVideoIsDropped() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    queue.dropVideo(true)
    offer(queue, .audio, 5)
    queue.cut(video: 0, audio: 1)
    #expect(!queue.needsKeyframe)
    queue.dropVideo(false)
    #expect(queue.prepareToSleep())
    #expect(queue.needsKeyframe)
  }

  @Test func aCutOfAudioAloneNeedsNoKeyframe() {
    let queue = queue()
    queue.begin()
    offer(queue, .keyframe, 0)
    #expect(drain(queue).count == 4)
    offer(queue, .frame, 33)
    queue.cut(video: 0, audio: 1)
    #expect(!queue.needsKeyframe)
    #expect(offer(queue, .audio, 34) == .passed)
    #expect(offer(queue, .audio, 34, scene: 1) == .queued(wake: false))
    #expect(drain(queue).map(\.0) == [.frame, .audio])
    // Audio of the old scene is still queued, and video with it: the whole queue is dropped.
    offer(queue, .frame, 66)
    offer(queue, .audio, 67, scene: 1)
    queue.cut(video: 0, audio: 2)
    #expect(queue.needsKeyframe)
    #expect(drain(queue).isEmpty)
  }

  /// A pause that began before the connection still holds afterwards.
  @Test func aCutOutlastsTheConnection() {
    let queue = queue()
    queue.cut(video: 3, audio: 3)
    queue.begin()
    #expect(offer(queue, .keyframe, 0, scene: 2) == .passed)
    #expect(offer(queue, .keyframe, 1, scene: 3) == .queued(wake: false))
    queue.end()
    queue.begin()
    #expect(offer(queue, .keyframe, 2, scene: 2) == .passed)
    queue.cut(video: 1, audio: 1)
    #expect(offer(queue, .keyframe, 3, scene: 2) == .passed, "there is no way back")
  }

  /// Two encoders, a sender and a cut, all at the same time.
  @Test func nothingOfAnEarlierSceneComesAfterACut() {
    let queue = queue(1 << 16)
    queue.begin()
    let scene = Atomic<UInt32>(0)
    let done = Atomic(false)
    let leaks = Atomic(0)
    let taken = Atomic(0)
    let start = start
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
            guard let message = queue.next() else { continue }
            let first = unsafe queue.body(of: message).last
            queue.finished()
            guard message.kind == .keyframe || message.kind == .audio else { continue }
            taken.add(1, ordering: .relaxed)
            // Taken after the cut to `current` had returned.
            if let first, Int8(bitPattern: first &- UInt8(current & 0xFF)) < 0 {
              leaks.add(1, ordering: .relaxed)
            }
          }
        }
      ]
    for number in 1...2_000 as ClosedRange<UInt32> {
      queue.cut(video: number, audio: number)
      scene.store(number, ordering: .sequentiallyConsistent)
      (MediaTime.now() + 100_000).sleepUntil()
    }
    done.store(true, ordering: .relaxed)
    for thread in threads { #expect(thread.join(until: .now() + .seconds(10))) }
    #expect(leaks.load(ordering: .relaxed) == 0)
    #expect(taken.load(ordering: .relaxed) > 1_000)
  }

  @Test func aKeyframeThatOverflowsTheQueueIsKept() {
    let queue = queue(100_000)
    queue.begin()
    offer(queue, .keyframe, 0, bytes: 60_000)
    #expect(offer(queue, .keyframe, 33, bytes: 60_000) == .overflowed(wake: false))
    #expect(
      drain(queue).map(\.0) == [.metadata, .videoHeader, .audioHeader, .keyframe])
    #expect(offer(queue, .keyframe, 66, bytes: 200_000) == .overflowed(wake: false))
    #expect(queue.needsKeyframe, "too large for the ring altogether")
  }

  @Test func aSleepingSenderIsWokenOnce() {
    let queue = queue()
    queue.begin()
    #expect(queue.prepareToSleep())
    #expect(offer(queue, .keyframe, 0) == .queued(wake: true))
    #expect(offer(queue, .frame, 33) == .queued(wake: false))
    #expect(!queue.prepareToSleep())
  }
}
