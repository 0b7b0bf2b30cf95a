// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Publish

/// Sequences of failures over hours, with the time passed in.
@Suite struct RetryScheduleTests {
  /// A destination whose attempts fail at once.
  private struct Course {
    var schedule = RetrySchedule(RTMPDeadlines())
    var now = MediaTime(nanos: 0)
    var chance = 0.0

    /// - Returns: the pause in seconds.
    mutating func fail(_ cause: DestinationCause, published: Int64? = nil) -> Double {
      return Double(judge(cause, published: published).retry.pauseNanos) / 1e9
    }

    mutating func judge(_ cause: DestinationCause, published: Int64? = nil) -> FailureVerdict {
      now = now + (published ?? 0)
      let verdict = schedule.next(after: cause, published: published, now: now, chance: chance)
      now = now + verdict.retry.pauseNanos
      return verdict
    }

    mutating func fail(_ cause: DestinationCause, times: Int, published: Int64? = nil) -> [Double] {
      (0..<times).map { _ in fail(cause, published: published) }
    }
  }

  private static let minute = Int64.seconds(60)

  @Test func networkFailuresAreRetriedAtRegularIntervals() {
    var course = Course()
    for cause in [
      DestinationCause.noRoute, .connectionRefused, .timedOut(.connect), .nameServerUnreachable,
      .closedByServer(.handshake),
    ] {
      #expect(course.fail(cause, times: 500).allSatisfy { $0 == 2 })
    }
  }

  @Test func pausesAfterRefusalsGrowToAMinute() {
    for cause in [
      DestinationCause.refused(.notAllowed), .refused(.streamInUse), .serverMisbehaved,
      .closedByServer(.publishReply),
    ] {
      var course = Course()
      #expect(course.fail(cause, times: 8) == [2, 4, 8, 16, 32, 60, 60, 60])
      #expect(course.fail(cause, times: 10_000).allSatisfy { $0 == 60 })
    }
  }

  /// A new address may name the same stream, which the server still holds for the old connection.
  @Test func streamInUseAfterAChangeOfTheAddress() {
    var course = Course(schedule: RetrySchedule(RTMPDeadlines(), mayBeHeld: true))
    #expect(course.fail(.refused(.streamInUse), times: 5) == [2, 2, 2, 2, 2])
    // Other refusals grow as usual.
    #expect(course.fail(.refused(.notAllowed), times: 2) == [2, 4])
  }

  @Test func pausesGrowWhenTheServerTakesAndDropsTheStream() {
    for cause in [DestinationCause.closedByServer(.send), .endedByServer] {
      var course = Course()
      #expect(course.fail(cause, times: 4, published: .seconds(1)) == [2, 4, 8, 16])
      // A failure of the network in between changes nothing.
      #expect(course.fail(.noRoute) == 2)
      #expect(course.fail(cause, published: .seconds(29)) == 32)
      // A publish of more than 30 s resets the pauses.
      let isCut = cause == .closedByServer(.send)
      #expect(course.fail(cause, published: .seconds(31)) == (isCut ? 0 : 2))
      #expect(course.fail(cause, published: .seconds(1)) == 2)
      #expect(course.fail(cause, published: .seconds(1)) == 4)
    }
  }

  /// The cable was pulled, and the server has not noticed it.
  @Test func streamInUseByTheOwnDeadConnection() {
    var course = Course()
    #expect(course.fail(.timedOut(.send), published: RetryScheduleTests.minute) == 0)
    #expect(course.fail(.noRoute, times: 100).allSatisfy { $0 == 2 })
    #expect(course.fail(.refused(.streamInUse), times: 15).allSatisfy { $0 == 2 })
    // After half a minute it must be another publisher.
    #expect(course.fail(.refused(.streamInUse), times: 4) == [2, 4, 8, 16])
    // Other refusals do not depend on the dead connection.
    course = Course()
    #expect(course.fail(.closedByServer(.send), published: RetryScheduleTests.minute) == 0)
    #expect(course.fail(.refused(.notAllowed), times: 3) == [2, 4, 8])
  }

