// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@testable import Control

/// Who stays connected when the places are taken.
@Suite struct PlacesTests {
  private let time = VirtualClock()

  private func enter(_ places: inout Places) -> (number: Int, leaves: Int?) {
    time.advance(by: .seconds(1))
    return places.enter(now: time.now)
  }

  @Test func newClientsTakeThePlaceOfTheOneThatIsIdleForLongest() {
    var places = Places(most: 4, reserved: 1)
    let first = enter(&places).number
    let second = enter(&places).number
    let third = enter(&places).number
    time.advance(by: .seconds(1))
    places.begin(first, now: time.now)
    places.end(first, now: time.now)
    #expect(enter(&places).leaves == second)
    #expect(enter(&places).leaves == third)
    #expect(enter(&places).leaves == first)
    #expect(places.count == 3)
  }

  @Test func aRequestThatIsBeingAnsweredIsTheLastToGo() {
    var places = Places(most: 3, reserved: 0)
    let busy = enter(&places).number
    places.begin(busy, now: time.now)
    let idle = enter(&places).number
    _ = enter(&places)
    #expect(enter(&places).leaves == idle)
    places.begin(3, now: time.now)
    places.begin(4, now: time.now)
    #expect(enter(&places).leaves == busy)
  }

  @Test func clientsThatAreLoggedInKeepTheirPlaces() {
    var places = Places(most: 4, reserved: 2)
    let known = (1...2).map { _ in
      let number = enter(&places).number
      places.know(number)
      return number
    }
    for _ in 1...500 {
      let (_, leaves) = enter(&places)
      #expect(leaves.map { !known.contains($0) } ?? true)
    }
    #expect(places.count == 4)
  }

  @Test func someoneWhoLogsInUnderAttackGetsAPlace() {
    var places = Places(most: 8, reserved: 4)
    for _ in 1...100 { _ = enter(&places) }
    let (person, _) = enter(&places)
    places.begin(person, now: time.now)
    places.know(person)
    for _ in 1...100 { #expect(enter(&places).leaves != person) }
  }

  @Test func ifAllAreLoggedInAndBusyTheNewOneGoes() {
    var places = Places(most: 2, reserved: 1)
    for _ in 1...2 {
      let number = enter(&places).number
      places.know(number)
      places.begin(number, now: time.now)
    }
    let (number, leaves) = enter(&places)
    #expect(leaves == number)
    places.leave(1)
    #expect(enter(&places).leaves == nil)
  }
}

/// A script in a loop does not fill the disk and the log.
@Suite struct ChangeBudgetTests {
  @Test func twentyAtOnceThenFiveASecond() {
    let time = VirtualClock()
    let budget = ChangeBudget(clock: time.clock)
    #expect((1...100).count { _ in budget.take("script") } == 20)
    time.advance(by: .milliseconds(999))
    #expect((1...100).count { _ in budget.take("script") } == 4)
    #expect((1...100).count { _ in budget.take("person") } == 20, "each has its own")
    time.advance(by: .seconds(3_600))
    #expect((1...100).count { _ in budget.take("script") } == 20)
  }
}
