// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Encode
import Testing

@testable import Studio

@Suite struct RefusedChangesTests {
  @Test func eachSettingIsToldOnce() {
    var refused = RefusedChanges()
    let rate = EncoderError.settingNotApplied(name: "bitrate", value: "500, not 300")
    refused.note(rate)
    let first = refused.take()
    refused.note(.settingNotApplied(name: "bitrate", value: "500, not 310"))
    let second = refused.take()
    let trellis = EncoderError.settingNotApplied(name: "trellis", value: "1, not 2")
    refused.note(trellis)
    refused.note(rate)
    let third = refused.take()
    #expect([first, second, third, refused.take()] == [rate, nil, trellis, nil])
  }
}
