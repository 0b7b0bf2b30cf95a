// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Removes hum of the mains: notches at frequencies at which hum was found.
@safe final class HumFilter: AudioFilter {
  /// Each removes this many hertz around its frequency. Wider notches are heard in a voice, narrower ones ring longer.
  private static let width = 1.5

  private var notches: [Biquad]
  private let channels: Int

  init(hertz: [Double], channels: Int) {
    self.channels = channels
    notches = hertz.map { Biquad.notch(hertz: $0, width: HumFilter.width) }
  }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    for index in notches.indices {
      unsafe notches[index].process(interleaved, frames: frames, channels: channels)
    }
  }

  func reset() { for index in notches.indices { notches[index].reset() } }
}

extension AudioFilterPlan {
  /// The most notches of a track.
  public static let maxNotches = 8

  /// Removes hum at these frequencies.
  public static func humFilter(hertz: [Double]) -> AudioFilterPlan {
    let hertz = Array(hertz.prefix(maxNotches))
    return AudioFilterPlan(name: "hum \(hertz)") { HumFilter(hertz: hertz, channels: $0) }
  }
}
