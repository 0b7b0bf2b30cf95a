// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// Audio for programs that cannot generate it: 1 kHz in the first 100 ms of each second.
enum Beep {
  private static let rate = 48_000
  private static let seconds = 60

  /// Writes a minute of raw audio: 32-bit floats, two channels.
  static func write(to path: String) throws {
    var second: [Float] = []
    for index in 0..<rate {
      let value = index < rate / 10 ? 0.1 * sinf(2 * .pi * 1000 * Float(index) / Float(rate)) : 0
      second += [value, value]
    }
    guard let file = unsafe fopen(path, "w") else {
      throw Child.FailedError(description: "cannot write to \(path)")
    }
    defer { unsafe fclose(file) }
    for _ in 0..<seconds {
      guard unsafe fwrite(second, MemoryLayout<Float>.size, second.count, file) == second.count
      else { throw Child.FailedError(description: "cannot write to \(path)") }
    }
  }
}