  /// Wrong key, refused by a hook, or busy, at servers that take the stream first.
  @Test func closesSoonAfterStart() {
    var course = Course()
    let short = Int64.milliseconds(50)
    let first = course.judge(.closedByServer(.send), published: short)
    #expect(first.cause == .closedByServer(.send) && !first.needsPerson)
    #expect(first.retry.pauseNanos == .seconds(2))
    // A failure of the network in between changes nothing.
    #expect(course.judge(.noRoute).cause == .noRoute)
    for pause in [4, 8, 16] as [Int64] {
      let verdict = course.judge(.closedByServer(.send), published: short)
      #expect(verdict.cause == .closedAfterStart && verdict.needsPerson)
      #expect(verdict.retry == DestinationRetry(pauseNanos: .seconds(pause), isGrowing: true))
    }
    // A publish of a second shows that the server does take the stream.
    #expect(
      course.judge(.closedByServer(.send), published: .seconds(1)).cause == .closedByServer(.send))
    #expect(course.judge(.closedByServer(.send), published: short).cause == .closedByServer(.send))
    // So does another refusal: the two are not in a row.
    #expect(course.judge(.refused(.other)).needsPerson)
    #expect(course.judge(.closedByServer(.send), published: short).cause == .closedByServer(.send))
  }

  /// After a loss the server may close new connections because it still holds the lost one.
  @Test func closesSoonAfterStartBecauseOfTheOwnDeadConnection() {
    var course = Course()
    #expect(course.fail(.timedOut(.send), published: RetryScheduleTests.minute) == 0)
    let lostAt = course.now
    while true {
      let verdict = course.judge(.closedByServer(.send), published: .milliseconds(50))
      guard !verdict.needsPerson else { break }
      #expect(verdict.retry == DestinationRetry(pauseNanos: .seconds(2), isGrowing: false))
    }
    #expect(course.now - lostAt - .seconds(2) >= .seconds(30))
    #expect(course.now - lostAt < .seconds(35))
  }

  /// Also after a start: the box may have lost its power, and the server may not have noticed.
  @Test(arguments: [-1, 0, 1] as [Double]) func streamInUseForHalfAMinuteIsSomebodyElse(
    chance: Double
  ) {
    var course = Course(chance: chance)
    let start = course.now
    var verdict = course.judge(.refused(.streamInUse))
    while !verdict.needsPerson {
      #expect(course.now - start <= .seconds(30), "an attempt follows in time")
      verdict = course.judge(.refused(.streamInUse))
    }
    #expect(course.now - start - verdict.retry.pauseNanos == .seconds(30))
  }

  @Test func pausesAreRandomised() {
    var early = Course()
    early.chance = -1
    var late = Course()
    late.chance = 1
    #expect(early.fail(.refused(.other), times: 3) == [1.6, 3.2, 6.4])
    #expect(late.fail(.refused(.other), times: 6) == [2.4, 4.8, 9.6, 19.2, 38.4, 48])
  }

  /// Two boxes with the same key, and a server that replaces the older publisher.
  @Test func twoBoxesDoNotReplaceEachOtherForEver() {
    var generator = Noise(seed: 5)
    var schedules = [RetrySchedule(RTMPDeadlines()), RetrySchedule(RTMPDeadlines())]
    var due: [MediaTime?] = [MediaTime(nanos: 0), MediaTime(nanos: 1)]
    var since: [MediaTime] = [MediaTime(nanos: 0), MediaTime(nanos: 0)]
    var takeovers: [MediaTime] = []
    let hour = MediaTime(nanos: .seconds(3_600))
    while true {
      // One box publishes, and the other one is disconnected.
      let next = due.indices.filter { due[$0] != nil }.min { due[$0] ?? hour < due[$1] ?? hour }
      guard let box = next, let now = due[box], now < hour else { break }
      due[box] = nil
      since[box] = now
      takeovers.append(now)
      let other = 1 - box
      if due[other] == nil {
        let verdict = schedules[other].next(
          after: .endedByServer, published: now - since[other], now: now,
          chance: .random(in: -1...1, using: &generator))
        due[other] = now + verdict.retry.pauseNanos
      }
    }
    let inLastHalf = takeovers.filter { $0 > MediaTime(nanos: .seconds(1_800)) }.count
    #expect(inLastHalf <= 2 * 1_800 / 30, "two a minute for each at most, \(inLastHalf)")
  }
}
