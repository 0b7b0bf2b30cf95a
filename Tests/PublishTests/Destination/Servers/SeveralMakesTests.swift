// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FakeServer
import Foundation
import Testing

@testable import Publish

/// One stream to servers of several makes at once, by RTMPS and RTMP, over a long virtual time.
@Suite struct SeveralMakesTests {
  /// An hour if requested, since each of its seconds takes some milliseconds. Then with pyrtmp, too, if ONAIR_PYRTMP names
  /// a Python that has it.
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["ONAIR_SOAK"] != nil ? 3_600 : 60

  /// A server in another program.
  private final class Server {
    let port: Int
    private let process = Process()

    init(_ program: String, _ arguments: (Int) -> [String]) throws {
      port = try FakeServer.freePort()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments(port)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    func end() {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  @Test func eachHasAllOfIt() throws {
    let nginx = try Nginx()
    let front = try TLSFront(before: nginx.port, ["good"])
    let ffmpeg = try Server("/usr/bin/ffmpeg") { port in
      // It takes the stream as bytes: the frames are no video.
      ["-v", "error", "-listen", "1", "-f", "data", "-i", "rtmp://127.0.0.1:\(port)/live/ffmpeg"]
        + ["-map", "0", "-c", "copy", "-f", "data", "-y", "/dev/null"]
    }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "pyrtmp-server")
    let pyrtmp = try SeveralMakesTests.environment["ONAIR_PYRTMP"].map { python in
      try Server(python) { [script.path, "\($0)", nginx.folder.path] }
    }
    defer {
      pyrtmp?.end()
      ffmpeg.end()
      front.end()
      nginx.end()
    }
    let time = VirtualClock()
    var rigs = [
      try Rig(
        port: front.port("good"), host: "localhost",
        transport: .tls(authorities: front.file("ca")), key: "main", clock: time.clock),
      try Rig(port: nginx.port, key: "relay", clock: time.clock),
      try Rig(port: ffmpeg.port, key: "ffmpeg", clock: time.clock),
    ]
    if let pyrtmp { rigs.append(try Rig(port: pyrtmp.port, key: "pyrtmp", clock: time.clock)) }
    for rig in rigs {
      rig.destination.start()
      // ffmpeg takes a moment until it listens.
      #expect(
        Rig.wait {
          time.advance(by: .milliseconds(10))
          return rig.destination.counters.state.isOnAir
        })
    }
    let failures = rigs.map(\.destination.counters.failures)
    var noise = Noise(seed: 5)
    let start = time.now
    for second in 0..<SeveralMakesTests.seconds {
      for frame in 0..<30 {
        let now = start + .seconds(Int64(second)) + Int64(frame) * 1_000_000_000 / 30
        time.advance(by: now - time.now)
        let isKey = frame == 0
        let pieces = [
          Piece(kind: isKey ? .keyframe : .frame, time: now, bytes: noise.bytes(isKey ? 900 : 90)),
          Piece(kind: .audio, time: now + 1_000, bytes: noise.bytes(40)),
        ]
        for piece in pieces {
          piece.lent { packet in for rig in rigs { rig.destination.offer(packet) } }
        }
      }
      // All of it has to arrive before the clock goes on: how long that takes is this machine's affair.
      let hasArrived = Rig.wait {
        rigs.allSatisfy { rig in
          rig.destination.counters.queuedBytes == 0
            && rig.destination.link.map { $0.inFlightBytes == 0 } ?? false
        }
      }
      guard hasArrived else {
        Issue.record("second \(second): \(rigs.map(\.destination.counters))")
        break
      }
    }
    for (rig, before) in zip(rigs, failures) {
      let counters = rig.destination.counters
      #expect(counters.failures == before && counters.reconnects == 0 && counters.dropped == 0)
      #expect(counters.framesSent == SeveralMakesTests.seconds * 30)
      #expect(rig.stop(goodbye: true))
    }
    for key in ["main", "relay"] {
      let recorded = try nginx.recorded(key).filter {
        $0.type == 9 && $0.body.dropFirst().first == 1
      }
      #expect(recorded.count == SeveralMakesTests.seconds * 30)
      let last = SeveralMakesTests.seconds * 1_000 - 34
      #expect(
        recorded.last.map { abs(Int($0.time) - last) < 2 } == true, "\(recorded.last?.time ?? 0)")
    }
  }
}
