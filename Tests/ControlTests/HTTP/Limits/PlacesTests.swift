// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Access
import Base
import Testing

@testable import Control

/// Who stays connected when the places are taken.
@Suite struct PlacesTests {
  private let time = VirtualClock()

  private func enter(
    _ places: inout Places, from address: String = "192.0.2.1", after nanos: Int64 = .seconds(1)
  ) -> (number: Int, closing: Int?) {
    time.advance(by: nanos)
    return places.enter(Address(address)?.client(in: []), now: time.now)
  }

  private func set(_ stage: Places.Stage, of number: Int, _ places: inout Places) {
    places.set(stage, of: number, now: time.now)
  }

  @Test func newClientsTakeThePlaceOfTheOneThatIsIdleForLongest() {
    var places = Places(most: 4, reserved: 1)
    let first = enter(&places).number
    let second = enter(&places).number
    let third = enter(&places).number
    time.advance(by: .seconds(1))
    set(.receiving, of: first, &places)
    set(.idle, of: first, &places)
    #expect(enter(&places).closing == second)
    #expect(enter(&places).closing == third)
    #expect(enter(&places).closing == first)
    #expect(places.count == 3)
  }

  @Test func aRequestThatIsBeingAnsweredIsTheLastToGo() {
    var places = Places(most: 3, reserved: 0)
    let busy = enter(&places).number
    set(.receiving, of: busy, &places)
    let idle = enter(&places).number
    _ = enter(&places)
    #expect(enter(&places).closing == idle)
    set(.receiving, of: 3, &places)
    set(.receiving, of: 4, &places)
    #expect(enter(&places).closing == busy)
  }

  @Test func clientsThatAreLoggedInKeepTheirPlaces() {
    var places = Places(most: 4, reserved: 2)
    let known = (1...2).map { _ in
      let number = enter(&places).number
      places.noteLogin(of: number, .session("a"))
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
    set(.receiving, of: person, &places)
    places.noteLogin(of: person, .session("a"))
    for _ in 1...100 { #expect(enter(&places).closing != person) }
  }

  @Test func ifAllAreLoggedInAndBusyTheNewOneGoes() {
    var places = Places(most: 2, reserved: 1)
    for credential in [Credential.session("a"), .session("b")] {
      let number = enter(&places).number
      places.noteLogin(of: number, credential)
      set(.receiving, of: number, &places)
    }
    let (number, leaves) = enter(&places)
    #expect(leaves == number)
    places.leave(1)
    #expect(enter(&places).closing == nil)
  }

  @Test func aCrowdDrivesOutItself() {
    var places = Places(most: 8, reserved: 2)
    let person = enter(&places).number
    for host in 0..<500 {
      // An IPv6 client has as many addresses as it likes.
      let address = host % 2 == 0 ? "2001:db8::\(host)" : "198.51.100.7"
      #expect(enter(&places, from: address, after: .milliseconds(1)).closing != person)
    }
  }

  /// 47 bodies that trickle, and a hundred new connections a second, from the address of the person.
  @Test func somebodyAtTheAddressOfACrowdHasTimeToAsk() {
    var places = Places(most: 64, reserved: 16)
    for _ in 1...47 { set(.receiving, of: enter(&places).number, &places) }
    for _ in 1...20 {
      let person = enter(&places).number
      for _ in 1...30 { #expect(enter(&places, after: .milliseconds(10)).closing != person) }
      set(.receiving, of: person, &places)
      set(.working, of: person, &places)
      // The check of a password takes its time.
      for _ in 1...300 { #expect(enter(&places, after: .milliseconds(10)).closing != person) }
      places.leave(person)
    }
  }

  @Test func requestsDoNotKeepACrowdNew() {
    var places = Places(most: 4, reserved: 1)
    let crowd = (1...3).map { _ in enter(&places).number }
    time.advance(by: .seconds(1))
    let person = enter(&places).number
    for number in crowd {
      set(.receiving, of: number, &places)
      set(.idle, of: number, &places)
    }
    #expect(crowd.contains(enter(&places, after: .milliseconds(900)).closing ?? person))
  }

  /// The answer may begin before the request has ended; who does not read it waits for nothing.
  @Test func anAnswerThatNobodyReadsIsNotTheServersWork() {
    var places = Places(most: 3, reserved: 1)
    let deaf = enter(&places).number
    for stage in [Places.Stage.receiving, .answering, .working] { set(stage, of: deaf, &places) }
    let person = enter(&places).number
    for stage in [Places.Stage.receiving, .working] { set(stage, of: person, &places) }
    #expect(enter(&places).closing == deaf)
  }

  @Test func aTokenThatTakesAllPlacesMakesRoom() {
    var places = Places(most: 8, reserved: 2)
    let admin = enter(&places).number
    places.noteLogin(of: admin, .session("admin"))
    let hogs = (1...7).map { _ in
      let number = enter(&places).number
      places.noteLogin(of: number, .token("script"))
      set(.receiving, of: number, &places)
      set(.answering, of: number, &places)
      return number
    }
    let (person, leaves) = enter(&places)
    #expect(leaves == hogs.first)
    // Before it has asked for anything, somebody else comes.
    #expect(enter(&places, after: .milliseconds(1)).closing == hogs[1])
    places.noteLogin(of: person, .session("admin"))
    #expect(enter(&places).closing == hogs[2])
  }
}

/// A script that listens as often as it can does not keep a person from the page.
@Suite struct LongAnswersTests {
  @Test func aTokenHasSixAndTheyComeBack() {
    let answers = LongAnswers()
    var places = (1...100).compactMap { _ in answers.reservePlace(.token("script"), .control) }
    #expect(places.count == LongAnswers.mostOfToken)
    places.removeLast()
    #expect(answers.reservePlace(.token("script"), .control) != nil)
    places.removeAll()
    places = (1...100).compactMap { _ in answers.reservePlace(.token("script"), .control) }
    #expect(places.count == LongAnswers.mostOfToken)
  }

  @Test func tokensAndOperatorsLeaveSomeForTheOwner() {
    let answers = LongAnswers()
    let tokens = (1...100).compactMap { answers.reservePlace(.token("\($0)"), .admin) }
    #expect(tokens.count == LongAnswers.mostOfTokens)
    let operators = (1...100).compactMap { answers.reservePlace(.session("o\($0)"), .operate) }
    #expect(operators.count == LongAnswers.mostOfOperators)
    #expect(tokens.count + operators.count + LongAnswers.mostOfSession <= EventStreams.mostStreams)
    let session = (1...100).compactMap { _ in answers.reservePlace(.session("a"), .admin) }
    #expect(session.count == LongAnswers.mostOfSession)
    #expect(answers.reservePlace(.session("b"), .admin) != nil)
    #expect(answers.reservePlace(.session("o1"), .operate) == nil)
    withExtendedLifetime((tokens, operators, session)) {}
  }
}

/// A script in a loop does not fill the disk and the log.
@Suite struct ChangeBudgetTests {
  @Test func twentyAtOnceThenFiveASecond() {
    let time = VirtualClock()
    let budget = ChangeBudget(clock: time.clock)
    #expect((1...100).count { _ in budget.spendChange("script") } == 20)
    time.advance(by: .milliseconds(999))
    #expect((1...100).count { _ in budget.spendChange("script") } == 4)
    #expect((1...100).count { _ in budget.spendChange("person") } == 20, "each has its own")
    time.advance(by: .seconds(3_600))
    #expect((1...100).count { _ in budget.spendChange("script") } == 20)
  }
}
