// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import TestSupport
import Testing

@testable import Capture

/// Titles, heads and bodies as stations send them, and the order of files.
@Suite struct StationTextTests {
  /// Titles in Latin-1, with quotes, of 4 kB, or empty have crashed or broken other players (MPD #1002).
  @Test func titlesAreShownRightOrLeftOut() {
    func title(_ bytes: [UInt8]) -> String? {
      StreamTitle.parse(
        Array("StreamTitle='".utf8) + bytes + Array("';StreamUrl='x';".utf8) + [0, 0])
    }
    #expect(title([0x43, 0x61, 0x66, 0xE9]) == "Café")
    #expect(title(Array("Café".utf8)) == "Café")
    #expect(title([0x80, 0x20, 0x35]) == "€ 5")
    #expect(title(Array("Don't Stop - Rock 'n' Roll".utf8)) == "Don't Stop - Rock 'n' Roll")
    #expect(
      title(Array("a\u{1B}[2Jb\r\nc\u{202E}d".utf8)) == "a [2Jb c d"
        || title(Array("a\u{1B}[2Jb\r\nc\u{202E}d".utf8)) == "a [2Jb  c d")
    #expect(title([UInt8](repeating: 0x78, count: 4_000))?.count == 200)
    #expect(title([]) == nil && title(Array("   ".utf8)) == nil)
    #expect(StreamTitle.parse([]) == nil && StreamTitle.parse(Array("StreamUrl='';".utf8)) == nil)
    #expect(StreamTitle.parse(Array("StreamTitle='cut off".utf8)) == "cut off")
  }

  @Test func headsOfHTTPAndOfShoutcastAreRead() throws {
    let text =
      "ICY 200 OK\r\nicy-metaint: 16000\r\nicy-name:Radio  X\nContent-Type: audio/mpeg\r\n\r\nabc"
    let end = try #require(HTTPHead.end(in: Array(text.utf8)))
    #expect(text.utf8.count - end == 3)
    let head = try #require(HTTPHead(Array(text.utf8.prefix(end))))
    #expect(head.status == 200 && head.metadataInterval == 16_000 && head.length == nil)
    #expect(head.stationName == "Radio  X")
    let file = try #require(
      HTTPHead(Array("HTTP/1.1 503 Busy\r\nContent-Length: 12\r\nRetry-After: 40\r\n\r\n".utf8)))
    #expect(file.status == 503 && file.length == 12 && file.retrySeconds == 40)
    for garbage in [
      "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/2 200\r\n\r\n", "\r\n\r\n",
    ] {
      #expect(HTTPHead(Array(garbage.utf8)) == nil, "\(garbage)")
    }
  }

  @Test func chunksAndMetadataAreTakenOutHoweverTheyAreCut() {
    var dice = SplitMix64(seed: 5)
    let sound = (0..<9_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var withMetadata: [UInt8] = []
    for start in stride(from: 0, to: sound.count, by: 1_000) {
      withMetadata += sound[start..<start + 1_000]
      let block = start == 3_000 ? Array("StreamTitle='T';".utf8) : []
      withMetadata += [UInt8(block.count / 16)] + block
    }
    var chunked: [UInt8] = []
    var rest = withMetadata[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 1...700, using: &dice))
      chunked += Array((String(part.count, radix: 16) + ";x=1\r\n").utf8) + part + [0x0D, 0x0A]
      rest = rest.dropFirst(part.count)
    }
    chunked += Array("0\r\n\r\n".utf8)
    for _ in 0..<often(50) {
      var body = ChunkedBody()
      var metadata = StationMetadata(interval: 1_000)
      var heard: [UInt8] = []
      var titles: [String] = []
      var rest = chunked[...]
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...900, using: &dice))
        heard += metadata.take(body.take(part) ?? []) {
          titles += [StreamTitle.parse($0)].compactMap(\.self)
        }
        rest = rest.dropFirst(part.count)
      }
      #expect(heard == sound && titles == ["T"] && body.hasEnded)
    }
    var damaged = ChunkedBody()
    #expect(damaged.take(Array("zz\r\n".utf8)) == nil)
    var long = ChunkedBody()
    #expect(long.take(Array("fffffffff\r\n".utf8)) == nil)
  }

  @Test func filesComeInNaturalOrderAndShuffledWithoutARepeat() {
    let names = [
      "10 c.mp3", "2 b.mp3", "1 a.mp3", "Zebra.ogg", "apple.ogg", "apple 3.ogg", "apple 12.ogg",
      "007.mp3", "7.mp3",
    ]
    #expect(
      names.sorted(by: MusicFolder.comesBefore) == [
        "1 a.mp3", "2 b.mp3", "7.mp3", "007.mp3", "10 c.mp3", "apple 3.ogg", "apple 12.ogg",
        "apple.ogg", "Zebra.ogg",
      ])
    var dice = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let order = MusicFolder.shuffled(["a", "b", "c"], after: "b", using: &dice)
      #expect(order.first != "b" && order.sorted() == ["a", "b", "c"])
    }
    #expect(
      MusicFolder.isSound("A.MP3") && !MusicFolder.isSound("cover.jpg")
        && !MusicFolder.isSound("mp3"))
  }

  @Test func pausesBetweenAttemptsGrowAndGoBackAfterSound() {
    var dice = SplitMix64(seed: 2)
    var backoff = MusicBackoff()
    func next(_ least: Int64 = 1) -> Double {
      Double(backoff.next(least: least, using: &dice)) / 1e9
    }
    for seconds in [1.0, 2, 4, 8, 16, 32, 40, 40] {
      let pause = next()
      #expect(pause >= seconds && pause <= seconds * 1.25)
    }
    backoff.noteSound(.seconds(29))
    #expect((40...50).contains(next()))
    backoff.noteSound(.seconds(31))
    #expect(next() < 1.3)
    #expect(next(600) >= 600)
    #expect(MusicTrouble.status(of: "x", code: 404, retrySeconds: nil).leastRetrySeconds == 600)
    #expect(MusicTrouble.status(of: "x", code: 503, retrySeconds: 5).leastRetrySeconds == 30)
    #expect(MusicTrouble.status(of: "x", code: 429, retrySeconds: 90).leastRetrySeconds == 90)
  }

  /// A station whose clock is 100 ppm fast or slow, in bursts of half a second, for two days.
  @Test(arguments: [100.0, -100.0]) func aStationsClockIsFollowed(ppm: Double) {
    var now = MediaTime(nanos: .seconds(1_000))
    var pace = StationPace(now: now, inHand: 0)
    var inHand = 3.5
    var stretch = 0.0
    var (least, most) = (Double.infinity, 0.0)
    for step in 0..<345_600 {
      now = now + .milliseconds(500)
      inHand += 0.5 * (1 + ppm / 1e6) * (1 + stretch / 1e6) - 0.5
      if let new = pace.observe(inHand: Int(inHand * 48_000), now: now) { stretch = new }
      if step > 20_000 { (least, most) = (min(least, inHand), max(most, inHand)) }
    }
    #expect(least > 3 && most < 4, "\(least) to \(most)")
    #expect(abs(stretch + ppm) < 10)
  }
}
