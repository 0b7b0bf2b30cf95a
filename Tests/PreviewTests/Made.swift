// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base

@testable import Mux
@testable import Preview

/// Fragments without content.
enum Made {
  static let start = MediaTime(nanos: .seconds(1_000))

  /// - Parameter millis: its time after `start`; it is 200 ms long.
  static func fragment(
    at millis: Int64, key: Bool = false, epoch: UInt32 = 1, hasVideo: Bool = true,
    bytes: Int = 10, video: UInt32 = 1, audio: UInt32 = 1
  ) -> Fragment {
    Fragment(
      beginsWithKeyframe: key || !hasVideo,
      initialization: Initialization(
        epoch: epoch, codecs: "avc1.64001f", hasVideo: hasVideo, avcConfiguration: [],
        bytes: [UInt8(epoch)]),
      time: start + .milliseconds(millis), duration: .milliseconds(200),
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: millis / 200), count: bytes),
      frameSizes: [], videoScene: video, audioScene: audio)
  }

  /// Adds fragments for some seconds, with a keyframe every `keyEvery` fragments.
  static func fill(
    _ fragments: Fragments, from first: Int = 0, count: Int, keyEvery: Int = 10, epoch: UInt32 = 1,
    bytes: Int = 10
  ) {
    for index in first..<first + count {
      _ = fragments.append(
        fragment(
          at: Int64(index) * 200, key: (index - first) % keyEvery == 0, epoch: epoch, bytes: bytes))
    }
  }
}
