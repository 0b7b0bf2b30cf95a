// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish

// The table. Deadlines and pauses are those of `RTMPDeadlines`.
extension BadServer {
  typealias Script = @Sendable (Peer) throws -> Void

  package static let all: [BadServer] =
    nowhere + mute + random + refusing + closing + slow + malformed + flooding + good

  static func bad(
    _ name: String, _ code: String, by step: RTMPStep? = nil,
    _ retry: Retry = .even, load: Load = .nothing, fault: String? = nil, script: @escaping Script
  ) -> BadServer {
    BadServer(
      name: name, place: .ipv4(script), codes: [code], step: step, retry: retry,
      load: load, fault: fault)
  }

  private static let nowhere = [
    BadServer(
      name: "nothing listens", place: .nothing, codes: ["connection_refused"], retry: .even),
    BadServer(
      name: "black hole", place: .blackHole, codes: ["timed_out_connect"], step: .connect,
      retry: .even),
    BadServer(
      name: "unknown name", place: .unknownName,
      codes: ["name_not_found", "name_server_unreachable", "timed_out_resolve"], step: .resolve,
      retry: .even),
  ]

  // MARK: Sending nothing, or a byte now and then

  private static let mute = [
    bad("mute from the start", "timed_out_handshake", by: .handshake) {
      $0.readToEnd()
    },
    bad("mute after S0", "timed_out_handshake", by: .handshake) { peer in
      _ = try peer.read(1_537)
      try peer.write([3])
      peer.readToEnd()
    },
    bad("mute after S1", "timed_out_handshake", by: .handshake) { peer in
      _ = try peer.read(1_537)
      try peer.write([3] + Peer.zeros(1_536))
      peer.readToEnd()
    },
    bad(
      "mute after the handshake", "timed_out_connect_reply",
      by: .connectReply
    ) { peer in
      try peer.greet()
      peer.readToEnd()
    },
    bad(
      "mute after connect", "timed_out_publish_reply",
      by: .publishReply
    ) { peer in
      try peer.greet()
      try peer.answer(upTo: "createStream")
      peer.readToEnd()
    },
    bad(
      "mute after createStream", "timed_out_publish_reply", by: .publishReply
    ) { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      peer.readToEnd()
    },
    bad("handshake in single bytes", "timed_out_handshake", by: .handshake) { peer in
      _ = try peer.read(1_537)
      try peer.dribble([3] + Peer.zeros(3_072))
    },
    bad(
      "reply in single bytes", "timed_out_connect_reply",
      by: .connectReply
    ) { peer in
      try peer.greet()
      try peer.dribble([3, 0, 0, 0, 0, 3, 232, 0x14, 0, 0, 0, 0] + Peer.zeros(1_000))
    },
  ]

  // MARK: Not RTMP

