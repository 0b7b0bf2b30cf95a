// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIOD
internal import Glibc
internal import Posix

/// The description of a GPIO chip and its lines.
public struct GPIOChipDescription: Codable, Sendable, Equatable {
  /// The device path: "/dev/gpiochip0".
  public var path: String
  /// The kernel's name for the chip: "gpiochip0". After the next boot, another chip may have that name.
  public var name: String
  /// The driver's name for the chip, which is the same at each boot: "pinctrl-bcm2711".
  public var label: String
  /// A sentence that says why the lines cannot be listed; `nil` if they can.
  public var problem: String?
  /// The lines of the chip, in the order of their numbers.
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

/// The description of a line of a GPIO chip.
public struct GPIOLineDescription: Codable, Sendable, Equatable {
  /// The direction of the signal on a line.
  public enum Direction: String, Codable, Sendable {
    /// The signal goes into the chip, as from a button.
    case input
    /// The signal comes out of the chip, as to a lamp.
    case output
  }

  /// The number of the line on its chip, from 0.
  public var offset: Int
  /// The board's name for the line ("GPIO17"); `nil` if it has none.
  public var name: String?
  /// The present direction of the line.
  public var direction: Direction
  /// Whether a program or a kernel driver uses the line.
  public var isUsed: Bool
  /// The name under which a program or driver uses the line (the consumer); `nil` if there is none.
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
  /// All GPIO chips of the machine with their lines, ordered by chip number.
  public static func all() -> [GPIOChipDescription] {
    let numbers = File.names(in: "/dev").compactMap { name -> Int? in
      // Raspberry Pi OS has symbolic links with the numbers that the chips had in earlier kernels.
      guard name.hasPrefix("gpiochip"), !File.isLink("/dev/\(name)") else { return nil }
      return Int(name.dropFirst(8))
    }
    return numbers.sorted().map { GPIOChipDescription(path: "/dev/gpiochip\($0)") }
  }

  /// Reads the description of a chip with libgpiod 1.6 or 2.x, without opening its lines. If that fails, `problem` says
  /// why.
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

  /// The sentence for `problem`: why the chip at a device path cannot be opened or read.
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
