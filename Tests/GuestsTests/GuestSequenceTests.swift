// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import TestSupport
import Testing

/// Random sequences of what guests, persons, programs and settings do. What has to hold at each moment is in
/// Sources/Guests/README.md.
@Suite struct GuestSequenceTests {
  @Test(
    "Thousands of random sequences: nobody is shown who may not be, and each change is one event")
  func sequences() throws {
    var events = 0
    var moments = 0
    for seed in 0..<UInt64(often(20_000)) {
      var programme = RandomProgramme(seed: seed)
      for step in 0..<40 {
        programme.step()
        let problems =
          programme.faults + guestProblems(programme) + paneProblems(programme)
          + {
            programme.update(); return paneProblems(programme)
          }()
        guard problems.isEmpty else {
          Issue.record("seed \(seed), step \(step): \(problems)")
          return
        }
        if !programme.shown.isEmpty { moments += 1 }
      }
      events += programme.eventCount
    }
    // The sequences reach what they are to examine.
    #expect(events > often(20_000) * 10)
    #expect(moments > often(20_000) * 10)
  }

  /// What is wrong with the guests and their events.
  private func guestProblems(_ programme: RandomProgramme) -> [String] {
    var problems: [String] = []
    let cards = Dictionary(uniqueKeysWithValues: programme.shown.map { ($0.name, $0.isCard) })
    // One who is admitted while nothing of him comes is seen for this moment.
    let lostNanos = max(1, Int64.seconds(Int64(programme.rules.lostSeconds)))
    for name in RandomProgramme.names {
      guard let known = programme.known[name], let told = programme.told[name] else { continue }
      let rule = programme.rules.guests.first { $0.name == name }
      let state = programme.room.state(of: name)
      if let isCard = cards[name] {
        let hasPicture =
          switch known.tracks.picture {
          case .none: false
          case .arriving: true
          case .stalled(let since): programme.now - since < GuestRoom.cardNanos
          }
        if isCard == (hasPicture && rule?.takesPicture == true) { problems.append("a wrong card") }
        let byItself = rule?.isAdmittedByItself == true && !known.isHidden
        if !known.isAdmitted && !byItself { problems.append("\(name) is shown, not admitted") }
        if known.isRemoved { problems.append("\(name) is shown, removed") }
        if rule?.isEnabled != true { problems.append("\(name) is shown, disabled") }
        if programme.now - known.lastSeen >= lostNanos, !programme.isArriving(name) {
          problems.append("\(name) is shown, lost")
        }
      } else if known.isAdmitted, programme.isArriving(name) {
        problems.append("\(name) is admitted and there, and not shown")
      }
      let isTold =
        switch state {
        case .waiting: told.phase == .waiting
        case .onAir: told.phase == .online
        case .lost: told.phase == .online || told.lastCause == .replaced
        case .connecting, .disabled, .removed, nil: told.phase == .absent
        }
      if !isTold { problems.append("\(name) is \(String(describing: state)), told \(told)") }
      let arrives = (known.tracks.picture == .arriving, known.tracks.sound == .arriving)
      if told.phase != .absent, (told.picture, told.sound) != arrives {
        problems.append("\(name) sends \(known.tracks), told \(told)")
      }
    }
    let admitted = RandomProgramme.names.filter { programme.room.isAdmitted($0) }
    let free = programme.rules.most - admitted.count
    let waiting = programme.rules.guests.filter {
      $0.isAdmittedByItself && programme.known[$0.name]?.isHidden == false
        && programme.room.state(of: $0.name) == .waiting
    }
    if free > 0, !waiting.isEmpty { problems.append("a place is free, and \(waiting) wait") }
    return problems
  }

  /// What is wrong with the panes and with who is heard.
  private func paneProblems(_ programme: RandomProgramme) -> [String] {
    var problems: [String] = []
    let size = PanesTests.sizes[programme.eventCount % 3]
    let shown = programme.shown
    let names = Set(shown.map(\.name))
    let result = programme.choice.programme(shown)
    let panes = programme.choice.panes(shown, on: size)
    if names.isEmpty, result != .bypass(.host) { problems.append("mixed with nobody") }
    if result == .bypass(.host), panes.map(\.source) != [.host] || panes[0].area != .whole {
      problems.append("a bypass has \(panes)")
    }
    if panes.isEmpty { problems.append("no pane") }
    for pane in panes {
      if case .guest(let name) = pane.source, !names.contains(name) {
        problems.append("a pane of \(name)")
      }
    }
    let areas = panes.compactMap { PixelArea($0.area, of: size) }
    if areas.count != panes.count { problems.append("edges: \(panes)") }
    switch result {
    case .bypass(.guest(let name)), .mix(.guest(let name?)):
      if !names.contains(name) { problems.append("\(name) alone, and not there") }
    case .mix(.pip), .mix(.free), .bypass(.host): break
    case .mix:
      for (index, area) in areas.enumerated() {
        if areas.dropFirst(index + 1).contains(where: area.overlaps) { problems.append("overlap") }
      }
    }
    return problems
  }
}
