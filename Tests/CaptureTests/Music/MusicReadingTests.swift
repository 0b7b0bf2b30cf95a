// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// What the thread that reads music does with the box's own lists, with short pieces, and with servers that send too
/// much.
@Suite(.serialized) struct MusicReadingTests {
  private static let head = "HTTP/1.0 200 OK\r\n\r\n"

  /// Sends sound of a station at once.
  private static func burst(_ connection: MusicServer.Connection, seconds: Double) {
    connection.send(head)
    connection.send(TestSound.head(bytes: nil) + TestSound.samples(seconds: seconds))
  }

  private static func isSkipped(_ report: MusicReport) -> Bool {
    if case .skipped = report { true } else { false }
  }

  // MARK: Lists of the box

  /// A list on the box that names a station is that station: off air nobody listens to it, and it comes back.
  @Test(arguments: ["%@\n", "[playlist]\nFile1=%@\n"])
  func aListOfTheBoxThatNamesAStationIsThatStation(form: String) throws {
    let isUp = Atomic(true)
    let server = try MusicServer { connection in
      if isUp.load(ordering: .relaxed) { Self.burst(connection, seconds: 8) }
    }
    defer { server.stop() }
    let files = try MadeFiles()
    let list = try files.write(
      "radio", Array(form.replacing("%@", with: server.url("/live")).utf8))
    let bench = MusicBench(isOnNetwork: true)
    bench.play(.file(path: list))
    bench.run(seconds: 20, step: .milliseconds(200))
    #expect(bench.player.status.state == .waiting && server.connections("/live") == 0)
    bench.open()
    bench.run(seconds: 10) { bench.player.status.state == .playing }
    #expect(bench.player.status.state == .playing)
    isUp.store(false, ordering: .relaxed)
    bench.run(seconds: 90, step: .milliseconds(100))
    #expect(bench.player.status.state == .starting, "\(bench.reports)")
    isUp.store(true, ordering: .relaxed)
    bench.run(seconds: 120, step: .milliseconds(100)) { bench.player.status.state == .playing }
    #expect(bench.player.status.state == .playing, "\(bench.reports)")
  }

