// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// Music from a real HTTP server, on a virtual clock.
@Suite(.serialized) struct MusicStationTests {
  /// Seconds of sound that a station sends at once.
  private static func burst(
    _ connection: MusicServer.Connection, _ seconds: Double, _ fields: String = ""
  ) {
    connection.send("HTTP/1.0 200 OK\r\nContent-Type: audio/wav\r\n\(fields)\r\n")
    connection.send(TestSound.head(bytes: nil) + TestSound.samples(seconds: seconds))
  }

  /// Sends sound as a station does: at the pace of a clock.
  private static func stream(
    _ connection: MusicServer.Connection, _ time: VirtualClock, seconds: Double,
    while isOn: () -> Bool = { true }
  ) {
    burst(connection, 4)
    let begin = time.now
    var sent = 0.0
    while isOn(), sent < seconds {
      let due = Double(time.now - begin) / 1e9
      guard due > sent else {
        (MediaTime.now() + 300_000).sleepUntil()
        continue
      }
      guard connection.send(TestSound.samples(seconds: min(due - sent, 5))) else { return }
      sent = due
    }
  }

  /// S1: a station that stalls for ever, and others stay silent with "playing".
  @Test func aStationThatStallsIsToldAndOpenedAnew() throws {
    let box = Mutex<VirtualClock?>(nil)
    let server = try MusicServer { connection in
      guard let time = box.withLock({ $0 }) else { return }
      if connection.number == 1 {
        Self.burst(connection, 4)
        connection.hold()
      } else {
        Self.stream(connection, time, seconds: 60)
      }
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    box.withLock { $0 = bench.time }
    bench.open()
    let begin = bench.time.now
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 20) { bench.player.status.trouble != nil }
    let told = try #require(
      bench.times.first { if case .interrupted(.timedOut) = $0.report { true } else { false } })
    #expect(told.at - begin < .seconds(7), "\(told.at - begin)")
    // The voice has its own track; this one is silent, without a gap.
    bench.run(seconds: 0.4)
    let reports = bench.times.map { ($0.report, $0.at - begin) }
    #expect(
      bench.breaks == 0 && abs(bench.soundSeconds - 4) < 0.4, "\(bench.soundSeconds) \(reports)")
    bench.run(seconds: 30) {
      bench.player.status.trouble == nil && bench.player.status.state == .playing
    }
    #expect(bench.time.now - told.at < .seconds(10), "\(bench.time.now - told.at)")
    #expect(bench.reports.last == .started(name: "it", title: nil, isBack: true))
    #expect(bench.player.status.trouble == nil && server.connections("/live") == 2)
  }

  /// S2: the network is away for ten minutes. S3's bound holds meanwhile.
  @Test func afterTenMinutesWithoutNetworkItPlaysAgainByItself() throws {
    let box = Mutex<VirtualClock?>(nil)
    let isUp = Atomic(true)
    let server = try MusicServer { connection in
      guard isUp.load(ordering: .relaxed), let time = box.withLock({ $0 }) else { return }
      Self.stream(connection, time, seconds: 10_000) { isUp.load(ordering: .relaxed) }
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    box.withLock { $0 = bench.time }
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 40)
    #expect(bench.player.status.state == .playing)
    isUp.store(false, ordering: .relaxed)
    bench.run(seconds: 600, step: .milliseconds(500))
    #expect(bench.player.status.state == .starting)
    #expect(server.connections("/live") < 30, "\(server.connections("/live"))")
    isUp.store(true, ordering: .relaxed)
    let back = bench.time.now
    bench.run(seconds: 120) { bench.player.status.state == .playing }
    #expect(bench.time.now - back <= .seconds(60), "\(bench.time.now - back)")
    #expect(bench.player.status.state == .playing)
  }

  /// S3: a station that closes after each second: others make thousands of connections, or give up.
  @Test func aStationThatClosesIsAskedAtMostOnceASecondWithoutEnd() throws {
    let server = try MusicServer { connection in Self.burst(connection, 1) }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 300, step: .milliseconds(250))
    let early = server.connections("/live")
    #expect(early > 5 && early < 60, "\(early)")
    bench.run(seconds: 600, step: .milliseconds(500))
    let late = server.connections("/live")
    #expect(late > early && late - early <= 16, "\(late - early)")
    // Told once, not each time.
    #expect(bench.reports.count <= 6, "\(bench.reports)")
    #expect(bench.player.status.state != .stopped)
  }

  /// S3: a station that closes each minute, and one that closes after twelve hours. Sound has come for long, so each end
  /// is told, and they are opened anew, without end. How long the pauses are is tested without sockets, which need real
  /// time: `pausesBetweenAttemptsGrowAndGoBackAfterSound`.
  @Test(arguments: [60.0, 43_200]) func aStationThatClosesIsOpenedAnew(seconds: Double) throws {
    let box = Mutex<VirtualClock?>(nil)
    let openings = Mutex<[MediaTime]>([])
    let server = try MusicServer { connection in
      guard let time = box.withLock({ $0 }) else { return }
      let begin = time.now
      openings.withLock { $0.append(begin) }
      // More than the 30 s after which a connection counts as good. A stall is not what is looked at here.
      Self.burst(connection, 40)
      while time.now - begin < Int64(seconds * 1e9) { (MediaTime.now() + 300_000).sleepUntil() }
    }
    defer { server.stop() }
    let bench = MusicBench(
      MusicNet(rules: MusicServer.rules, openingSeconds: 90_000, stallSeconds: 90_000),
      isOnNetwork: true)
    box.withLock { $0 = bench.time }
    // A test that has failed lets the server go.
    defer { bench.time.advance(by: .seconds(90_000)) }
    bench.open()
    let address = try server.address("/live")
    bench.play(.address(address))
    let back = MusicReport.started(name: "it", title: nil, isBack: true)
    bench.run(seconds: seconds * 20, step: Int64(seconds * 1e9) / 600) {
      bench.reports.count { $0 == back } == 4
    }
    let round = [MusicReport.interrupted(.ended(of: "\(address)")), back]
    let expected = [MusicReport.started(name: "it", title: nil, isBack: false)]
    // On a busy machine samples come late on the test's clock, which counts as a slow server.
    let told = bench.reports.filter { $0 != .interrupted(.tooSlow(of: "it")) }
    #expect(told == expected + round + round + round + round)
    let times = openings.withLock { $0 }
    let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) / 1e9 - seconds }
    // Each is opened after the one before has ended, and not at once.
    #expect(gaps.count == 4 && gaps.allSatisfy { $0 >= 1 }, "\(gaps)")
  }

  /// S4, S5: lists within lists, relative, with a wrong type; file:, loopback and the box itself are refused.
  @Test func listsLeadToMusicOrToASentence() throws {
    let song = TestSound.file(seconds: 1)
    let box = Mutex("")
    let server = try MusicServer { connection in
      let own = box.withLock { $0 }
      switch connection.path {
      case "/song.wav", "/a/b/song.wav": connection.answer(song)
      case "/relative.m3u":
        connection.answer(Array("a/b/song.wav\n".utf8), "Content-Type: text/html\r\n")
      case "/moved": connection.answer([], "Location: /a/b/list\r\n", status: "302 Found")
      case "/a/b/list":
        connection.answer(Array("#EXTM3U\nsong.wav\n".utf8), "Content-Type: audio/mpeg\r\n")
      case "/pls":
        connection.answer(Array("[playlist]\r\nFile1=\(own)/song.wav\r\nTitle1=T\r\n".utf8))
      case "/1.m3u": connection.answer(Array("\(own)/2.m3u".utf8))
      case "/2.m3u": connection.answer(Array("\(own)/3.m3u".utf8))
      case "/3.m3u": connection.answer(Array("\(own)/song.wav".utf8))
      case "/deep.m3u": connection.answer(Array("\(own)/deep.m3u".utf8))
      case "/file": connection.answer(Array("#EXTM3U\nfile:///etc/hostname\n".utf8))
      case "/local": connection.answer(Array("http://127.0.0.1:\(9)/x\n".utf8))
      case "/name": connection.answer(Array("http://localhost:9/x\n".utf8))
      case "/long":
        connection.answer(Array(("#EXTM3U\n" + String(repeating: "x.mp3\n", count: 20_000)).utf8))
      case "/empty": connection.answer(Array("#EXTM3U\n".utf8))
      default: connection.answer([], status: "404 Not Found")
      }
    }
    defer { server.stop() }
    box.withLock { $0 = server.url("") }
    for (path, code) in [
      ("/song.wav", nil), ("/relative.m3u", nil), ("/moved", nil), ("/pls", nil), ("/1.m3u", nil),
      ("/deep.m3u", "lists_too_deep"), ("/file", "entry_refused"), ("/local", "address_refused"),
      ("/name", "address_refused"), ("/long", "list_too_long"), ("/empty", "empty_list"),
      ("/none", "not_found"),
    ] {
      let bench = MusicBench(isOnNetwork: true)
      bench.open()
      bench.play(.address(try server.address(path)))
      bench.run(seconds: 8) {
        bench.reports.contains { if case .started = $0 { false } else { true } }
      }
      switch bench.reports.last {
      case .completed: #expect(code == nil, "\(path)")
      case .failed(let trouble), .interrupted(let trouble):
        #expect(trouble.code == code, "\(path): \(trouble)")
        #expect(trouble.sentence.hasSuffix(".") && !trouble.sentence.contains("FFmpeg"))
      default: #expect(Bool(false), "\(path): \(bench.reports)")
      }
    }
  }

  @Test func whatIsNotMusicIsToldByKind() throws {
    let server = try MusicServer { connection in
      switch connection.path {
      case "/page":
        connection.answer(Array("<!DOCTYPE html><html><head></head><body>hello</body></html>".utf8))
      case "/login": connection.answer([], status: "401 Unauthorized")
      case "/forbidden": connection.answer([], status: "403 Forbidden")
      case "/gone": connection.answer([], status: "410 Gone")
      case "/busy": connection.answer([], "Retry-After: 60\r\n", status: "503 Busy")
      case "/broken": connection.answer([], status: "500 Oops")
      case "/garbage":
        var dice = SplitMix64(seed: 3)
        connection.answer((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &dice) })
      case "/nothing": connection.hold()
      case "/closed": return
      case "/tell": connection.send("SSH-2.0-OpenSSH_9.2\r\n")
      case "/self": connection.answer([], "Location: http://localhost/\r\n", status: "301 Moved")
      case "/file": connection.answer([], "Location: file:///etc/passwd\r\n", status: "301 Moved")
      case "/round": connection.answer([], "Location: /round\r\n", status: "307 Moved")
      case "/text":
        connection.answer(Array(String(repeating: "Just a long text. ", count: 500).utf8))
      default: connection.answer([], status: "404 Not Found")
      }
    }
    defer { server.stop() }
    for (path, code) in [
      ("/page", "web_page"), ("/login", "login_needed"), ("/forbidden", "forbidden"),
      ("/gone", "not_found"), ("/busy", "server_busy"), ("/broken", "server_error"),
      ("/garbage", "not_media"), ("/nothing", "timed_out"), ("/closed", "ended_by_server"),
      ("/tell", "not_http"), ("/self", "address_refused"), ("/file", "entry_refused"),
      ("/round", "too_many_redirects"), ("/text", "not_media"),
    ] {
      let bench = MusicBench(isOnNetwork: true)
      bench.open()
      bench.play(.address(try server.address(path)))
      bench.run(seconds: 30) { !bench.reports.isEmpty }
      guard let report = bench.reports.first else {
        #expect(Bool(false), "\(path): nothing is told")
        continue
      }
      switch report {
      case .interrupted(let trouble), .failed(let trouble):
        #expect(trouble.code == code, "\(path): \(trouble)")
      default: #expect(Bool(false), "\(path): \(report)")
      }
    }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try #require(MusicAddress("http://no-such-host.invalid/"))))
    bench.run(seconds: 20) { !bench.reports.isEmpty }
    if case .interrupted(let trouble)? = bench.reports.first {
      #expect(["name_not_found", "name_server_unreachable", "timed_out"].contains(trouble.code))
    } else {
      #expect(Bool(false), "\(bench.reports)")
    }
  }

  /// S6, and Shoutcast's own answer: titles in Latin-1 between the sound.
  @Test func titlesOfAStationAreShown() throws {
    let title = Array("StreamTitle='".utf8) + [0x43, 0x61, 0x66, 0xE9] + Array("';".utf8)
    let server = try MusicServer { connection in
      #expect(connection.head.contains("Icy-MetaData: 1"))
      connection.send("ICY 200 OK\r\nicy-name: Radio X\r\nicy-metaint: 8000\r\n\r\n")
      let sound = TestSound.head(bytes: nil) + TestSound.samples(seconds: 10)
      var block = title
      block += [UInt8](repeating: 0, count: (16 - block.count % 16) % 16)
      for start in stride(from: 0, to: sound.count - 8_000, by: 8_000) {
        connection.send(Array(sound[start..<start + 8_000]))
        connection.send(start == 16_000 ? [UInt8(block.count / 16)] + block : [0])
      }
      connection.hold()
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 6)
    #expect(bench.player.status.title == "Café")
    #expect(bench.player.status.duration == nil)
  }

  @Test func aPausedStationIsClosedAndGoesOnAtTheLiveEdge() throws {
    let box = Mutex<VirtualClock?>(nil)
    let open = Atomic(0)
    let server = try MusicServer { connection in
      guard let time = box.withLock({ $0 }) else { return }
      open.wrappingAdd(1, ordering: .relaxed)
      Self.stream(connection, time, seconds: 10_000)
      open.wrappingSubtract(1, ordering: .relaxed)
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    box.withLock { $0 = bench.time }
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 5)
    #expect(bench.player.status.state == .playing && server.connections("/live") == 1)
    try bench.player.pause()
    bench.run(seconds: 5)
    #expect(open.load(ordering: .relaxed) == 0)
    try bench.player.resume()
    bench.run(seconds: 5)
    #expect(bench.player.status.state == .playing && server.connections("/live") == 2)
    bench.close()
    bench.run(seconds: 1)
    bench.open()
    bench.run(seconds: 5)
    #expect(bench.player.status.state == .playing && server.connections("/live") == 3)
    #expect(bench.reports == [.started(name: "it", title: nil, isBack: false)])
  }

  @Test func aPausedFileOnTheNetworkIsHeldWhereItIs() throws {
    let song = TestSound.file(seconds: 60)
    let server = try MusicServer { $0.answer(song) }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/song.wav")))
    bench.run(seconds: 3)
    let place = try #require(bench.player.status.position)
    try bench.player.pause()
    bench.run(seconds: 30, step: .milliseconds(500))
    try bench.player.resume()
    bench.run(seconds: 1)
    let later = try #require(bench.player.status.position)
    #expect(later > place && later - place < .milliseconds(1_500), "\(later - place)")
    #expect(server.connections("/song.wav") == 1 && bench.player.status.trouble == nil)
  }

  /// Stations send up to 10 s at the start. More than that is dropped, and 3 s stay in hand.
  @Test func whatIsTooMuchIsDropped() throws {
    let server = try MusicServer { connection in
      Self.burst(connection, 25)
      connection.hold()
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/live")))
    func place() -> Int64 { bench.player.status.position ?? 0 }
    bench.run(seconds: 4) { place() > .seconds(15) }
    #expect(place() > .seconds(15), "\(place())")
    let step = zip(bench.heard, bench.heard.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
    #expect(step < 0.03 && bench.breaks == 0, "\(step)")
  }

  /// A server that is slow: half of what is played. It is heard with gaps of silence, each of 3 s of filling.
  @Test func aSlowServerIsHeardInParts() throws {
    let box = Mutex<VirtualClock?>(nil)
    let server = try MusicServer { connection in
      guard let time = box.withLock({ $0 }) else { return }
      Self.burst(connection, 1)
      let begin = time.now
      var sent = 0.0
      while sent < 30 {
        let due = Double(time.now - begin) / 2e9
        if due > sent {
          guard connection.send(TestSound.samples(seconds: due - sent)) else { return }
          sent = due
        }
        (MediaTime.now() + 300_000).sleepUntil()
      }
    }
    defer { server.stop() }
    let bench = MusicBench(isOnNetwork: true)
    box.withLock { $0 = bench.time }
    bench.open()
    bench.play(.address(try server.address("/live")))
    bench.run(seconds: 40)
    #expect(bench.breaks == 0)
    #expect(bench.soundSeconds > 12 && bench.soundSeconds < 28, "\(bench.soundSeconds)")
    // Told once, not with each gap.
    let slow = MusicTrouble.tooSlow(of: "it")
    #expect(
      bench.reports == [.started(name: "it", title: nil, isBack: false), .interrupted(slow)])
    #expect(bench.player.status.trouble == slow)
  }

  /// HTTP Live Streaming, whose parts FFmpeg gets through the same rules.
  @Test(.enabled(if: MadeFiles.hasFFmpeg)) func partsOfAnHLSPlaylistArePlayed() throws {
    let files = try MadeFiles()
    let path = try files.encode("all.ts", ["-f", "lavfi", "-i", "sine=500:d=4", "-c:a", "aac"])
    let part = try #require(try? [UInt8](MadeFiles.bytes(path)))
    let box = Mutex("")
    let server = try MusicServer { connection in
      let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n"
      switch connection.path {
      case "/hls/list":
        connection.answer(
          Array("\(head)part.ts\n#EXT-X-ENDLIST\n".utf8), "Content-Type: text/plain\r\n")
      case "/hls/part.ts": connection.answer(part)
      case "/bad":
        connection.answer(
          Array("\(head)http://localhost:\(box.withLock { $0 })/part.ts\n#EXT-X-ENDLIST\n".utf8))
      default: connection.answer([], status: "404 Not Found")
      }
    }
    defer { server.stop() }
    box.withLock { $0 = "\(server.port)" }
    let bench = MusicBench(isOnNetwork: true)
    bench.open()
    bench.play(.address(try server.address("/hls/list")))
    bench.run(seconds: 8) { bench.player.status.state == .stopped && !bench.reports.isEmpty }
    #expect(bench.reports.last == .completed(name: "it"), "\(bench.reports)")
    #expect(bench.soundSeconds > 3.5, "\(bench.soundSeconds)")
    bench.play(.address(try server.address("/bad")))
    bench.run(seconds: 8) { bench.reports.count > 2 }
    if case .interrupted(let trouble)? = bench.reports.last {
      #expect(trouble.code == "address_refused", "\(trouble)")
    } else {
      #expect(Bool(false), "\(bench.reports)")
    }
  }
}
