// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Encode

@Suite struct HeldTagsTests {
  private func tag(_ scene: Int) -> FrameTag {
    FrameTag(scene: UInt32(scene), time: MediaTime(nanos: Int64(scene)))
  }

  @Test func tagsComeOutInAnyOrder() {
    var tags = HeldTags()
    for index in 0..<1_000 {
      let numbers = (0..<5).map { tags.keep(tag(5 * index + $0)) }
      for place in [4, 0, 2, 1, 3] { #expect(tags.take(numbers[place]) == tag(5 * index + place)) }
      #expect(tags.count == 0)
    }
  }

  /// A number that is unknown, or was taken, has no scene.
  @Test func aNumberHasItsTagOnce() {
    var tags = HeldTags()
    let number = tags.keep(tag(1))
    #expect(tags.take(number + 1) == nil && tags.take(-1) == nil)
    #expect(tags.take(.max) == nil && tags.take(.min) == nil)
    #expect(tags.count == 1)
    #expect(tags.take(number) == tag(1))
    #expect(tags.take(number) == nil)
    #expect(tags.count == 0)
  }

  /// An encoder that never answers must not get another frame's scene for its packet.
  @Test func theOldestIsForgottenWhenThereAreTooMany() {
    var tags = HeldTags()
    let numbers = (0...HeldTags.capacity).map { tags.keep(tag($0)) }
    #expect(tags.count == HeldTags.capacity)
    #expect(tags.take(numbers[0]) == nil)
    #expect(tags.take(numbers[HeldTags.capacity]) == tag(HeldTags.capacity))
  }
}
