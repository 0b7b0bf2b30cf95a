// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIOD
internal import Glibc
internal import Media

/// Errno of a GPIO call.
struct GPIOError: Error, CustomStringConvertible {
  let code: Int32
  var description: String { unsafe String(cString: strerror(code)) }
}

/// How a line is to be used.
struct LineUse: Equatable {
  var isOutput = false
  var isActiveLow = false
  var bias = PanelPlan.Bias.asIs
  var debounceNanos: Int64 = 0
}

/// The place where real lines can be exchanged for others.
protocol GPIOHost: Sendable {
  /// The chips that there are now.
  func chips() -> [GPIOChipDescription]
  /// Takes a line; an output begins dark.
  func hold(path: String, offset: Int, use: LineUse) throws(GPIOError) -> any GPIOLine
}

/// A line that is held until it is let go.
protocol GPIOLine: AnyObject {
  /// Readable when an input has changed.
  var descriptor: Int32 { get }
  /// The kernel sees to it that an input does not bounce.
  var debounces: Bool { get }
  func isActive() throws(GPIOError) -> Bool
  func set(_ isActive: Bool) throws(GPIOError)
  /// The changes of an input since it was last asked; only to be called when `descriptor` is readable.
  func edges() throws(GPIOError) -> [LineEdge]
}

/// A change of an input.
struct LineEdge: Equatable {
  var isActive: Bool
  var at: MediaTime
}

/// The kernel's lines, by libgpiod.
struct LinuxGPIO: GPIOHost {
  func chips() -> [GPIOChipDescription] { GPIOChipDescription.all() }

  func hold(path: String, offset: Int, use: LineUse) throws(GPIOError) -> any GPIOLine {
    try HeldLine(path: path, offset: offset, use: use)
  }
}

@safe private final class HeldLine: GPIOLine {
  private var held = unsafe onair_gpio_held()

  init(path: String, offset: Int, use: LineUse) throws(GPIOError) {
    let bias: Character? =
      switch use.bias {
      case .pullUp: "u"
      case .pullDown: "d"
      case .none: "n"
      case .asIs: nil
      }
    let wanted = onair_gpio_use(
      output: use.isOutput, active_low: use.isActiveLow,
      bias: bias?.asciiValue.map { CChar(bitPattern: $0) } ?? 0,
      debounce: UInt32(clamping: use.debounceNanos / 1_000))
    let error = unsafe onair_gpio_hold(path, UInt32(clamping: offset), wanted, &held)
    guard error == 0 else { throw GPIOError(code: error) }
  }

  deinit { unsafe onair_gpio_release(&held) }

  var descriptor: Int32 { unsafe onair_gpio_descriptor(&held) }

  var debounces: Bool { unsafe held.debounces }

  func isActive() throws(GPIOError) -> Bool {
    let value = unsafe onair_gpio_get(&held)
    guard value >= 0 else { throw GPIOError(code: -value) }
    return value == 1
  }

  func set(_ isActive: Bool) throws(GPIOError) {
    let error = unsafe onair_gpio_set(&held, isActive)
    guard error == 0 else { throw GPIOError(code: error) }
  }

  func edges() throws(GPIOError) -> [LineEdge] {
    var edges = [onair_gpio_edge](
      repeating: onair_gpio_edge(), count: Int(ONAIR_GPIO_EDGES))
    let count = unsafe onair_gpio_edges(&held, &edges)
    guard count >= 0 else { throw GPIOError(code: -count) }
    return edges.prefix(Int(count)).map {
      LineEdge(isActive: $0.active, at: MediaTime(nanos: $0.nanos))
    }
  }
}
