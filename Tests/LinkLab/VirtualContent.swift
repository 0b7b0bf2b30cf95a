// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport

/// What the camera sees.
public enum VirtualContent: String, CaseIterable, Sendable {
  /// Movement that always needs the whole bit rate.
  case lively
  /// The same, but now and then a quiet scene needs far less.
  case mixed
  /// Nothing moves: only keyframes need many bytes.
  case still
  /// Little moves: about half of the bit rate is needed.
  case talkingHead
  /// Everything changes in each frame: keyframes are hardly larger than other frames.
  case noise

  /// Share of the bit rate that the next scene needs.
  func activity(_ noise: inout SplitMix64) -> Double {
    switch self {
    case .lively, .noise: 1
    case .mixed: noise.uniform(0...1) < 0.25 ? noise.uniform(0.08...0.3) : 1
    case .still: 0.05
    case .talkingHead: noise.uniform(0.3...0.7)
    }
  }

  /// Size of a keyframe, in mean frames.
  var keyframeSize: Double { self == .noise ? 1.1 : 5 }

  /// Standard deviation of a frame's size.
  var variety: Double { self == .noise ? 0.05 : 0.25 }
}
