// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Settings
import Testing

@testable import Box
@testable import Control

/// What an attacker with an admin token tries over HTTP, step by step, to have the stream key sent to a server of his own.
@Suite struct BoundKeyRouteTests {
  private struct Step {
    var method = "PATCH"
    var path = "/api/settings"
    let body: String
  }

  private static let evil = "rtmp://evil.test/live"

  private static let attacks: [[Step]] = [
    [Step(body: #"{"publish.url": ""}"#), Step(body: #"{"publish.url": "\#(evil)"}"#)],
    [Step(body: #"{"publish.url": null}"#), Step(body: #"{"publish.url": "\#(evil)"}"#)],
    [Step(body: #"{"publish.url": "\#(evil)"}"#)],
    // Not encrypted any more.
    [Step(body: #"{"publish.url": "rtmp://good.test/live"}"#)],
    [
      Step(body: #"{"publish.url": ""}"#), Step(body: #"{"publish.url": "rtmp://good.test/live"}"#),
    ],
    [Step(body: #"{"publish.backup_url": "\#(evil)"}"#)],
    [
      Step(path: "/api/settings?trial=true", body: #"{"publish.url": "", "video.fps": 20}"#),
      Step(path: "/api/settings?trial=true", body: #"{"publish.url": "\#(evil)"}"#),
    ],
    [
      Step(body: #"{"publish.url": "\#(evil)", "publish.key": ""}"#),
      Step(body: #"{"publish.key": null}"#),
    ],
    [
      Step(method: "PATCH", path: "/api/relays/one", body: #"{"url": "\#(evil)"}"#)
    ],
    [
      Step(method: "DELETE", path: "/api/relays/one", body: ""),
      Step(method: "POST", path: "/api/relays", body: #"{"name": "one", "url": "\#(evil)"}"#),
    ],
    // Under another name.
    [Step(method: "PUT", path: "/api/relays", body: #"[{"name": "two", "url": "\#(evil)"}]"#)],
    [Step(method: "PUT", path: "/api/relays", body: #"[{"name": "one", "url": "\#(evil)"}]"#)],
    [
      Step(body: #"{"relay.one.removed": true, "relay.one.url": "\#(evil)"}"#),
      Step(body: #"{"relay.one.removed": null}"#),
    ],
    [Step(body: #"{"relay.one.url": null}"#), Step(body: #"{"relay.one.url": "\#(evil)"}"#)],
    [Step(method: "POST", path: "/api/start", body: #"{"url": "\#(evil)"}"#)],
  ]

  @Test func theKeyStaysWithItsServer() async throws {
    try await ServedStation.run { box in
      var owner = SettingsPatch([
        "publish.url": .text("rtmps://good.test/live"), "publish.key": .text("owner-1"),
        "publish.backup_url": .text(""), "relay.one.url": .text("rtmp://relay.test/live"),
        "relay.one.key": .text("owner-2"),
      ])
      for declaration in RelaySettings.list.declarations {
        let (one, two) = (
          declaration.key.replacing("NAME", with: "one"),
          declaration.key.replacing("NAME", with: "two")
        )
        if owner.values[one] == nil { owner.values[one] = .some(nil) }
        owner.values[two] = .some(nil)
      }
      for attack in BoundKeyRouteTests.attacks {
        // All as it was before.
        _ = try box.desk.change(owner, by: "by test")
        #expect(box.desk.configuration.destination?.playpath.reveal() == "owner-1")
        for step in attack {
          _ = box.tcp(ServedStation.request(step.method, step.path, step.body), box.token("admin"))
          let configuration = box.desk.configuration
          let main = [configuration.destination, configuration.backup]
          for address in main + configuration.relays.map(\.address) {
            guard let address, address.playpath.reveal().hasPrefix("owner-") else { continue }
            #expect(
              address.host == "relay.test" || address.host == "good.test" && address.isSecure,
              "\(attack)")
          }
        }
      }
      #expect(!box.station.isOnAir, "a start with another address needs that server's key")
    }
  }
}
