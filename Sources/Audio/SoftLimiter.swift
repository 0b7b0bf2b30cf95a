// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Keeps samples within full scale without the harshness of clipping.
///
/// Samples up to the knee k pass unchanged. Above the knee, samples follow a hyperbola that has the same slope at the
/// knee and approaches full scale: y = 1 − (1 − k)² / (|x| + 1 − 2k). Each sample is limited by itself, without delay.
enum SoftLimiter {
  /// The absolute value above which samples are lowered: 1.4 dB below full scale.
  static var knee: Float { 0.85 }

  /// Limits samples in place.
  /// - Returns: whether any sample reached full scale before it was limited.
  @discardableResult
  static func limit(_ samples: UnsafeMutablePointer<Float>, count: Int) -> Bool {
    let headroom = 1 - knee
    var loud = 0
    for index in 0..<count {
      let sample = unsafe samples[index]
      let level = abs(sample)
      loud &+= level >= 1 ? 1 : 0
      let over = level > knee ? level - knee : 0
      let bent = 1 - headroom * headroom / (over + headroom)
      unsafe samples[index] = level <= knee ? sample : sample < 0 ? -bent : bent
    }
    return loud > 0
  }
}
