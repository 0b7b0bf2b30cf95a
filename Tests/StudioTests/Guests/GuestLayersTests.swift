// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Capture
import Testing
import Video

@testable import Studio

@Suite struct GuestLayersTests {
  /// Nothing of a guest who is hidden is shown by any layer source, also not by one that a fade still has.
  @Test func hidingCountsForSourcesThatWereDropped() throws {
    let lines = GuestLines()
    // An address that nothing is read from.
    lines.follow([GuestRequest(name: "ann", address: "nowhere")])
    let layers = GuestLayers(lines)
    let pane = GuestScene.Pane(.guest("ann"), .whole)
    let first = try #require(layers.sources([pane])["ann"])
    #expect(layers.sources([]).isEmpty)
    layers.hide("ann", true)
    let second = try #require(layers.sources([pane])["ann"])
    #expect(first !== second && first.isHidden && second.isHidden)
    layers.hide("ann", false)
    #expect(!first.isHidden && !second.isHidden)
    layers.stop()
    #expect(lines.stop(by: .now() + .seconds(60)))
  }
}
