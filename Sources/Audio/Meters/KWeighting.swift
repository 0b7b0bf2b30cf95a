// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CSamples

/// The filter that weights frequencies by how loud they are heard (BS.1770-4, for 48,000 Hz): a shelf for the effect of
/// the head, then a high-pass.
@safe struct KWeighting {
  private var state = onair_k_weighting()

  /// The sum of the weighted squares of all channels.
  mutating func energy(of samples: UnsafePointer<Float>, frames: Int, channels: Int) -> Double {
    unsafe Double(onair_k_weighted_energy(&state, samples, frames, Int32(channels)))
  }
}