  private static let random = [
    bad("a web server", "handshake_failed") { peer in
      _ = try peer.read(1_537)
      try peer.write(Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))
    },
    bad("an SSH server", "handshake_failed") {
      peer in
      try peer.write(Array("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".utf8))
      peer.readToEnd()
    },
    bad("random bytes for a handshake", "handshake_failed") {
      peer in
      _ = try peer.read(1_537)
      try peer.write(Array(Peer.noise(20_000).dropFirst(4)))
      peer.readToEnd()
    },
    bad("random bytes after S0", "server_misbehaved", .growing) { peer in
      _ = try peer.read(1_537)
      try peer.write([3] + Peer.noise(20_000))
      peer.readToEnd()
    },
    bad("random bytes for the connect reply", "server_misbehaved", .growing) { peer in
      try peer.greet()
      try peer.write(Peer.noise(20_000))
      peer.readToEnd()
    },
    bad("random bytes for the stream's number", "server_misbehaved", .growing) {
      peer in
      try peer.greet()
      try peer.answer(upTo: "createStream")
      try peer.write(Peer.noise(20_000))
      peer.readToEnd()
    },
    bad("random bytes for the publish reply", "server_misbehaved", .growing) { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.write(Peer.noise(20_000))
      peer.readToEnd()
    },
    bad("random bytes while publishing", "server_misbehaved", .growing) { peer in
      try peer.accept()
      try peer.write(Peer.noise(20_000))
      peer.readToEnd()
    },
  ]

  // MARK: Refusing

  private static let refusing = [
    bad("BadName", "refused_stream_in_use", .growing, fault: "refused_stream_in_use") { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Publish.BadName", "Already publishing")
      peer.readToEnd()
    },
    bad("Denied", "refused_not_allowed", .growing) { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Publish.Denied")
      peer.readToEnd()
    },
    bad("Rejected", "refused_not_allowed", .growing) { peer in
      try peer.greet()
      try peer.refuseConnect("NetConnection.Connect.Rejected", "Not today")
    },
    bad("wrong application", "refused_unknown_application", .growing) {
      peer in
      try peer.greet()
      try peer.refuseConnect("NetConnection.Connect.InvalidApp", "")
    },
    bad("authentication wanted", "refused_authentication", .growing) { peer in
      try peer.greet()
      try peer.refuseConnect(
        "NetConnection.Connect.Rejected",
        "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ")
    },
    bad("failed authentication", "refused_authentication", .growing) { peer in
      try peer.greet()
      try peer.refuseConnect(
        "NetConnection.Connect.Rejected",
        "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=authfailed&opaque=vgoAAA==")
    },
    bad("sends elsewhere", "refused_redirected", .growing, fault: "refused_redirected") { peer in
      try peer.greet()
      try peer.refuseConnect(
        "NetConnection.Connect.Rejected", "Moved", redirect: "rtmp://elsewhere.invalid/live")
    },
    // As pyrtmp and others do; not all of them call it an error.
    bad("BadAuth", "refused_not_allowed", .growing, fault: "refused_not_allowed") { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status("NetStream.Publish.BadAuth", "Invalid stream key")
      peer.readToEnd()
    },
    bad("a refusal in words", "refused_not_allowed", .growing, fault: "refused_not_allowed") {
      peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Failed", "Access denied by the on_publish hook")
      peer.readToEnd()
    },
    bad("wrong token", "refused_not_allowed", .growing) { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
      try peer.status(level: "error", "NetStream.Authenticate.UsherTokenInvalid")
      peer.readToEnd()
    },
    bad("ends the stream", "ended_by_server", .growing) { peer in
      try peer.accept()
      try peer.status("NetStream.Unpublish.Success")
      peer.readToEnd()
    },
  ]

  // MARK: Closing

  private static let closing = [
    bad("closes at once", "closed_by_server_handshake") { _ in },
    bad("closes within the handshake", "closed_by_server_handshake") { peer in
      _ = try peer.read(1_537)
      try peer.write([3] + Peer.zeros(1_000))
    },
    bad(
      "closes for the application", "closed_by_server_connect_reply", .growing
    ) { peer in
      try peer.greet()
      _ = try peer.message()
    },
    bad(
      "closes within a message", "closed_by_server_connect_reply", .growing
    ) { peer in
      try peer.greet()
      _ = try peer.message()
      try peer.write([3, 0, 0, 0, 0, 0, 100, 0x14, 0, 0, 0, 0, 2, 0, 7])
    },
    bad(
      "closes for createStream", "closed_by_server_publish_reply", .growing
    ) { peer in
      try peer.greet()
      try peer.answer(upTo: "createStream")
    },
    bad(
      "closes for publish", "closed_by_server_publish_reply", .growing
    ) { peer in
      try peer.greet()
      try peer.answer(upTo: "publish")
    },
    bad("takes and drops", "closed_by_server_send", .growing, fault: "closed_after_start") {
      try $0.accept()
    },
    // As SRS and lal do for a wrong key, a hook that says no, and a busy stream.
    bad(
      "closes 50 ms after Start", "closed_by_server_send", .growing, load: .stream,
      fault: "closed_after_start"
    ) { peer in
      try peer.accept()
      let end = MediaTime.now() + .milliseconds(50)
      try peer.readingAside { end.sleepUntil() }
    },
    bad(
      "resets after a picture", "closed_by_server_send", .growing,
      load: .stream, fault: "closed_after_start"
    ) { peer in
      try peer.accept()
      while try peer.message().type != 9 {}
      peer.resetOnClose()
    },
  ]

  // MARK: Slow

  private static let slow = [
    // Which of the two comes first depends on the sizes of the kernel's buffers.
    BadServer(
      name: "reads at 50 kbit/s",
      place: .ipv4 { peer in
        peer.limitReceiving(to: 8_192)
        try peer.accept()
        while true {
          _ = try peer.read(625)
          (MediaTime.now() + .milliseconds(100)).sleepUntil()
        }
      }, codes: ["link_too_slow", "timed_out_send"],
      step: .send, retry: .even, load: .flood),
    bad(
      "freezes", "timed_out_send", by: .send, load: .stream
    ) { peer in
      peer.limitReceiving(to: 8_192)
      try peer.accept()
      peer.freeze()
    },
  ]
}
