// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Streams with wrong bytes, and streams that end anywhere.
@Suite(.enabled(if: MadeFiles.hasFFmpeg)) struct GuestMutationTests {
  @Test(arguments: [
    ("a.flv", ["libx264", "aac"]), ("a.ts", ["libx264", "aac"]), ("b.ts", ["libx265", "ac3"]),
    ("c.ts", ["mpeg2video", "mp2"]),
  ])
  func wrongBytesDoNoHarm(name: String, codecs: [String]) throws {
    let files = try MadeFiles()
    let whole = try MadeFiles.bytes(
      files.encode(
        name,
        MadeFiles.flashAndBeep(seconds: 2) + [
          "-c:v", codecs[0], "-c:a", codecs[1], "-g", "10", "-x265-params", "log-level=none",
        ]))
    let next = Mutex<[UInt8]>([])
    let server = try MusicServer { connection in
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      connection.send(next.withLock { $0 })
    }
    defer { server.stop() }
    var random = SplitMix64(seed: 5)
    var opened = 0
    for round in 0..<often(300) {
      var bytes = whole
      if round % 3 == 1 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      for _ in 0..<(round % 40 == 0 ? 0 : Int.random(in: 1...200, using: &random))
      where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      next.withLock { $0 = bytes }
      if play(server.url("/\(name)")) { opened += 1 }
    }
    #expect(opened > often(300) / 3)
  }

  /// Reads and plays a stream in virtual time.
  /// - Returns: whether it could be opened.
  private func play(_ address: String) -> Bool {
    let lab = PlayerLab()
    guard
      let input = try? GuestInput(GuestInputRequest(address: address), output: lab.output)
    else { return false }
    lab.play(input)
    return true
  }
}

extension PlayerLab {
  /// Plays all packets of an input, one each 10 ms.
  fileprivate func play(_ input: GuestInput) {
    var known: Set<Int> = []
    while case .packet(let stream)? = try? input.read() {
      guard let kind = input.kind(stream) else { continue }
      if known.insert(stream).inserted, let track = input.track(stream) { buffer.begin(track) }
      unsafe buffer.put(input.packet, kind, stamps: input.stamps, arrived: now)
      run(for: .milliseconds(10))
    }
    run(for: .seconds(1))
  }
}
