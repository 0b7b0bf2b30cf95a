// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIOD
internal import Glibc
internal import Posix

/// A GPIO chip.
public struct GPIOChipDescription: Codable, Sendable, Equatable {
  /// "/dev/gpiochip0".
  public var path: String
  /// "gpiochip0". May belong to another chip after the next boot.
  public var name: String
  /// The driver's name for the chip, the same at each boot.
  public var label: String
  /// Why its lines cannot be listed.
  public var problem: String?
  /// By offset.
  public var lines: [GPIOLineDescription]

  public init(
    path: String, name: String, label: String, problem: String?, lines: [GPIOLineDescription]
  ) {
    self.path = path
    self.name = name
    self.label = label
    self.problem = problem
    self.lines = lines
  }
}

/// A line of a GPIO chip.
public struct GPIOLineDescription: Codable, Sendable, Equatable {
  /// The direction of a line's signal.
  public enum Direction: String, Codable, Sendable {
    /// Into the chip: a button.
    case input
    /// Out of the chip: a lamp.
    case output
  }

  /// Its number on the chip, from 0.
  public var offset: Int
  /// The board's name for it ("GPIO17"), if it has one.
  public var name: String?
  /// The present one.
  public var direction: Direction
  /// A program or a kernel driver uses it.
  public var isUsed: Bool
  /// The name that its user gave, if any.
  public var usedBy: String?

  public init(
    offset: Int, name: String?, direction: Direction, isUsed: Bool, usedBy: String?
  ) {
    self.offset = offset
    self.name = name
    self.direction = direction
    self.isUsed = isUsed
    self.usedBy = usedBy
  }
}

extension GPIOChipDescription {
  /// The GPIO chips and their lines, ordered by chip number.
  public static func all() -> [GPIOChipDescription] {
    let numbers = File.names(in: "/dev").compactMap { name -> Int? in
      // Raspberry Pi OS has symbolic links from the numbers that chips had in earlier kernels.
      guard name.hasPrefix("gpiochip"), !File.isLink("/dev/\(name)") else { return nil }
      return Int(name.dropFirst(8))
    }
    return numbers.sorted().map { GPIOChipDescription(path: "/dev/gpiochip\($0)") }
  }

  /// Describes a chip without opening its lines (libgpiod 1.6 or 2.x).
  init(path: String) {
    self.init(path: path, name: "", label: "", problem: nil, lines: [])
    guard let chip = unsafe gpiod_chip_open(path) else {
      problem = GPIOChipDescription.sentence(path, SystemError())
      return
    }
    defer { unsafe gpiod_chip_close(chip) }
    var answer = onair_gpio_chip()
    let status = unsafe onair_gpio_describe_chip(chip, &answer)
    guard status == 0 else {
      problem = GPIOChipDescription.sentence(path, SystemError(status))
      return
    }
    name = String(cArray: answer.name)
    label = String(cArray: answer.label)
    lines = (0..<answer.lines).compactMap { offset in
      var line = onair_gpio_line()
      guard unsafe onair_gpio_describe_line(chip, offset, &line) == 0 else { return nil }
      let lineName = String(cArray: line.name)
      let consumer = String(cArray: line.consumer)
      return GPIOLineDescription(
        offset: Int(offset), name: lineName.isEmpty ? nil : lineName,
        direction: line.output ? .output : .input, isUsed: line.used,
        usedBy: consumer.isEmpty ? nil : consumer)
    }
  }

  private static func sentence(_ path: String, _ error: SystemError) -> String {
    switch error.code {
    case EACCES, EPERM:
      "This user may not open \(path): add the user to group gpio (`sudo usermod -aG gpio USER`), or "
        + "see who owns it by `ls -l \(path)`."
    default:
      "\(path) cannot be read (\(error))."
    }
  }
}
