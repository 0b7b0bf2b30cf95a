// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import Synchronization
import Testing

@testable import Mux
@testable import Preview

/// Offers the same two seconds of packets again and again, on the real clock, to the sinks that are there.
final class Feeder: Sendable {
  private struct State {
    var sinks: [any PacketSink] = []
    var begins = 0
    var ends = 0
  }

  private let video: (header: VideoHeader, packets: [EncodedPacket])
  private let audio: (header: AudioHeader, packets: [EncodedPacket])
  private let state = Mutex(State())
  private let worker = Worker(name: "feeder")
  /// The scene of the packets.
  let scene = Atomic<UInt32>(1)

  init() throws {
    video = try Encoded.video(frames: 60, from: MediaTime(nanos: .seconds(1)), keyEvery: 15)
    audio = try Encoded.audio(packets: 93, from: MediaTime(nanos: .seconds(1)))
  }

  var preview: Preview {
    Preview(
      attach: { [self] sink in
        sink.setVideo(video.header)
        sink.setAudio(audio.header)
        sink.cut(video: scene.load(ordering: .relaxed), audio: 0)
        state.withLock {
          $0.sinks.append(sink)
          $0.begins += 1
        }
      },
      detach: { [self] sink in
        state.withLock {
          $0.sinks.removeAll { $0 === sink }
          $0.ends += 1
        }
      })
  }

  var begins: Int { state.withLock { $0.begins } }
  var ends: Int { state.withLock { $0.ends } }

  /// Begins another scene, as a pause does.
  func cut() {
    let next = scene.add(1, ordering: .relaxed).newValue
    for sink in state.withLock({ $0.sinks }) { sink.cut(video: next, audio: next) }
  }

  func start() {
    let packets = (video.packets + audio.packets).sorted { $0.time < $1.time }
    worker.start { [self] in
      while true {
        let begin = MediaTime.now()
        for packet in packets {
          var packet = packet
          packet.time = begin + (packet.time - MediaTime(nanos: .seconds(1)))
          packet.scene = scene.load(ordering: .relaxed)
          guard worker.sleep(until: packet.time) else { return }
          for sink in state.withLock({ $0.sinks }) { packet.offer(to: sink) }
        }
      }
    }
  }

  func stop() { #expect(worker.stop(by: .now() + .seconds(60))) }
}

/// The preview as the routes use it, on the real clock.
struct PreviewTests {
  @Test func readersSeeFragmentsAndAPauseBeginsAnew() async throws {
    let feeder = try Feeder()
    let preview = feeder.preview
    feeder.start()
    let reader = try preview.reader()
    let first = await reader.next()
    #expect(first?.codecs == "avc1.640014,mp4a.40.2")
    #expect(first.map { MP4Box.contents(of: "moov", in: $0.bytes) != nil } == true)
    let second = await reader.next()
    #expect(second?.beginsWithKeyframe == true)
    #expect(preview.viewers == 1)
    feeder.cut()
    var initializations = 0
    while initializations == 0, let chunk = await reader.next() {
      if chunk.isInitialization { initializations += 1 }
    }
    #expect(initializations == 1)
    #expect(await reader.next()?.beginsWithKeyframe == true)
    #expect(preview.close(by: .now() + .seconds(60)))
    #expect(await reader.next().map(\.bytes) == nil)
    #expect(feeder.begins == 1 && feeder.ends == 1)
    #expect(throws: PreviewError.closed) { try preview.reader() }
    feeder.stop()
  }

  /// In a process of its own: among other tests it would wait for longer than a request counts.
  @Test func requestsOpenThePreview() async {
    await #expect(processExitsWith: .success) { try await PreviewTests.request() }
  }

  private static func request() async throws {
    let feeder = try Feeder()
    let preview = feeder.preview
    feeder.start()
    #expect(preview.segment("0.m4s") == nil)
    #expect(feeder.begins == 0, "a segment is no reason to open a camera")
    let playlist = try await preview.playlist()
    #expect(playlist.hasPrefix("#EXTM3U\n"))
    let names = playlist.split(separator: "\n").filter { $0.hasPrefix("preview/") }
    let name = try #require(names.last).dropFirst("preview/".count)
    let segment = try #require(preview.segment(String(name)))
    #expect(MP4Box.contents(of: "mdat", in: segment) != nil)
    let initialization = try #require(preview.segment("1.mp4"))
    #expect(MP4Box.contents(of: "moov", in: initialization) != nil)
    for name in ["", ".", "1", "x.m4s", "-1.m4s", "99.m4s", "99.mp4", "1.mp4.mp4", "1.exe"] {
      #expect(preview.segment(name) == nil)
    }
    #expect(try await preview.snapshot().prefix(2) == [0xFF, 0xD8])
    #expect(preview.viewers == 1)
    #expect(preview.close(by: .now() + .seconds(60)))
    await #expect(throws: PreviewError.closed) { try await preview.snapshot() }
    feeder.stop()
  }

  @Test func thirtyTwoReadersAreServed() async throws {
    let feeder = try Feeder()
    let preview = feeder.preview
    feeder.start()
    var readers = try (0..<32).map { _ in try preview.reader() }
    #expect(throws: PreviewError.busy) { try preview.reader() }
    #expect(preview.viewers == 32)
    for reader in readers { #expect(await reader.next()?.isInitialization == true) }
    readers.removeLast()
    #expect(preview.viewers == 31)
    readers.append(try preview.reader())
    #expect(preview.close(by: .now() + .seconds(60)))
    feeder.stop()
  }

  @Test func theNeedEndsTwoSecondsAfterTheLastReader() {
    let start = MediaTime(nanos: .seconds(1_000))
    var attendance = Attendance()
    #expect(attendance.neededUntil < start)
    attendance.enter()
    attendance.enter()
    #expect(attendance.neededUntil == .distantFuture)
    attendance.leave(now: start)
    #expect(attendance.neededUntil == .distantFuture)
    attendance.leave(now: start + .seconds(1))
    #expect(attendance.neededUntil == start + .seconds(3))
    attendance.request(now: start)
    #expect(attendance.neededUntil == start + .seconds(10))
    #expect(attendance.viewers(now: start + .seconds(5)) == 1)
    #expect(attendance.viewers(now: start + .seconds(10)) == 0)
  }

  @Test func theSinkLeavesAndComesBack() async throws {
    let feeder = try Feeder()
    let preview = feeder.preview
    feeder.start()
    for round in 1...2 {
      let reader = try preview.reader()
      #expect(await reader.next()?.isInitialization == true)
      #expect(feeder.begins == round && feeder.ends == round - 1)
      _ = consume reader
      while feeder.ends < round { try await Task.sleep(for: .milliseconds(10)) }
    }
    #expect(preview.close(by: .now() + .seconds(60)))
    feeder.stop()
  }
}
