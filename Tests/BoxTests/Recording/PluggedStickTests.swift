// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Box
@testable import Sticks

/// What the status tells of a stick.
@Suite struct PluggedStickTests {
  private func stick(_ state: String) throws -> Stick {
    try #require(
      Stick(
        device: "sda1", text: "id=AB12\nlabel=Choir\\x201\ntype=exfat\nsize=1000\n\(state)\n",
        in: "/media"))
  }

  private static let ready = "state=ready\ndirectory=/media/AB12/OnAir\nfree=500"

  @Test(
    arguments: [
      ("state=checking", false, nil, nil, "checking", nil),
      (ready, false, nil, nil, "checking", nil),
      (ready, true, nil, nil, "ready", nil),
      (ready, false, .gone, nil, "checking", nil),
      (ready, false, .readOnly, nil, "unusable", "damaged"),
      (ready, false, .notAFolder, nil, "unusable", "folder"),
      (ready, true, nil, .waiting, "removing", nil),
      (ready, true, nil, .refused, "ready", "busy"),
      (ready, true, nil, .unanswered, "ready", "busy"),
      ("state=removed", false, nil, .done, "removed", nil),
      ("state=unusable\nproblem=format", false, nil, nil, "unusable", "format"),
      ("state=unusable\nproblem=read_only", false, nil, nil, "unusable", "read_only"),
    ] as [(String, Bool, StickError?, StickRemoval.Outcome?, String, String?)])
  func statesAreTold(
    text: String, isOpen: Bool, fault: StickError?, removal: StickRemoval.Outcome?, state: String,
    problem: String?
  ) throws {
    let told = Status.Record.Stick(
      try stick(text), isOpen: isOpen, fault: fault, speed: nil, removal: removal)
    #expect(told.state == state && told.problem == problem)
    #expect((told.state == "unusable") == (told.sentence != nil))
    #expect(told.readOnly == (problem == "read_only"))
    #expect(told.id == "AB12" && told.label == "Choir 1" && told.bytes == 1_000)
    #expect(told.freeBytes == (text == Self.ready ? 500 : nil))
  }

  @Test func speedsAreTold() throws {
    let stick = try stick(Self.ready)
    let told = [StickSpeed.Verdict.fast, .slow, .stalls, .broken].map {
      Status.Record.Stick(stick, isOpen: true, fault: nil, speed: $0, removal: nil).speed
    }
    #expect(told == ["fast", "slow", "stalls", "fake"])
  }
}
