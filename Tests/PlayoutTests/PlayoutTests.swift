// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Synchronization
import TestSupport
import Testing

@testable import Mux
@testable import Playout
@testable import Preview

/// The play-out as the server uses it. Its sink is fed by the test; the clock of its thread is the real one.
private final class Programme: Sendable {
  struct State {
    var isOnAir = true
    var sink: (any PacketSink)?
    var end: (@Sendable () -> Void)?
    var reports: [Playout.Report] = []
  }

  let state = Mutex(State())

  var playout: Playout {
    Playout(
      Playout.Feed(
        isOnAir: { [self] in state.withLock { $0.isOnAir } },
        attach: { [self] sink, end in
          guard state.withLock({ $0.isOnAir }) else { return false }
          sink.setVideo(Made.video)
          sink.setAudio(Made.audio)
          sink.cut(video: 1, audio: 1)
          state.withLock { ($0.sink, $0.end) = (sink, end) }
          return true
        },
        detach: { [self] _ in state.withLock { $0.sink = nil } }), encoder: "test"
    ) { [self] report in state.withLock { $0.reports.append(report) } }
  }

  var sink: (any PacketSink)? { state.withLock { $0.sink } }

  /// Offers seconds of video with a keyframe each second, and of audio.
  func play(_ milliseconds: Range<Int64>, scene: UInt32 = 1) {
    guard let sink else { return }
    for time in stride(from: milliseconds.lowerBound, to: milliseconds.upperBound, by: 40) {
      Made.packet(time % 1_000 == 0 ? .keyframe : .frame, at: time, scene: scene) { sink.offer($0) }
      Made.packet(.audio, at: time, scene: scene) { sink.offer($0) }
    }
  }

  func endBroadcast() {
    let end = state.withLock { state in
      state.isOnAir = false
      return state.end
    }
    end?()
  }
}

struct PlayoutTests {
  /// Waits for the sink, without blocking a thread of Swift concurrency.
  private func attached(_ programme: Programme) async {
    while programme.sink == nil { try? await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func withoutABroadcastThereIsNothing() async throws {
    let programme = Programme()
    programme.state.withLock { $0.isOnAir = false }
    let playout = programme.playout
    await #expect(throws: PlayoutError.offAir) { try await playout.playlist(for: "a", folder: "") }
    await #expect(throws: PlayoutError.offAir) { try await playout.file("1.mp4", for: "a") }
    #expect(throws: PlayoutError.offAir) { _ = try playout.reader() }
    #expect(playout.viewers == 0 && programme.sink == nil)
  }

  @Test func aReloadIsHeldUntilItsPartIsThere() async throws {
    let programme = Programme()
    let playout = programme.playout
    playout.change(Playout.Options(keyframeNanos: .seconds(1)))
    async let first = playout.playlist(for: "a", folder: "")
    await attached(programme)
    programme.play(0..<1_600)
    #expect(try await first.contains("#EXT-X-MEDIA-SEQUENCE:0\n"))
    let near = try #require(try BlockedReload.read(segment: "1", part: "0"))
    let present = try await playout.playlist(near, for: "a", folder: "")
    #expect(present.hasSuffix("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"1.1.m4s\"\n"))
    let held = try #require(try BlockedReload.read(segment: "2", part: "0"))
    async let later = playout.playlist(held, for: "a", folder: "")
    async let hinted = playout.file("1.1.m4s", for: "b")
    programme.play(1_600..<2_640)
    #expect(!(try await hinted).isEmpty)
    let text = try await later
    #expect(text.contains("URI=\"2.0.m4s\",INDEPENDENT=YES\n"))
    #expect(!(try await playout.file("2.0.m4s", for: "b")).isEmpty)
    #expect(playout.viewers == 2)
    #expect(!(try await playout.file("1.mp4", for: "a")).isEmpty)
    #expect(!(try await playout.file("1.m4s", for: "a")).isEmpty)
    let far = try #require(try BlockedReload.read(segment: "9", part: nil))
    await #expect(throws: PlayoutError.unfitReload) {
      try await playout.playlist(far, for: "a", folder: "")
    }
    for name in ["2.m4s", "9.mp4", "0.7.m4s", "x.mp4", "1.2.3.m4s", "1.ts", "", ".", "-1.m4s"] {
      await #expect(throws: PlayoutError.noSuchFile, "\(name)") {
        try await playout.file(name, for: "a")
      }
    }
    #expect(playout.close(by: .now() + .seconds(60)))
  }

