// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Control

/// `PUT /api/destination`, and the settings of a login.
@Suite struct DestinationRouteTests {
  @Test func aNewAddressNeedsABroadcastAndAnAdmin() async throws {
    try await ServedStation.run { box in
      func put(_ body: String, _ scope: String = "admin") -> String {
        let answer = box.tcp(
          ServedStation.request("PUT", "/api/destination", body), box.token(scope))
        return String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
      }
      let good = #"{"url": "rtmp://h.test/live", "key": "swordfish"}"#
      #expect(put(good, "read") == "403" && put(good, "control") == "403")
      #expect(put("{}") == "400" && put(#"{"url": 1}"#) == "400")
      #expect(put(#"{"url": "rtmp://h.test/live", "kye": "k"}"#) == "400")
      #expect(put(good) == "409", "off air")
      let answer = box.tcp(
        ServedStation.request("PUT", "/api/destination", good), box.token("admin"))
      #expect(answer.contains("\"off_air\"") && !answer.contains("swordfish"))
    }
  }

  @Test func aRelaysPasswordIsKeptAndNeverShown() async throws {
    try await ServedStation.run { box in
      let relay =
        #"{"name": "w", "url": "rtmp://w.test/live", "key": "k", "user": "u", "password": "swordfish"}"#
      let made = box.tcp(ServedStation.request("POST", "/api/relays", relay), box.token("admin"))
      #expect(made.hasPrefix("HTTP/1.1 200"), "\(made)")
      let address = box.desk.configuration.relays.first?.address
      #expect(address?.user == "u" && address?.password.reveal() == "swordfish")
      for path in ["/api/relays", "/api/settings", "/api/status"] {
        #expect(!box.tcp(ServedStation.get(path), box.token("admin")).contains("swordfish"))
      }
      // Another server needs it anew.
      let moved = box.tcp(
        ServedStation.request(
          "PATCH", "/api/relays/w", #"{"url": "rtmp://evil.test/live", "key": "l"}"#),
        box.token("admin"))
      #expect(moved.hasPrefix("HTTP/1.1 400") && moved.contains("relay.w.password"), "\(moved)")
      let gone = box.tcp(ServedStation.request("DELETE", "/api/relays/w"), box.token("admin"))
      #expect(gone.hasPrefix("HTTP/1.1 200"), "\(gone)")
    }
  }
}
