// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Box
@testable import Control

/// `/api/lipsync`.
@Suite struct LipSyncRouteTests {
  @Test func aPhoneMeasuresAsWell() async throws {
    try await ServedStation.run { box in
      func measure(_ body: String) -> String {
        ServedStation.send(
          ServedStation.request("POST", "/api/lipsync", body),
          to: ControlClient.socket(in: box.directory))
      }
      for body in [
        #"{"by": "moon"}"#, #"{"by": "phone", "x": 0}"#, #"{"by": 1}"#, #"{"who": "phone"}"#, "[]",
        #"{"x": 0, "y": 0, "width": 2, "height": 1}"#,
      ] {
        #expect(measure(body).hasPrefix("HTTP/1.1 400"), "\(body)")
      }
      #expect(box.station.lipSync.state == .none)
      let begun = measure(#"{"by": "phone", "x": 0.1, "y": 0.1, "width": 0.5, "height": 0.5}"#)
      #expect(begun.hasPrefix("HTTP/1.1 200") && begun.contains("\"by_phone\""), "\(begun)")
      #expect(measure("").hasPrefix("HTTP/1.1 409"))
      #expect(box.station.lipSync.byPhone == true)
      #expect(box.station.lipSyncBeat(at: .now() + .milliseconds(2_050)) == nil)
    }
  }
}
