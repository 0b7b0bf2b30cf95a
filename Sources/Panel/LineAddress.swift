// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Posix

extension LineAddress {
  /// Searches the chips for the line with this address.
  /// - Returns: the device path of the chip, and the number of the line on that chip.
  func find(in chips: [GPIOChipDescription]) throws(LineError) -> (path: String, offset: Int) {
    guard !chips.isEmpty else { throw .noChips }
    let candidates = chips.filter { other in
      chip.map { [other.label, other.name, other.path].contains($0) } ?? true
    }
    guard !candidates.isEmpty else {
      // The label of a chip that cannot be opened is unknown, so such a chip may be the one with this address.
      if let problem = chips.lazy.compactMap(\.problem).first { throw .unreadable(problem) }
      throw .noChip(chip ?? "")
    }
    var found: [(path: String, offset: Int)] = []
    for candidate in candidates {
      switch line {
      case .offset(let offset):
        if (0..<candidate.lines.count).contains(offset) || candidate.problem != nil {
          found.append((candidate.path, offset))
        }
      case .name(let name):
        for line in candidate.lines where line.name == name {
          found.append((candidate.path, line.offset))
        }
      }
    }
    guard let first = found.first else {
      // A chip that cannot be opened may have the line.
      if let problem = candidates.lazy.compactMap(\.problem).first { throw .unreadable(problem) }
      throw .noLine(description)
    }
    if found.count > 1 { throw .several(description, chips: found.map(\.path)) }
    return first
  }
}

/// Why a GPIO line of the settings cannot be used. Each case is an error that a person can do something about.
public enum LineError: Error, Hashable, Sendable {
  /// The machine has no GPIO chip.
  case noChips
  /// There is no GPIO chip of this label, name or path.
  case noChip(String)
  /// There is no GPIO line of this address.
  case noLine(String)
  /// Several lines have this name. `chips` are the device paths of their chips.
  case several(String, chips: [String])
  /// Another program or a kernel driver uses the line. `holder` is the name under which that program or driver uses the
  /// line; `nil` if it has given none.
  case busy(String, holder: String?)
  /// This user may not open the chip of this device path.
  case forbidden(String)
  /// A chip that may have the line cannot be opened. The value is a sentence that says why.
  case unreadable(String)
  /// Opening or using the line of this address failed with another error. The number is the errno.
  case failed(String, Int32)

  /// The kind of error as a code for programs, which an event has in its field `cause`.
  public var code: String {
    switch self {
    case .noChips, .noChip, .noLine, .several: "missing"
    case .busy: "busy"
    case .forbidden, .unreadable: "forbidden"
    case .failed: "failed"
    }
  }

  /// A sentence for people with the cause and the remedy.
  public var sentence: String {
    switch self {
    case .noChips:
      "This machine shows no GPIO: is it switched on in the board's setup, and the driver loaded?"
    case .noChip(let chip):
      "There is no GPIO chip \(chip): `onair devices` lists their labels."
    case .noLine(let line): "There is no GPIO line \(line): `onair devices` lists them."
    case .several(let line, let chips):
      "Several lines are called \(line) (on \(chips.joined(separator: ", "))): write CHIP:LINE."
    case .busy(let line, let holder):
      "The GPIO line \(line) is used by \(holder ?? "another program or driver"): stop that, or choose "
        + "another line."
    case .forbidden(let path):
      "This user may not open \(path): add the user to group gpio (`sudo usermod -aG gpio USER`), or see "
        + "who owns it by `ls -l \(path)`."
    case .unreadable(let problem): problem
    case .failed(let line, ENODEV):
      "The GPIO line \(line) is gone: plug its chip in again. It then works without a restart."
    case .failed(let line, let code):
      "The GPIO line \(line) cannot be used (\(SystemError(code))): choose another."
    }
  }
}
