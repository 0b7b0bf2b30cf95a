// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGPIOD
internal import Posix

/// The configuration of a line.
struct LineUse: Equatable {
  var isOutput = false
  var isActiveLow = false
  var bias = LineBias.asIs
  var debounceNanos: Int64 = 0
}

/// The machine's GPIO; a test passes another one.
protocol GPIOHost: Sendable {
  /// The chips that are present.
  func chips() -> [GPIOChipDescription]
  /// Opens a line for this program alone; an output starts inactive.
  func open(path: String, offset: Int, use: LineUse) throws(SystemError) -> any GPIOLine
}

/// An open line; it is released with the object.
protocol GPIOLine: AnyObject {
  /// Readable when an input has changed.
  var descriptor: Int32 { get }
  /// The kernel debounces the input.
  var debounces: Bool { get }
  func isActive() throws(SystemError) -> Bool
  func set(_ isActive: Bool) throws(SystemError)
  /// The changes of an input since the last call. Blocks unless `descriptor` is readable.
  func edges() throws(SystemError) -> [LineEdge]
}

/// A change of an input.
struct LineEdge: Equatable {
  var isActive: Bool
  var at: MediaTime
}

/// GPIO of the Linux kernel, through libgpiod.
struct LinuxGPIO: GPIOHost {
  func chips() -> [GPIOChipDescription] { GPIOChipDescription.all() }

  func open(path: String, offset: Int, use: LineUse) throws(SystemError) -> any GPIOLine {
    try OpenLine(path: path, offset: offset, use: use)
  }
}

@safe private final class OpenLine: GPIOLine {
  private var request = unsafe onair_gpio_request()

  init(path: String, offset: Int, use: LineUse) throws(SystemError) {
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