  /// As much as of any station is in hand before it is heard.
  @Test func aStationOfAListIsHeardWithThreeSecondsInHand() throws {
    let server = try MusicServer { connection in
      Self.burst(connection, seconds: 2)
      connection.hold()
    }
    defer { server.stop() }
    let files = try MadeFiles()
    let list = try files.write("radio.m3u", Array("\(server.url("/live"))\n".utf8))
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.file(path: list))
    bench.run(seconds: 4)
    #expect(server.connections("/live") == 1 && bench.soundSeconds == 0)
  }

  /// A pause before the first sound closes the connection.
  @Test func aPausedListOpensNothing() throws {
    let open = Atomic(0)
    let server = try MusicServer { connection in
      open.wrappingAdd(1, ordering: .relaxed)
      connection.hold()
      open.wrappingSubtract(1, ordering: .relaxed)
    }
    defer { server.stop() }
    let files = try MadeFiles()
    let list = try files.write("radio.m3u", Array("\(server.url("/live"))\n".utf8))
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.file(path: list))
    bench.run(seconds: 5) { open.load(ordering: .relaxed) == 1 }
    try bench.player.pause()
    bench.run(seconds: 1)
    #expect(open.load(ordering: .relaxed) == 0)
    bench.run(seconds: 30, step: .milliseconds(100))
    #expect(server.connections("/live") == 1)
    try bench.player.resume()
    bench.run(seconds: 5) { server.connections("/live") == 2 }
    #expect(server.connections("/live") == 2)
  }

  // MARK: Turns

  /// A file of 5 ms is opened once a second at most; one of 0.4 s is repeated without a gap.
  @Test func aShortFileThatLoopsIsNotOpenedAllTheTime() throws {
    let files = try MadeFiles()
    let tiny = try files.write("tiny.wav", TestSound.file(seconds: 0.005))
    let short = try files.write("short.wav", TestSound.file(seconds: 0.4))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: tiny), loops: true)
    bench.run(seconds: 10)
    #expect(bench.soundSeconds < 0.5 && bench.reports == [], "\(bench.soundSeconds)")
    bench.play(.file(path: short), loops: true)
    bench.run(seconds: 6)
    let levels = bench.levels.drop { $0 < 0.4 }
    #expect(levels.count > 200 && levels.allSatisfy { $0 > 0.3 })
  }

  /// A song that is repeated is heard to its end: only another one fades over it.
  @Test func aRepeatedFileDoesNotOverlapItself() throws {
    let files = try MadeFiles()
    let song = try files.write("song.wav", TestSound.file(seconds: 12))
    let bench = MusicBench()
    bench.open()
    bench.play(.file(path: song), loops: true)
    bench.run(seconds: 11)
    let position = try #require(bench.player.status.position)
    #expect(abs(position - .seconds(11)) < .milliseconds(500), "\(position)")
    bench.run(seconds: 13)
    let levels = bench.levels.drop { $0 < 0.4 }
    #expect(levels.count > 1_000 && levels.allSatisfy { $0 > 0.3 })
  }

  /// A broken piece is told once, however often its turn comes, and again if it has been good in between.
  @Test func aBrokenPieceIsToldOnce() throws {
    let files = try MadeFiles()
    let good = TestSound.file(seconds: 1)
    let broken = Array("no music".utf8)
    _ = try files.write("1.wav", good)
    _ = try files.write("2.wav", broken)
    let bench = MusicBench()
    bench.open()
    bench.play(.folder(path: files.folder, isShuffled: false), loops: true)
    bench.run(seconds: 20)
    #expect(bench.reports.count { Self.isSkipped($0) } == 1, "\(bench.reports)")
    _ = try files.write("2.wav", good)
    bench.run(seconds: 20)
    _ = try files.write("2.wav", broken)
    bench.run(seconds: 20)
    #expect(bench.reports.count { Self.isSkipped($0) } == 2, "\(bench.reports)")
  }

  // MARK: Servers

  /// A part of HTTP Live Streaming that is missing is left out.
  @Test(.enabled(if: MadeFiles.hasFFmpeg)) func aMissingPartIsNotTheEnd() throws {
    let files = try MadeFiles()
    let parts = try [0, 4].map { second in
      let path = try files.encode(
        "\(second).ts",
        [
          "-f", "lavfi", "-i", "sine=500:d=2", "-c:a", "aac", "-output_ts_offset", "\(second)",
        ])
      return try MadeFiles.bytes(path)
    }
    let server = try MusicServer { connection in
      switch connection.path {
      case "/list":
        let entries = (0..<3).map { "#EXTINF:2,\n/\($0).ts\n" }.joined()
        connection.answer(
          Array("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(entries)#EXT-X-ENDLIST\n".utf8))
      case "/0.ts": connection.answer([UInt8](parts[0]))
      case "/2.ts": connection.answer([UInt8](parts[1]))
      default: connection.answer([], status: "404 Not Found")
      }
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/list")))
    bench.run(seconds: 20) { bench.player.status.state == .stopped && !bench.reports.isEmpty }
    #expect(bench.reports.last == .completed(name: "it"), "\(bench.reports)")
    #expect(server.connections("/1.ts") > 0 && bench.soundSeconds > 3, "\(bench.soundSeconds)")
  }

  /// A playlist without end, and a picture of 60 MB before the first sound: neither fills the memory.
  @Test(arguments: ["/list", "/part", "/picture"])
  func whatIsTooLongIsNotReadToItsEnd(path: String) throws {
    let sent = Atomic(0)
    let most = 60 << 20
    let server = try MusicServer { connection in
      let list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
      let line: [UInt8]
      connection.send(Self.head)
      switch connection.path {
      case "/picture":
        // ID3v2.3 (id3.org): sizes with 7 and with 8 bits a byte.
        func bytes(_ size: Int, bits: Int) -> [UInt8] {
          (0..<4).reversed().map { UInt8(size >> ($0 * bits) & (1 << bits - 1)) }
        }
        connection.send(
          Array("ID3".utf8) + [3, 0, 0] + bytes(most, bits: 7) + Array("APIC".utf8)
            + bytes(most - 10, bits: 8) + [0, 0, 0] + Array("image/jpeg".utf8) + [0, 3, 0])
        line = [UInt8](repeating: 0xD8, count: 64)
      case "/part":
        connection.send("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9000\n/list\n")
        return
      default:
        connection.send(list)
        line = Array("# \(String(repeating: "x", count: 61))\n".utf8)
      }
      let piece = [[UInt8]](repeating: line, count: 1_024).flatMap(\.self)
      while sent.load(ordering: .relaxed) < most, connection.send(piece) {
        sent.wrappingAdd(piece.count, ordering: .relaxed)
      }
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address(path)))
    bench.run(seconds: 300) { !bench.reports.isEmpty }
    guard case .interrupted(let trouble)? = bench.reports.first else {
      return #expect(Bool(false), "\(bench.reports)")
    }
    #expect(trouble.code == "not_media", "\(trouble)")
    // The sockets hold some megabytes.
    let bytes = sent.load(ordering: .relaxed)
    #expect(bytes < 40 << 20, "\(bytes)")
    #expect(path == "/picture" || bytes < 16 << 20, "\(bytes)")
  }

  /// A socket is closed once: its number may belong to somebody else by then.
  @Test func aFailedHandshakeClosesNothingElse() throws {
    final class Others: Sendable {
      let isOver = Atomic(false)
      let lost = Atomic(0)
    }
    let answer = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
    let server = try MusicServer(
      wire: { socket in
        _ = MusicServer.Wire.plain(socket)?.send(answer[...])
        return nil
      }, { _ in })
    defer { server.stop() }
    let address = try #require(MusicAddress("https://127.0.0.2:\(server.port)/"))
    let others = Others()
    let threads = (0..<4).map { _ in
      MediaThread(name: "others", urgency: .ordinary) {
        while !others.isOver.load(ordering: .relaxed) {
          let open = (0..<4).map { _ in unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
          for descriptor in open where close(descriptor) != 0 {
            others.lost.wrappingAdd(1, ordering: .relaxed)
          }
        }
      }
    }
    let worker = Worker(name: "test")
    for _ in 0..<500 {
      #expect(throws: MusicTrouble.noConnection(of: "\(address)")) {
        _ = try HTTPStream(
          address, MusicNet(rules: MusicServer.rules), allowsLocal: true, worker: worker)
      }
    }
    others.isOver.store(true, ordering: .relaxed)
    for thread in threads { #expect(thread.join(until: .now() + .seconds(30))) }
    #expect(others.lost.load(ordering: .relaxed) == 0)
  }

  // MARK: The local network

  /// Only the address that a person has chosen may be in the box's own network, and what leads on from there. A server on
  /// the Internet leads nowhere there: by a redirect, a list, HTTP Live Streaming, or another address of its name.
  @Test func onlyAChosenAddressMayBeInTheBoxsNetwork() throws {
    let song = TestSound.file(seconds: 1)
    let local = Mutex("")
    let links = Mutex("")
    let answer: @Sendable (MusicServer.Connection) -> Void = { connection in
      // "/moved" leads to a song in the box's network, and "/moved/out/m3u" to "/m3u" of the server on the Internet.
      let parts = connection.path.split(separator: "/").map(String.init)
      guard let kind = parts.first, kind != "song.wav" else { return connection.answer(song) }
      let rest = parts.dropFirst()
      let url =
        rest.isEmpty
        ? local.withLock { $0 } + "/song.wav"
        : links.withLock { $0 } + "/" + rest.dropFirst().joined(separator: "/")
      switch kind {
      case "moved": connection.answer([], "Location: \(url)\r\n", status: "302 Found")
      case "m3u": connection.answer(Array("#EXTM3U\n\(url)\n".utf8))
      case "hls":
        connection.answer(
          Array(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(url)\n#EXT-X-ENDLIST\n".utf8))
      default: connection.answer([], status: "404 Not Found")
      }
    }
    let global = try MusicServer(answer)
    let inside = try MusicServer(host: "127.0.0.3", answer)
    defer {
      global.stop()
      inside.stop()
    }
    local.withLock { $0 = inside.url("") }
    links.withLock { $0 = global.url("") }
    let rules = AddressRules(
      own: { [] },
      verdict: { $0 == [127, 0, 0, 2] ? .global : $0 == [127, 0, 0, 3] ? .local : nil })
    let files = try MadeFiles()
    let list = try files.write("list.m3u", Array("\(inside.url("/song.wav"))\n".utf8))
    let ways: [(MusicSource, isAllowed: Bool)] = try [
      (.address(inside.address("/song.wav")), true),
      (.address(inside.address("/moved")), true),
      (.address(inside.address("/m3u")), true),
      (.address(global.address("/moved")), false),
      (.address(global.address("/m3u")), false),
      (.address(global.address("/hls")), false),
      (.address(global.address("/moved/out/moved")), false),
      (.address(inside.address("/moved/out/moved")), false),
      (.address(inside.address("/m3u/out/m3u")), false),
      (.file(path: list), false),
    ]
    for (source, isAllowed) in ways {
      let before = inside.connections("/song.wav")
      let bench = MusicBench(MusicNet(rules: rules), isOnNetwork: true)
      bench.open()
      bench.play(source)
      bench.run(seconds: 30) {
        bench.reports.contains { if case .started = $0 { false } else { true } }
      }
      let asked = inside.connections("/song.wav") - before
      if isAllowed {
        #expect(bench.reports.last == .completed(name: "it") && asked == 1, "\(source)")
      } else {
        #expect(bench.player.status.trouble?.code == "address_refused", "\(bench.reports)")
        #expect(asked == 0, "\(source)")
      }
    }
  }

  /// The owner of a name cannot let it lead into the box's network later.
  @Test func aNameThatLedToTheInternetDoesNotLeadIntoTheBoxsNetwork() throws {
    let isMoved = Mutex(false)
    let server = try MusicServer(host: "127.0.0.3") { connection in
      isMoved.withLock { $0 = true }
      Self.burst(connection, seconds: 1)
    }
    defer { server.stop() }
    let rules = AddressRules(
      own: { [] }, verdict: { _ in isMoved.withLock { $0 } ? .local : .global })
    let bench = MusicBench(MusicNet(rules: rules), isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 60) { bench.player.status.trouble?.code == "address_refused" }
    #expect(bench.player.status.trouble?.code == "address_refused", "\(bench.reports)")
    #expect(server.connections("/live") == 1)
  }

  // MARK: The buffer

  /// The thread that plays does not wait while the end of a piece is faded.
  @Test func aCrossFadeDoesNotHoldUpWhoPlays() {
    final class Wait: Sendable {
      let hasBegun = Atomic(false)
      let isOver = Atomic(false)
      let longest = Atomic<Int64>(0)
    }
    let buffer = MusicBuffer(seconds: 12, resumeNanos: 0)
    let second = [Float](repeating: 0.5, count: PCM.sampleRate * MusicBuffer.channels)
    var room = second
    var shares: [Double] = []
    for _ in 0..<10 {
      for _ in 0..<4 { _ = unsafe buffer.write(second, frames: PCM.sampleRate) }
      let wait = Wait()
      let reader = MediaThread(name: "reader", urgency: .ordinary) {
        while !wait.isOver.load(ordering: .relaxed) {
          let begin = MediaTime.now()
          _ = buffer.frames
          wait.longest.max(.now() - begin, ordering: .relaxed)
          wait.hasBegun.store(true, ordering: .relaxed)
        }
      }
      while !wait.hasBegun.load(ordering: .relaxed) {}
      let begin = MediaTime.now()
      buffer.overlapNext(frames: 3 * PCM.sampleRate)
      let needed = MediaTime.now() - begin
      wait.isOver.store(true, ordering: .relaxed)
      #expect(reader.join(until: .now() + .seconds(30)))
      shares.append(Double(wait.longest.load(ordering: .relaxed)) / Double(needed))
      buffer.endOverlap()
      while buffer.frames > 0 { _ = unsafe buffer.read(into: &room, frames: PCM.sampleRate) }
    }
    #expect((shares.min() ?? 1) < 0.5, "\(shares)")
  }
}
