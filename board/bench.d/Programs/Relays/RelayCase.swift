// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FakeServer

/// What the other servers of a stream do while one is measured.
enum RelayCase: String, CaseIterable, Encodable, Sendable {
  case none
  case frozen
  case mute
  case slow
  case refusing
  case all
  /// The main server is frozen, and a relay is measured.
  case main

  var title: String {
    switch self {
    case .none: "no relay"
    case .frozen: "a frozen relay"
    case .mute: "a mute relay"
    case .slow: "a relay at 50 kbit/s"
    case .refusing: "a refusing relay"
    case .all: "all four relays"
    case .main: "the main server frozen: its relay"
    }
  }

  /// The servers' manners; `nil` for a port at which nothing listens.
  private var manners: [Server.Manner?] {
    switch self {
    case .none: []
    case .frozen, .main: [.frozen]
    case .mute: [.mute]
    case .slow: [.slow(kbps: 50)]
    case .refusing: [nil]
    case .all: [.frozen, .mute, .slow(kbps: 50), nil]
    }
  }

  /// Runs `body` with the ports of the other servers.
  func withServers<Result>(_ body: ([Int]) throws -> Result) throws -> Result {
    var servers: [Server] = []
    defer { for server in servers { server.end() } }
    let ports = try manners.map { manner in
      guard let manner else { return try FakeServer.freePort() }
      let server = try Server(.rtmp, manner)
      servers.append(server)
      return server.port
    }
    return try body(ports)
  }
}

/// A program that sends one stream to several servers, in a way that its documentation gives.
enum RelayProgram: String, CaseIterable, Encodable, Sendable {
  case onair = "OnAir"
  case ffmpeg = "ffmpeg tee"
  case ffmpegQueues = "ffmpeg tee, fifo"
  case gstreamer = "GStreamer tee"
  case gstreamerQueues = "GStreamer tee, leaky"

  var contender: Contender {
    switch self {
    case .onair: .onair
    case .ffmpeg, .ffmpegQueues: .ffmpeg
    case .gstreamer, .gstreamerQueues: .gstreamer
    }
  }

  /// Whether it drops what a server does not take, instead of waiting for it.
  var queues: Bool { self == .ffmpegQueues || self == .gstreamerQueues }
}
