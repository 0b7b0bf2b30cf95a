// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Removes rumble below a frequency, with a slope of 24 dB per octave (Butterworth).
@safe final class HighPass: AudioFilter {
  private var sections: [Biquad]
  private let channels: Int

  init(hertz: Double, channels: Int) {
    self.channels = channels
    sections = [0.541_196, 1.306_563].map { Biquad.highPass(hertz: hertz, q: $0) }
  }

  func process(_ interleaved: UnsafeMutablePointer<Float>, frames: Int) {
    for index in sections.indices {
      unsafe sections[index].process(interleaved, frames: frames, channels: channels)
    }
  }

  func reset() { for index in sections.indices { sections[index].reset() } }
}

extension AudioFilterPlan {
  /// Removes what is below a frequency.
  public static func highPass(hertz: Double) -> AudioFilterPlan {
    AudioFilterPlan(name: "high-pass \(hertz)") { HighPass(hertz: hertz, channels: $0) }
  }
}
