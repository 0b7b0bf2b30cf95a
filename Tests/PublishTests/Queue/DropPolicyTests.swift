// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Testing

@testable import Publish

/// The policy alone: what happens, line by line, and what it decides. 85 % of 1 s are 850 ms.
@Suite struct DropPolicyTests {
  private static let start = MediaTime(nanos: .seconds(1_000))

  /// A policy and the time in milliseconds.
  private struct Course {
    var policy: DropPolicy
    /// The oldest packet in the queue: when it was captured and queued.
    var oldest: QueuedPacket?

    init(hasVideo: Bool = true) {
      policy = DropPolicy(hasVideo: hasVideo, behindNanos: .seconds(1))
      policy.begin()
    }

    mutating func offer(_ kind: PacketKind, at time: Int64, scene: UInt32 = 0)
      -> DropPolicy.OfferDecision
    {
      let now = start + .milliseconds(time)
      let offer = policy.offer(kind, scene: scene, oldest: oldest, now: now)
      guard case .queue(let isFirst) = offer else { return offer }
      policy.queued(kind)
      if oldest == nil {
        oldest = QueuedPacket(kind: kind, time: now, offeredAt: now, isFirstOfScene: isFirst)
      }
      return offer
    }

    mutating func send(
      _ kind: PacketKind, of time: Int64, at now: Int64, bytes: Int = 0, behind: Int64 = 0,
      nanosPerByte: Int64 = 0, isFirstOfScene: Bool = false
    ) -> DropPolicy.SendDecision {
      let packet = QueuedPacket(
        kind: kind, bytes: bytes, time: start + .milliseconds(time),
        offeredAt: start + .milliseconds(time), isFirstOfScene: isFirstOfScene)
      return policy.send(
        packet, behind: .milliseconds(behind), nanosPerByte: nanosPerByte,
        now: start + .milliseconds(now))
    }

    mutating func drain(at time: Int64) {
      oldest = nil
      policy.drained(now: start + .milliseconds(time))
    }
  }

  private static let queue = DropPolicy.OfferDecision.queue(isFirstOfScene: false)
  private static let queueFirst = DropPolicy.OfferDecision.queue(isFirstOfScene: true)

  @Test func aStreamStartsWithAKeyframe() {
    var course = Course()
    #expect(course.policy.requestsKeyframe)
    #expect(course.offer(.audio, at: 0) == .ignore)
    #expect(course.offer(.frame, at: 1) == .ignore)
    #expect(course.offer(.keyframe, at: 2) == Self.queueFirst)
    #expect(!course.policy.requestsKeyframe)
    #expect(course.offer(.audio, at: 3) == Self.queue)
    #expect(course.offer(.frame, at: 4) == Self.queue)
    course = Course(hasVideo: false)
    #expect(!course.policy.requestsKeyframe)
    #expect(course.offer(.audio, at: 0) == Self.queue)
  }

  @Test func aQueueThatIsTooOldHoldsVideoUntilItIsSent() {
    var course = Course()
    #expect(course.offer(.keyframe, at: 0) == Self.queueFirst)
    #expect(course.offer(.frame, at: 850) == Self.queue, "as old as may be")
    #expect(course.offer(.frame, at: 851) == .dropWithQueuedVideo)
    #expect(course.offer(.audio, at: 852) == Self.queue, "audio goes on")
    #expect(course.offer(.keyframe, at: 853) == .drop)
    #expect(!course.policy.requestsKeyframe, "it would be dropped as well")
    #expect(course.policy.overflows == 1)
    course.drain(at: 900)
    #expect(course.policy.requestsKeyframe)
    #expect(course.offer(.frame, at: 901) == .drop, "it needs one that was dropped")
    #expect(course.offer(.keyframe, at: 902) == Self.queue)
    #expect(course.offer(.frame, at: 903) == Self.queue)
  }

  /// What waits need not be nothing, but little.
  @Test func heldVideoGoesOnWhenTheQueueIsFresh() {
    for (age, offer) in [(151, DropPolicy.OfferDecision.drop), (150, Self.queue)]
      as [(Int64, DropPolicy.OfferDecision)]
    {
      var course = Course()
      _ = course.offer(.keyframe, at: 0)
      #expect(course.offer(.frame, at: 900) == .dropWithQueuedVideo)
      course.oldest = nil
      _ = course.offer(.audio, at: 1_000)
      #expect(course.offer(.keyframe, at: 1_000 + age) == offer)
    }
  }

