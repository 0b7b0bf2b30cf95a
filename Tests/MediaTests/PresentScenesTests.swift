// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Testing

@Suite struct PresentScenesTests {
  @Test func earlierScenesAreHidden() {
    var scenes = PresentScenes()
    #expect(!scenes.hides(.keyframe, of: 0) && !scenes.hides(.audio, of: 0))
    #expect(scenes.begin(video: 3, audio: 0) == (true, false))
    #expect(scenes.hides(.keyframe, of: 2) && scenes.hides(.frame, of: 2))
    #expect(!scenes.hides(.frame, of: 3) && !scenes.hides(.frame, of: 4))
    #expect(!scenes.hides(.audio, of: 0))
    // A cut that was overtaken by a later one hides nothing that is shown.
    #expect(scenes.begin(video: 2, audio: 1) == (false, true))
    #expect(!scenes.hides(.frame, of: 3) && scenes.hides(.audio, of: 0))
  }
}
