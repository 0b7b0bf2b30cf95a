// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Testing

@testable import Panel

@Suite struct LineAddressTests {
  static let chips = [
    GPIOChipDescription(
      path: "/dev/gpiochip0", name: "gpiochip0", label: "pinctrl-bcm2711", problem: nil,
      lines: (0..<28).map { line($0, "GPIO\($0)") }),
    GPIOChipDescription(
      path: "/dev/gpiochip1", name: "gpiochip1", label: "expander", problem: nil,
      lines: [line(0, "GPIO3"), line(1, nil)]),
  ]

  static func line(_ offset: Int, _ name: String?) -> GPIOLineDescription {
    GPIOLineDescription(
      offset: offset, name: name, direction: .input, isUsed: false, usedBy: nil)
  }

  static let secret = GPIOChipDescription(
    path: "/dev/gpiochip2", name: "", label: "", problem: "This user may not.", lines: [])

  @Test func aMissingChipOrLineIsNamed() {
    var plan = PanelLines(
      secondTask: .mute, buttonsAreActiveLow: true, buttonBias: .pullUp, debounceNanos: 0,
      lampsAreActiveLow: false, buzzerIsActiveLow: false)
    #expect(plan.missing.isEmpty, "nothing is asked for")
    plan.mainButton = LineAddress(chip: nil, line: .name("GPIO17"))
    plan.lamp = LineAddress(chip: "expander", line: .offset(7))
    #expect(
      plan.missing(in: LineAddressTests.chips) == [
        "[panel], lamp: There is no GPIO line expander:7: `onair devices` lists them."
      ])
    #expect(plan.missing(in: []).count == 2)
  }

  @Test(
    arguments: [
      (LineAddress(chip: nil, line: .name("GPIO17")), "/dev/gpiochip0", 17),
      (LineAddress(chip: "pinctrl-bcm2711", line: .name("GPIO3")), "/dev/gpiochip0", 3),
      (LineAddress(chip: "gpiochip1", line: .name("GPIO3")), "/dev/gpiochip1", 0),
      (LineAddress(chip: "/dev/gpiochip1", line: .offset(1)), "/dev/gpiochip1", 1),
    ])
  func aLineIsFound(_ address: LineAddress, _ path: String, _ offset: Int) throws {
    let found = try address.find(in: LineAddressTests.chips)
    #expect(found.path == path)
    #expect(found.offset == offset)
  }

  @Test(
    arguments: [
      (LineAddress(chip: nil, line: .name("GPIO28")), LineError.noLine("GPIO28")),
      (
        LineAddress(chip: nil, line: .name("GPIO3")),
        .several("GPIO3", chips: ["/dev/gpiochip0", "/dev/gpiochip1"])
      ),
      (LineAddress(chip: "pinctrl", line: .offset(0)), .noChip("pinctrl")),
      (LineAddress(chip: "expander", line: .offset(2)), .noLine("expander:2")),
      (LineAddress(chip: "expander", line: .offset(-1)), .noLine("expander:-1")),
    ])
  func whatIsWrongIsTold(_ address: LineAddress, _ trouble: LineError) {
    #expect(throws: trouble) { _ = try address.find(in: LineAddressTests.chips) }
    #expect(throws: LineError.noChips) { _ = try address.find(in: []) }
  }

  /// A line that is not found may belong to a chip that cannot be opened.
  @Test func anUnreadableChipIsReported() {
    let chips = LineAddressTests.chips + [LineAddressTests.secret]
    #expect(throws: LineError.unreadable("This user may not.")) {
      _ = try LineAddress(chip: nil, line: .name("BUTTON")).find(in: chips)
    }
  }

  /// Its label is unknown.
  @Test func anUnreadableChipThatWasNamedIsReported() {
    #expect(throws: LineError.unreadable("This user may not.")) {
      _ = try LineAddress(chip: "pinctrl-rp1", line: .offset(17)).find(
        in: LineAddressTests.chips + [LineAddressTests.secret])
    }
  }

  @Test func descriptionsSurviveJSON() throws {
    let data = try JSONEncoder().encode(LineAddressTests.chips)
    #expect(
      try JSONDecoder().decode([GPIOChipDescription].self, from: data) == LineAddressTests.chips)
  }

  /// On any machine: no crash, and each entry has its device node.
  @Test func thisMachineCanBeListed() {
    for chip in GPIOChipDescription.all() { #expect(chip.path.hasPrefix("/dev/gpiochip")) }
  }
}