  @Test(
    arguments: [
      // Age, bytes, and time until the link has carried what is in flight, at 1 ms a byte: whether it is sent.
      (850, 0, 0, true), (851, 0, 0, false), (0, 1_000, 0, true), (1, 1_000, 0, false),
      (0, 500, 500, true), (0, 500, 501, false), (700, 100, 200, true), (700, 200, 200, false),
    ] as [(Int64, Int, Int64, Bool)])
  func whatWouldArriveTooLateIsNotSent(_ age: Int64, _ bytes: Int, _ behind: Int64, _ isSent: Bool)
  {
    for kind in [PacketKind.keyframe, .frame, .audio] {
      var course = Course()
      _ = course.offer(.keyframe, at: 0)
      let verdict = course.send(
        kind, of: 0, at: age, bytes: bytes, behind: behind, nanosPerByte: 1_000_000)
      #expect(verdict == (isSent ? .send : kind == .audio ? .drop : .dropWithQueuedVideo))
      // Nor is another keyframe requested soon after one that was too large.
      course.drain(at: age)
      #expect(
        course.policy.requestsKeyframe
          == (!isSent && (kind == .frame || kind == .keyframe && bytes == 0 && behind == 0)))
      course.drain(at: age + 299)
      #expect(
        course.policy.requestsKeyframe
          == (!isSent && kind != .audio && !(kind == .keyframe && bytes + Int(behind) > 0)))
      course.drain(at: age + 300)
      #expect(course.policy.requestsKeyframe == (!isSent && kind != .audio))
    }
  }

  @Test func suspendedVideoIsHeldUntilItIsResumed() {
    var course = Course()
    _ = course.offer(.keyframe, at: 0)
    let suspends = course.policy.suspendVideo(true)
    let again = course.policy.suspendVideo(true)
    #expect(suspends && !again)
    course.drain(at: 10)
    #expect(course.offer(.keyframe, at: 11) == .drop && !course.policy.requestsKeyframe)
    #expect(course.offer(.audio, at: 12) == Self.queue)
    let resumes = course.policy.suspendVideo(false)
    #expect(!resumes, "nothing is dropped for that")
    course.drain(at: 20)
    #expect(course.policy.requestsKeyframe && course.policy.overflows == 1)
    #expect(course.offer(.keyframe, at: 21) == Self.queue)
    // Without video there is none to suspend.
    course = Course(hasVideo: false)
    let audioOnly = course.policy.suspendVideo(true)
    #expect(!audioOnly && course.policy.hold == nil)
  }

  @Test func aSceneBeginsWithAKeyframeWhateverTheLink() {
    var course = Course()
    _ = course.offer(.keyframe, at: 0)
    _ = course.policy.suspendVideo(true)
    let cuts = course.policy.cut(video: 2, audio: 1)
    #expect(cuts == (true, true))
    #expect(course.policy.requestsKeyframe)
    for kind in [PacketKind.keyframe, .frame] {
      #expect(course.offer(kind, at: 1, scene: 1) == .ignore, "of an earlier scene")
    }
    #expect(course.offer(.audio, at: 2) == .ignore)
    #expect(course.offer(.audio, at: 3, scene: 1) == Self.queue)
    // The link is far behind by now.
    #expect(course.offer(.frame, at: 900, scene: 2) == .dropWithQueuedVideo)
    #expect(course.policy.requestsKeyframe, "the scene's first is queued all the same")
    #expect(course.offer(.keyframe, at: 901, scene: 2) == .queue(isFirstOfScene: true))
    #expect(course.offer(.keyframe, at: 902, scene: 2) == .drop)
    #expect(course.send(.keyframe, of: 901, at: 9_000, isFirstOfScene: true) == .send)
    // A number that is not higher changes nothing, and scenes outlast the connection.
    let back = course.policy.cut(video: 1, audio: 1)
    #expect(back == (false, false))
    course.policy.begin()
    #expect(course.offer(.keyframe, at: 10_000, scene: 1) == .ignore)
    #expect(course.offer(.keyframe, at: 10_001, scene: 2) == Self.queueFirst)
  }

  @Test func afterAnOverflowVideoNeedsAKeyframe() {
    for hasVideo in [true, false] {
      var course = Course(hasVideo: hasVideo)
      _ = course.offer(hasVideo ? .keyframe : .audio, at: 0)
      course.policy.overflow()
      #expect(course.policy.requestsKeyframe == hasVideo && course.policy.overflows == 1)
    }
  }

  /// Audio alone that is too old is an overflow, too.
  @Test func lateAudioWithoutVideo() {
    var course = Course(hasVideo: false)
    _ = course.offer(.audio, at: 0)
    #expect(course.send(.audio, of: 0, at: 900) == .drop)
    #expect(course.policy.overflows == 1 && course.policy.hold == nil)
  }
}
