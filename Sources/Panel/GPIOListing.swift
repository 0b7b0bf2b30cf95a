// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIOD
internal import Glibc

extension GPIOChipDescription {
  /// Describes a chip without taking any of its lines (libgpiod 1.6 or 2.x).
  init(path: String) {
    self.init(path: path, name: "", label: "", problem: nil, lines: [])
    guard let chip = unsafe gpiod_chip_open(path) else {
      problem = GPIOChipDescription.sentence(path, DriverError(code: errno))
      return
    }
    defer { unsafe gpiod_chip_close(chip) }
    var answer = onair_gpio_chip()
    let status = unsafe onair_gpio_describe_chip(chip, &answer)
    guard status == 0 else {
      problem = GPIOChipDescription.sentence(path, DriverError(code: status))
      return
    }
    name = text(answer.name)
    label = text(answer.label)
    lines = (0..<answer.lines).compactMap { offset in
      var line = onair_gpio_line()
      guard unsafe onair_gpio_describe_line(chip, offset, &line) == 0 else { return nil }
      let lineName = text(line.name)
      let consumer = text(line.consumer)
      return GPIOLineDescription(
        offset: Int(offset), name: lineName.isEmpty ? nil : lineName,
        direction: line.output ? .output : .input, isUsed: line.used,
        usedBy: consumer.isEmpty ? nil : consumer)
    }
  }

  private static func sentence(_ path: String, _ error: DriverError) -> String {
    switch error.code {
    case EACCES, EPERM:
      "This user may not open \(path): add the user to group gpio (`sudo usermod -aG gpio USER`), or "
        + "see who owns it by `ls -l \(path)`."
    default:
      "\(path) cannot be read (\(error))."
    }
  }
}
