// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGPIOD
internal import Posix

/// The configuration with which a GPIO line is opened.
struct LineConfiguration: Equatable {
  /// Whether the line is an output; otherwise it is an input.
  var isOutput = false
  /// Whether the low level counts as active.
  var isActiveLow = false
  /// The bias of an input.
  var bias = LineBias.asIs
  /// The debounce period of an input, in nanoseconds; 0 for none.
  var debounceNanos: Int64 = 0
}

/// Access to the GPIO chips of the machine. Tests use simulated chips.
protocol GPIOHost: Sendable {
  /// The GPIO chips that are present, with their lines.
  func chips() -> [GPIOChipDescription]
  /// Opens a line for the exclusive use of this program. An output starts inactive.
  func open(path: String, offset: Int, use: LineConfiguration) throws(SystemError) -> any GPIOLine
}

/// An open GPIO line. It is closed when this object is released.
protocol GPIOLine: AnyObject {
  /// A file descriptor that is readable when the level of an input has changed.
  var descriptor: Int32 { get }
  /// Whether the kernel debounces the input.
  var debounces: Bool { get }
  /// Reads whether the present level of the line is the active one.
  func isActive() throws(SystemError) -> Bool
  /// Sets an output to its active or inactive level.
  func set(_ isActive: Bool) throws(SystemError)
  /// Reads up to 16 unread changes of an input. If there is none, waits for one.
  func edges() throws(SystemError) -> [LineEdge]
}

/// A change of an input's level.
struct LineEdge: Equatable {
  /// Whether the level after the change is the active one.
  var isActive: Bool
  /// The kernel's timestamp of the change.
  var at: MediaTime
}

/// The GPIO chips of the Linux kernel, accessed by libgpiod.
struct LinuxGPIO: GPIOHost {
  func chips() -> [GPIOChipDescription] { GPIOChipDescription.all() }

  func open(path: String, offset: Int, use: LineConfiguration) throws(SystemError) -> any GPIOLine {
    try OpenLine(path: path, offset: offset, use: use)
  }
}

/// A line that libgpiod has opened.
@safe private final class OpenLine: GPIOLine {
  /// The open line, as the C functions of `CGPIOD` keep it.
  private var request = unsafe onair_gpio_request()

  init(path: String, offset: Int, use: LineConfiguration) throws(SystemError) {
    let bias: Character? =
      switch use.bias {
      case .pullUp: "u"
      case .pullDown: "d"
      case .none: "n"
      case .asIs: nil
      }
    let config = onair_gpio_config(
      output: use.isOutput, active_low: use.isActiveLow,
      bias: bias?.asciiValue.map { CChar(bitPattern: $0) } ?? 0,
      debounce: UInt32(clamping: use.debounceNanos / 1_000))
    let error = unsafe onair_gpio_request_line(path, UInt32(clamping: offset), config, &request)
    guard error == 0 else { throw SystemError(error) }
  }

  deinit { unsafe onair_gpio_release(&request) }

  var descriptor: Int32 { unsafe onair_gpio_descriptor(&request) }

  /// Whether the kernel debounces the input.
  var debounces: Bool { unsafe request.debounces }

  func isActive() throws(SystemError) -> Bool {
    let value = unsafe onair_gpio_get(&request)
    guard value >= 0 else { throw SystemError(-value) }
    return value == 1
  }

  func set(_ isActive: Bool) throws(SystemError) {
    let error = unsafe onair_gpio_set(&request, isActive)
    guard error == 0 else { throw SystemError(error) }
  }

  func edges() throws(SystemError) -> [LineEdge] {
    var edges = [onair_gpio_edge](
      repeating: onair_gpio_edge(), count: Int(ONAIR_GPIO_EDGES))
    let count = unsafe onair_gpio_edges(&request, &edges)
    guard count >= 0 else { throw SystemError(-count) }
    return edges.prefix(Int(count)).map {
      LineEdge(isActive: $0.active, at: MediaTime(nanos: $0.nanos))
    }
  }
}
