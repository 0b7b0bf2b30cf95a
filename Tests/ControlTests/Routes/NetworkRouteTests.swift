// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FakeNetwork
import TestSupport
import Testing

@testable import Control

/// The API of the box's own network.
@Suite struct NetworkRouteTests {
  @Test func aWiFiIsJoinedOverTheAPI() async throws {
    try await ServedStation.run { box in
      box.manager.addPoint("Home", password: "secret-password")
      let wifis = { box.tcp(ServedStation.get("/api/network"), box.token("read")) }
      #expect(eventually { wifis().contains(#""name":"Home""#) })
      #expect(wifis().contains(#""available":true"#))
      let body = #"{"name":"Home","password":"secret-password"}"#
      let join = ServedStation.request("POST", "/api/network/wifi/join", body)
      #expect(box.tcp(join, box.token("control")).hasPrefix("HTTP/1.1 403"))
      #expect(box.tcp(join, box.token("admin")).contains(#""ok":true"#))
      #expect(
        eventually {
          box.manager.settle()
          return wifis().contains(#""state":"done""#)
        })
      #expect(wifis().contains("The box uses the Wi-Fi Home."))
      #expect(!wifis().contains("secret-password"))
      let diagnostics = box.tcp(ServedStation.get("/api/diagnostics"), box.token("admin"))
      #expect(diagnostics.contains(#""network""#))
      #expect(!diagnostics.contains("secret-password"))
    }
  }

  @Test func refusalsHaveACodeAndASentence() async throws {
    try await ServedStation.run { box in
      let admin = box.token("admin")
      let wrong = [
        ("POST", "wifi/join", #"{"name":"Home","password":"short"}"#, "unfit_password"),
        ("POST", "wifi/forget", #"{"name":"Home"}"#, "unknown_wifi"),
        (
          "PUT", "address", #"{"interface":"eth0","method":"static","address":"1.2.3.4"}"#,
          "unfit_address"
        ),
        ("PUT", "address", #"{"interface":"eth7","method":"dhcp"}"#, "unknown_interface"),
        ("POST", "confirm", #"{"number":1}"#, "nothing_to_confirm"),
      ]
      for (method, path, body, code) in wrong {
        let answer = box.tcp(ServedStation.request(method, "/api/network/\(path)", body), admin)
        #expect(answer.hasPrefix("HTTP/1.1 409"), "\(path): \(answer)")
        #expect(answer.contains(#""code":"\#(code)""#), "\(path): \(answer)")
      }
      for (method, path, body) in [
        ("POST", "wifi/join", #"{"name":"Home","passwort":"x"}"#), ("POST", "hotspot", "{}"),
        // A change is confirmed with its number alone.
        ("POST", "confirm", "{}"),
        ("PUT", "address", #"{"interface":"eth0","method":"magic"}"#),
      ] {
        let answer = box.tcp(ServedStation.request(method, "/api/network/\(path)", body), admin)
        #expect(answer.hasPrefix("HTTP/1.1 400"), "\(path): \(answer)")
      }
      box.manager.setRuns(false)
      #expect(
        eventually {
          box.tcp(ServedStation.get("/api/network"), admin).contains(#""available":false"#)
        })
    }
  }
}