  /// A reload that nothing meets ends after three target durations, and one that is held when the broadcast ends at once.
  @Test func noReloadIsHeldForEver() async throws {
    let programme = Programme()
    let playout = programme.playout
    playout.change(Playout.Options(keyframeNanos: .seconds(1)))
    async let first = playout.playlist(for: "a", folder: "")
    await attached(programme)
    programme.play(0..<1_600)
    _ = try await first
    let held = try #require(try BlockedReload.read(segment: "2", part: "0"))
    await #expect(throws: PlayoutError.timedOut) {
      try await playout.playlist(held, for: "a", folder: "")
    }
    async let last: Void = {
      await #expect(throws: PlayoutError.offAir) {
        try await playout.playlist(held, for: "a", folder: "")
      }
    }()
    programme.endBroadcast()
    await last
    #expect(eventually { programme.sink == nil })
    #expect(playout.viewers == 0)
    #expect(programme.state.withLock { $0.reports } == [.began, .ended])
  }

  @Test func viewersAreCountedAndLimited() async throws {
    let programme = Programme()
    let playout = programme.playout
    playout.change(Playout.Options(maxViewers: 2))
    var one: FLVReader? = try playout.reader()
    _ = try playout.reader()
    #expect(playout.viewers == 1, "the second has left at once")
    var two: FLVReader? = try playout.reader()
    #expect(throws: PlayoutError.full) { _ = try playout.reader() }
    await #expect(throws: PlayoutError.full) { try await playout.playlist(for: "a", folder: "") }
    await attached(programme)
    programme.play(0..<200)
    let bytes = await one?.next()
    #expect(bytes?.prefix(3) == [0x46, 0x4C, 0x56])
    programme.endBroadcast()
    #expect(await two?.next() == nil)
    (one, two) = (nil, nil)
    #expect(eventually { programme.sink == nil && playout.viewers == 0 })
  }

  /// A viewer who was waited for gets nothing from before a pause, whatever was queued.
  @Test func whatWasQueuedAtAPauseIsNotPlayed() async throws {
    let programme = Programme()
    let playout = programme.playout
    async let first = playout.playlist(for: "a", folder: "")
    await attached(programme)
    programme.play(0..<1_600)
    _ = try await first
    programme.play(1_600..<2_400)
    programme.sink?.cut(video: 2, audio: 2)
    programme.play(2_400..<3_000)
    programme.play(3_000..<4_600, scene: 2)
    let text = try await playout.playlist(for: "a", folder: "")
    #expect(text.contains("#EXT-X-MAP:URI=\"2.mp4\"\n") && !text.contains("1.mp4"))
    let numbers = text.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-PART:") }
    #expect(numbers.count == 3, "\(text)")
    #expect(playout.close(by: .now() + .seconds(60)))
  }
}

final class AudienceTests {
  private var audience = Audience()
  private let now = Made.start

  private func asks(_ address: String, most: Int, at seconds: Int64 = 0) -> Bool {
    audience.note(requestFrom: address, most: most, now: now + .seconds(seconds))
  }

  private func enters(most: Int) -> Bool { audience.enter(most: most, now: now) }

  @Test func anAddressThatAsksIsAViewerForTenSeconds() {
    #expect(audience.neededUntil < now)
    for _ in 0..<3 { #expect(asks("a", most: 2)) }
    #expect(audience.count(now) == 1)
    #expect(enters(most: 2))
    #expect(!asks("b", most: 2) && !enters(most: 2))
    #expect(asks("a", most: 1), "who is there may stay")
    #expect(audience.neededUntil == .distantFuture)
    audience.leave()
    #expect(audience.neededUntil == now + .seconds(10))
    #expect(audience.count(now + .seconds(10)) == 0)
    #expect(asks("b", most: 1, at: 10))
    audience.forgetRequests()
    #expect(audience.count(now + .seconds(10)) == 0)
  }
}
