// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc

/// What each server received while OnAir paused again and again.
struct RelayPrivacy: Encodable {
  struct Server: Encodable {
    var name: String
    /// Frames that show a number were captured; others show the still.
    var captured = 0
    var stills = 0
    /// Frames that were captured while OnAir was paused.
    var hidden = 0
  }

  var pauses = 0
  /// Frames captured while OnAir was paused, which no server may have.
  var framesHidden = 0
  var servers: [Server] = []

  var verdicts: [Verdict] {
    servers.map { server in
      Verdict(
        // What is too slow for a whole keyframe gets nothing at all.
        holds: server.hidden == 0 && framesHidden > 0
          && (!server.name.hasPrefix("good") || server.stills > 0 && server.captured > 0),
        text:
          "\(server.name): \(server.captured) captured frames and \(server.stills) of the still in \(pauses) pauses; "
          + "\(server.hidden) of the \(framesHidden) that were captured meanwhile, at most 0")
    }
  }
}

extension Track {
  /// Pauses and resumes OnAir for the time of a measurement, with a good relay, one that halts, one that is slow and one
  /// that is frozen.
  func relayPrivacy() throws -> RelayPrivacy {
    let manners: [(String, Server.Manner)] = [
      ("good main server", .prompt), ("good relay", .prompt), ("good relay that halts", .halting),
      ("relay at 50 kbit/s", .slow(kbps: 50)), ("frozen relay", .frozen),
    ]
    let servers = try manners.map { try Server(.rtmp, $1) }
    defer { for server in servers { server.end() } }
    // Its own state directory, since OnAir remains paused after a restart.
    let state = ["--set", "state.directory=\(work)/state-privacy"]
    let ports = Servers(main: servers[0].port, relays: servers.dropFirst().map(\.port))
    let child = try Child(
      Contender.onair.command(to: ports, tools: tools, work: work) + state,
      log: "\(work)/privacy.log")
    let feeder = Feeder(scene: scene, descriptor: child.input)
    feeder.start()
    var result = RelayPrivacy()
    var hidden: [Range<MediaTime>] = []
    do {
      defer { child.end() }
      let end = try waitForPicture(servers[0], child, .onair) + .seconds(Int64(seconds))
      try ask("resume", state)
      while .now() < end {
        (MediaTime.now() + .seconds(3)).sleepUntil()
        try ask("pause", state)
        let begun = MediaTime.now()
        (begun + .milliseconds(1_700)).sleepUntil()
        hidden.append(begun..<MediaTime.now())
        try ask("resume", state)
      }
      (MediaTime.now() + .seconds(5)).sleepUntil()
      guard child.isRunning else {
        throw Child.FailedError(description: "OnAir has ended: see \(work)/privacy.log")
      }
    }
    let captured = feeder.stop(by: .now() + .seconds(1)).captured
    let secret = Set(
      captured.indices.filter { number in hidden.contains { $0.contains(captured[number]) } })
    result.pauses = hidden.count
    result.framesHidden = secret.count
    for (server, manner) in zip(servers, manners) {
      let numbers = try Stream(server.received).numbers
      result.servers.append(
        .init(
          name: manner.0, captured: numbers.count { $0 != nil },
          stills: numbers.count { $0 == nil },
          hidden: numbers.count { $0.map(secret.contains) ?? false }))
    }
    return result
  }
}
