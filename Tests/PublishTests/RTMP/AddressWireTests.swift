// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Mux
import Testing

@testable import Publish

/// What a server receives of addresses of every form.
@Suite struct AddressWireTests {
  /// The commands that name the stream, each with its argument, up to "publish".
  private func commands(app: String, key: String) throws -> [[AMF0]] {
    let heard = Found<[[AMF0]]>()
    let server = try FakeServer { peer in
      try peer.greet()
      var commands: [[AMF0]] = []
      while commands.last?.first != .string("publish") {
        let message = try peer.message()
        guard message.type == 0x14 else { continue }
        let values = AMF0Reader.values(message.body[...])
        commands.append(values)
        switch values[0] {
        case .string("connect"): try peer.send([.string("_result"), values[1], .null, .null])
        case .string("createStream"):
          try peer.send([.string("_result"), values[1], .null, .number(1)])
        default: break
        }
      }
      try peer.status("NetStream.Publish.Start")
      heard.set(commands)
      peer.readToEnd()
    }
    defer { server.end() }
    let rig = try Rig(port: server.port, app: app, key: key)
    rig.destination.start()
    let commands = try #require(heard.wait())
    #expect(rig.waitForPublishing())
    #expect(rig.stop())
    #expect(commands[0][2]["tcUrl"] == .string("rtmp://127.0.0.1:\(server.port)/\(app)"))
    return commands
  }

  @Test(arguments: [
    // As Kick shows it, and MediaMTX; and a JSON Web Token in either.
    ("", "sk_us-west-2_abc"), ("cam?user=u&pass=p", ""),
    ("live", "cam?jwt=" + String(repeating: "eyJhbGci", count: 500)),
    ("cam?jwt=" + String(repeating: "eyJhbGci", count: 500), ""),
    ("live/" + String(repeating: "x", count: 130), String(repeating: "y", count: 977)),
  ])
  func theAddressArrivesWhole(_ app: String, _ key: String) throws {
    let commands = try commands(app: app, key: key)
    #expect(
      commands.map { $0[0].string } == [
        "connect", "releaseStream", "FCPublish", "createStream", "publish",
      ])
    #expect(commands.map { $0[1].number } == [1, 2, 3, 4, 5])
    #expect(commands[0][2]["app"] == .string(app))
    for index in [1, 2, 4] { #expect(commands[index][3] == .string(key)) }
  }
}
