// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Box
@testable import Control

@Suite struct FactoryResetRouteTests {
  @Test func itIsConfirmedByTyping() async throws {
    try await ServedStation.run { box in
      for body in ["", "{}", #"{"confirm": "yes"}"#] {
        for answer in box.both(ServedStation.request("POST", "/api/factory_reset", body)) {
          #expect(answer.contains(" 400 "))
        }
      }
      for scope in ["read", "control"] {
        let request = ServedStation.request("POST", "/api/factory_reset", #"{"confirm": "reset"}"#)
        #expect(box.tcp(request, box.token(scope)).contains(" 403 "))
      }
      // From elsewhere it needs the password, too.
      for (body, status) in [
        (#"{"confirm": "reset"}"#, 403), (#"{"confirm": "reset", "password": "wrong horse"}"#, 401),
      ] {
        let request = ServedStation.request("POST", "/api/factory_reset", body)
        #expect(box.tcp(request, box.token("admin")).contains(" \(status) "))
      }
      #expect(!FactoryReset.isDue(in: box.directory))
      let now = MediaTime.now()
      let reply = try ControlClient.resetToFactory(directory: box.directory)
      #expect(reply.ok && reply.changed)
      #expect(FactoryReset.isDue(in: box.directory))
      // After the answer, not before.
      #expect(!box.station.isResetDue(now))
      let request = ServedStation.request(
        "POST", "/api/factory_reset",
        #"{"confirm": "reset", "password": "\#(ServedStation.password)"}"#)
      #expect(box.tcp(request, box.token("admin")).contains(" 200 "))
      #expect(box.station.isResetDue(.now() + .seconds(1)))
    }
  }
}
