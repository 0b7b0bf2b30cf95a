// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Director
import FakeServer
import TestSupport
import Testing

@testable import Box
@testable import Events

/// Picture and sound that the person switches off, each alone, in a broadcast to a server.
@Suite struct SwitchedOffTests {
  /// The status says it, neither lamp nor grade claims that all is seen and heard, and a new start goes on with it.
  @Test func whatIsOffIsToldAndKept() throws {
    let server = try FakeServer.reading()
    defer { server.end() }
    let box = try LiveStation(port: server.port)
    func reaches(_ state: String, _ box: LiveStation) -> Bool {
      box.run { box.station.status.presence?.state == state }
    }
    try box.station.perform(.start, by: "by test")
    #expect(reaches("live", box))
    var withGuests = box.station.status
    for (layout, mode, seen) in [
      ("bypass", "bypass", "see the test picture and hear the test tone"),
      ("single", "mix", "see the test picture and hear the test tone and the guests"),
      (
        "side_by_side", "mix",
        "see the test picture and the guests and hear the test tone and the guests"
      ),
      ("guest:ann", "mix", "see the guest and hear the test tone and the guests"),
      ("guest:ann", "bypass", "see and hear the guest"),
      ("talk", "mix", "see the layout talk and hear the test tone and the guests"),
    ] {
      withGuests.guests = Status.Guests(layout: layout, mode: mode, guests: [])
      #expect(withGuests.view == "Viewers \(seen).")
    }
    withGuests.intent.muted = true
    withGuests.audio = "silence"
    #expect(withGuests.view == "Viewers see the layout talk and hear nothing.")

    try box.station.perform(.videoOff, by: "by test")
    #expect(box.station.status.video == "video_off_still", "at once")
    #expect(reaches("live_video_off", box))
    var status = box.station.status
    #expect(status.audio == "tone" && status.lamp == "live" && status.capture.camera == "good")
    #expect(status.presence?.grade == "part_off" && status.presence?.word == "live")
    #expect(status.view == "Viewers see a still and hear the test tone.")
    #expect(status.lines.first?.value == "live, picture off")
    try box.station.perform(.audioOff, by: "by test")
    #expect(reaches("live_both_off", box))
    status = box.station.status
    #expect(status.audio == "silence" && status.intent.audioOff == true)
    #expect(status.view == "Viewers see a still and hear nothing.")
    #expect(box.run { box.station.isSettled })
    box.end()

    let again = try LiveStation(port: server.port, in: box.directory)
    #expect(
      again.station.intent == Intent(broadcast: .live, isVideoOff: true, isAudioOff: true))
    #expect(reaches("live_both_off", again))
    try again.station.perform(.videoOn, by: "by test")
    #expect(reaches("live_audio_off", again))
    #expect(again.station.status.video == "pattern")
    try again.station.perform(.audioOn, by: "by test")
    #expect(reaches("live", again))
    try again.station.perform(.videoOff, by: "by test")
    try again.station.perform(.stop, by: "by test")
    #expect(reaches("off_air", again))
    // A new broadcast begins with both.
    try again.station.perform(.start, by: "by test")
    #expect(reaches("live", again))
    let codes = (box.events + again.events).map(\.code)
    for code in [Event.Code.videoOff, .audioOff, .videoOn, .audioOn] {
      #expect(codes.contains(code), "\(code)")
    }
    again.end()
  }
}
