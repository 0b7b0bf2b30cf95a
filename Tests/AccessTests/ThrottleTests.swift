// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Access

struct ThrottleTests {
  private let time = VirtualClock()

  private func remote(_ text: String) -> Caller { .remote(address(text), isForwarded: false) }

  private func advance(seconds: Int64) { time.advance(by: .seconds(seconds)) }

  /// Makes attempts as early as possible. The pauses before each.
  private func pauses(
    _ count: Int, of caller: Caller, in throttle: inout LoginThrottle
  ) -> [Int] {
    (0..<count).map { _ in
      var paused = 0
      while let wait = throttle.beginAttempt(caller, at: time.now) {
        paused += wait
        advance(seconds: Int64(wait))
      }
      return paused
    }
  }

  @Test func thePausesGrowToAMinute() {
    var throttle = LoginThrottle()
    #expect(
      pauses(15, of: stranger, in: &throttle) == [
        0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60,
      ])
  }

  @Test func anEarlyAttemptIsToldHowLongToWait() {
    var throttle = LoginThrottle()
    _ = pauses(8, of: stranger, in: &throttle)
    // The ninth has to wait for 8 s.
    #expect(throttle.beginAttempt(stranger, at: time.now) == 8)
    time.advance(by: .milliseconds(500))
    #expect(throttle.beginAttempt(stranger, at: time.now) == 8)
    advance(seconds: 7)
    #expect(throttle.beginAttempt(stranger, at: time.now) == 1)
    time.advance(by: .milliseconds(500))
    #expect(throttle.beginAttempt(stranger, at: time.now) == nil)
  }

  @Test func manyAtOnceAreNoShortCut() {
    var throttle = LoginThrottle()
    let answers = (0..<20).map { _ in throttle.beginAttempt(stranger, at: time.now) }
    #expect(answers == Array(repeating: nil, count: 5) + Array(repeating: 1, count: 15))
  }

  @Test func aQuarterOfAnHourForgives() {
    var throttle = LoginThrottle()
    _ = pauses(20, of: stranger, in: &throttle)
    advance(seconds: 899)
    _ = pauses(1, of: stranger, in: &throttle)
    #expect(throttle.beginAttempt(stranger, at: time.now) == 60)
    advance(seconds: 900)
    #expect(pauses(6, of: stranger, in: &throttle) == [0, 0, 0, 0, 0, 1])
  }

  @Test func aRightPasswordForgives() {
    var throttle = LoginThrottle()
    _ = pauses(9, of: stranger, in: &throttle)
    throttle.forgive(stranger)
    #expect(throttle.count == 0)
    #expect(pauses(6, of: stranger, in: &throttle) == [0, 0, 0, 0, 0, 1])
  }

  @Test func rightPasswordsUseNothingUp() {
    var throttle = LoginThrottle()
    for _ in 0..<100 {
      #expect(throttle.beginAttempt(stranger, at: time.now) == nil)
      throttle.forgive(stranger)
    }
  }

  @Test func anAttemptThatWasNotExaminedDoesNotCount() {
    var throttle = LoginThrottle()
    for _ in 0..<100 {
      #expect(throttle.beginAttempt(stranger, at: time.now) == nil)
      throttle.refund(stranger)
    }
    #expect(throttle.count == 0)
  }

  @Test func oneClientDoesNotMakeAnotherWait() {
    var throttle = LoginThrottle()
    _ = pauses(9, of: stranger, in: &throttle)
    #expect(throttle.beginAttempt(stranger, at: time.now) != nil)
    #expect(throttle.beginAttempt(remote("203.0.113.8"), at: time.now) == nil)
    // The owner is none.
    #expect(throttle.beginAttempt(.owner, at: time.now) == nil)
    #expect(throttle.count == 2)
  }

  @Test func anIPv6NetworkIsOneClient() {
    var throttle = LoginThrottle()
    for host in 0..<5 {
      #expect(throttle.beginAttempt(remote("2001:db8::\(host)"), at: time.now) == nil)
    }
    #expect(throttle.beginAttempt(remote("2001:db8::1:2:3:4"), at: time.now) == 1)
    #expect(throttle.beginAttempt(remote("2001:db8:0:1::1"), at: time.now) == nil)
  }

  /// Of a network that the box itself is in, one host does not make another wait.
  @Test func aNeighbourInTheSameIPv6NetworkIsAnotherClient() {
    var throttle = LoginThrottle()
    throttle.networks = [address("2001:db8::9").network]
    for (guessing, other) in [("2001:db8::1", "2001:db8::2"), ("fe80::1", "fe80::2")] {
      _ = pauses(6, of: remote(guessing), in: &throttle)
      #expect(throttle.beginAttempt(remote(guessing), at: time.now) != nil)
      #expect(throttle.beginAttempt(remote(other), at: time.now) == nil)
    }
  }

  /// Whoever has many addresses, also the owner's own, keeps no browser out in which the owner has logged in before.
  @Test func aKnownDeviceIsNeverKeptOutByOthers() {
    let device = Digest(of: "device")
    for isNear in [false, true] {
      var throttle = LoginThrottle()
      func attacker(_ number: Int) -> Caller {
        remote(isNear ? "192.168.1.\(number % 250)" : "198.51.\(number / 256).\(number % 256)")
      }
      let owner = attacker(7)
      for second in 0..<1_000 {
        for number in 0..<3 {
          _ = throttle.beginAttempt(attacker(second * 3 + number), at: time.now)
        }
        advance(seconds: 1)
        guard second % 100 == 99 else { continue }
        #expect(throttle.beginAttempt(owner, device: device, at: time.now) == nil)
        throttle.forgive(owner, device: device)
      }
      // It gets no more attempts than others have.
      let answers = (0..<20).map { _ in throttle.beginAttempt(owner, device: device, at: time.now) }
      #expect(answers == Array(repeating: nil, count: 5) + Array(repeating: 1, count: 15))
      throttle.refund(owner, device: device)
      #expect(throttle.beginAttempt(owner, device: device, at: time.now) == nil)
    }
  }

  @Test func manyAddressesShareOneBudget() {
    var throttle = LoginThrottle()
    for host in 0..<60 {
      #expect(throttle.beginAttempt(remote("198.51.100.\(host)"), at: time.now) == nil)
    }
    #expect(throttle.beginAttempt(remote("198.51.100.200"), at: time.now) == 5)
    // A refused attempt costs nothing.
    #expect(throttle.count == 60)
    // Who has a session, and the local network, are not refused.
    #expect(throttle.beginAttempt(remote("198.51.100.201"), isKnown: true, at: time.now) == nil)
    #expect(throttle.beginAttempt(neighbour, at: time.now) == nil)
    advance(seconds: 5)
    #expect(throttle.beginAttempt(remote("198.51.100.200"), at: time.now) == nil)
    #expect(throttle.beginAttempt(remote("198.51.100.202"), at: time.now) == 5)
    // Over a day, there are 17,280 more.
    var admitted = 0
    for second in 0..<86_400 {
      advance(seconds: 1)
      let caller = remote(
        "2001:db8:\(String(second / 65_536, radix: 16)):\(String(second % 65_536, radix: 16))::1")
      if throttle.beginAttempt(caller, at: time.now) == nil { admitted += 1 }
    }
    #expect(admitted == 17_280)
  }

  /// A few devices that go on guessing do not keep the owner's out.
  @Test func guessingNeighboursLeaveRoomForOthers() {
    var throttle = LoginThrottle()
    for _ in 0..<10 {
      for host in 1...14 {
        while throttle.beginAttempt(remote("10.0.0.\(host)"), at: time.now) == nil {}
      }
      advance(seconds: 60)
    }
    #expect(throttle.beginAttempt(remote("10.0.0.200"), at: time.now) == nil)
    throttle.forgive(remote("10.0.0.200"))
    #expect(throttle.beginAttempt(remote("10.0.0.200"), at: time.now) == nil)
  }

  @Test func aProxyIsNotTheLocalNetwork() {
    var throttle = LoginThrottle()
    for host in 0..<60 {
      _ = throttle.beginAttempt(remote("198.51.100.\(host)"), at: time.now)
    }
    #expect(
      throttle.beginAttempt(.remote(address("127.0.0.1"), isForwarded: true), at: time.now) == 5)
  }

  @Test func whoHasManyAddressesKeepsItsPauses() {
    var throttle = LoginThrottle()
    _ = pauses(12, of: stranger, in: &throttle)
    // Known clients, so that the budget does not end the flood.
    for index in 0..<3_000 {
      let caller = remote("10.0.\(index / 256).\(index % 256)")
      #expect(throttle.beginAttempt(caller, isKnown: true, at: time.now) == nil)
      time.advance(by: .milliseconds(1))
    }
    #expect(throttle.count == LoginThrottle.maxClients)
    #expect((throttle.beginAttempt(stranger, at: time.now) ?? 0) > 50)
    // The newest of the flood are still there, the oldest are not.
    for _ in 0..<4 {
      #expect(throttle.beginAttempt(remote("10.0.11.183"), isKnown: true, at: time.now) == nil)
    }
    #expect(throttle.beginAttempt(remote("10.0.11.183"), isKnown: true, at: time.now) == 1)
    // What is forgiven goes first.
    advance(seconds: 900)
    #expect(throttle.beginAttempt(stranger, at: time.now) == nil)
    #expect(throttle.beginAttempt(remote("10.1.0.0"), isKnown: true, at: time.now) == nil)
    #expect(throttle.count == 2)
  }

  @Test func manyWrongAttemptsAreReportedOnceInTenMinutes() {
    var wrong = WrongAttempts()
    // One a minute and more is many; a slip of the hand now and then is not.
    for _ in 0..<50 {
      #expect(wrong.add(at: time.now) == nil)
      advance(seconds: 70)
    }
    advance(seconds: 600)
    for _ in 0..<9 { #expect(wrong.add(at: time.now) == nil) }
    #expect(wrong.add(at: time.now) == 10)
    // What comes in the next ten minutes is told after them.
    for _ in 0..<599 {
      advance(seconds: 1)
      #expect(wrong.add(at: time.now) == nil)
    }
    advance(seconds: 1)
    #expect(wrong.add(at: time.now) == 600)
    #expect(wrong.add(at: time.now) == nil)
  }
}
