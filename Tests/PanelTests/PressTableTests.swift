// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import Testing

@testable import Panel

/// The table of presses, through the panel's loop on a virtual clock.
@Suite struct PressTableTests {
  struct Row: Sendable {
    var name: String
    /// "down LINE", "up LINE", "wait MS" and "bounce LINE COUNT MS" (so often down and up, each for so long).
    var script: String
    var outputs: [Output]

    init(_ name: String, _ script: String, _ outputs: [Output]) {
      self.name = name
      self.script = script
      self.outputs = outputs
    }
  }

  static let pause = Output.command(.pause)
  static let resume = Output.command(.resume)

  /// Each row begins where the one before it ended, 0.6 s later.
  static let rows: [Row] =
    [
      Row("off air, 50 ms", "down main; wait 50; up main; wait 800", []),
      Row("off air, 1.9 s", "down main; wait 1900; up main", []),
      Row("off air, the second button", "down second; wait 100; up second", [.refused(.mute)]),
      Row("off air, 2.2 s", "down main; wait 2200; up main", [.command(.start)]),
    ]
    + [1, 3, 7, 11, 15].flatMap { length in
      let script =
        "bounce main 8 \(length); down main; wait 300; up main; bounce main 8 \(length); wait 100"
      return [
        Row("live, bounces of \(length) ms at both ends", script, [pause]),
        Row("paused, bounces of \(length) ms at both ends", script, [resume]),
      ]
    } + [
      Row("live, bounces alone", "bounce main 20 5; wait 100", []),
      Row("live, 50 ms", "down main; wait 50; up main", [pause]),
      Row("paused, 50 ms", "down main; wait 50; up main", [resume]),
      Row("live, 1.9 s", "down main; wait 1900; up main", [pause]),
      Row("paused, 1.9 s", "down main; wait 1900; up main", [resume]),
      Row(
        "both at once", "down main; down second; wait 200; up second; up main",
        [pause, .command(.mute)]),
      Row(
        "both at once again", "down second; down main; wait 200; up main; up second",
        [.command(.unmute), resume]),
      Row("live, 2.2 s", "down main; wait 2200; up main", [pause, .command(.stop)]),
      Row("off air, 3 s", "down main; wait 3000; up main", [.command(.start)]),
      Row(
        "live, 30.5 s", "down main; wait 30500; up main",
        [
          pause, .command(.stop), .event(.stuck(.mainButton)), .event(.released(.mainButton)),
        ]),
      Row("off air, after that", "down main; wait 2200; up main", [.command(.start)]),
      Row("live, a slip of the hand", "down main; wait 50; up main; wait 300", [pause]),
      Row(
        "paused, the second button stuck", "down second; wait 30500; up second",
        [
          .command(.mute), .event(.stuck(.secondButton)), .event(.released(.secondButton)),
        ]),
      Row("paused, the second button", "down second; wait 100; up second", [.command(.unmute)]),
      Row("paused, 2.2 s", "down main; wait 2200; up main", [.command(.stop)]),
    ]

  /// - Parameter debounces: the kernel debounces, so that the panel sees no bounces.
  @Test(arguments: [false, true]) func everyPressHasItsEffect(debounces: Bool) throws {
    let clock = VirtualClock()
    let lines = [
      "main": FakeLine(clock, debounces: debounces),
      "second": FakeLine(clock, debounces: debounces),
    ]
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.secondButton = line(2)
      }, FakeGPIO([1: try #require(lines["main"]), 2: try #require(lines["second"])]), clock,
      intent: Intent())
    for row in PressTableTests.rows {
      let before = rig.program.outputs.count
      for step in row.script.split(separator: ";") {
        let words = step.split(separator: " ").map(String.init)
        let button = lines[words[1]]
        switch words[0] {
        case "down": rig.move(try #require(button), down: true)
        case "up": rig.move(try #require(button), down: false)
        case "bounce" where debounces: break
        case "bounce":
          let length = try #require(Int64(words[3]))
          for index in 0..<2 * (try #require(Int(words[2]))) {
            rig.move(try #require(button), down: index.isMultiple(of: 2))
            rig.wait(milliseconds: length)
          }
        default: rig.wait(milliseconds: try #require(Int64(words[1])))
        }
      }
      rig.wait(milliseconds: 600)
      #expect(Array(rig.program.outputs.dropFirst(before)) == row.outputs, "\(row.name)")
    }
    #expect(rig.program.intent == Intent())
  }

  /// The debounce period, then 2 s and 30 s after the debounced press.
  @Test func everyEffectHasItsTime() {
    let clock = VirtualClock()
    let button = FakeLine(clock, debounces: false)
    let rig = Rig(plan { $0.mainButton = line(1) }, FakeGPIO([1: button]), clock)
    rig.wait(milliseconds: 7)
    let begin = clock.now
    rig.move(button, down: true)
    rig.wait(milliseconds: 31_000)
    #expect(
      rig.program.timedOutputs.map { $0.at - begin } == [
        .milliseconds(20), .milliseconds(2_020), .milliseconds(30_020),
      ])
    #expect(
      rig.program.outputs == [
        .command(.pause), .command(.stop), .event(.stuck(.mainButton)),
      ])
  }

  /// Two presses in quick succession: the second one is a slip and only blinks.
  @Test func aSlipAfterAPauseDoesNotResume() {
    let clock = VirtualClock()
    let (button, lamp) = (FakeLine(clock), FakeLine(clock))
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.lamp = line(2)
      }, FakeGPIO([1: button, 2: lamp]), clock)
    for gap: Int64 in [499, 500, 600] {
      rig.move(button, down: true)
      rig.wait(milliseconds: 100)
      rig.move(button, down: false)
      rig.wait(milliseconds: gap)
    }
    // The press after 499 ms slips; the one 500 ms after its release resumes.
    #expect(rig.program.outputs == [.command(.pause), .command(.resume)])
  }

  /// Three flashes of 60 ms with gaps of 90 ms; the lamp of a box that is off air is dark then.
  @Test func aPressWithoutEffectBlinks() {
    let clock = VirtualClock()
    let (button, lamp) = (FakeLine(clock), FakeLine(clock))
    let rig = Rig(
      plan {
        $0.mainButton = line(1)
        $0.lamp = line(2)
      }, FakeGPIO([1: button, 2: lamp]), clock, intent: Intent())
    rig.program.show(.offAir)
    rig.step()
    rig.wait(milliseconds: 100)
    let before = lamp.changes.count
    rig.move(button, down: true)
    rig.wait(milliseconds: 50)
    let released = clock.now
    rig.move(button, down: false)
    rig.wait(milliseconds: 800)
    let blink = lamp.changes.dropFirst(before)
    #expect(
      blink.map { ($0.at - released) / 1_000_000 } == [0, 60, 150, 210, 300, 360])
    #expect(blink.map(\.isLit) == [true, false, true, false, true, false])
  }
}
