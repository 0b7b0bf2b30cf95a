// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// A reader on a thread of its own.
private final class RunningReader {
  let output = MemoryOutput()
  private let thread: MediaThread

  init(_ address: String) {
    thread = MediaThread(name: "guest-test", urgency: .ordinary) { [output] in
      GuestReader.run(GuestInputRequest(address: address), output: output)
    }
  }

  /// Whether the reader has returned.
  func hasEnded(by deadline: MediaTime = .now() + .seconds(600)) -> Bool {
    thread.join(until: deadline)
  }

  func stop() -> Bool {
    output.stop()
    return hasEnded()
  }
}

/// ffmpeg as the server of one reader.
private final class Sender {
  private let process = Process()

  /// - Parameter arguments: those for the output. The input plays in real time.
  init(_ file: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: MadeFiles.ffmpeg)
    process.arguments =
      ["-v", "error", "-nostdin", "-re", "-i", file, "-c", "copy"] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }
}

/// A port that nothing listens on.
private func freePort() throws -> UInt16 {
  let server = try MusicServer { _ in }
  server.stop()
  return server.port
}

/// Readers of real servers on this machine.
@Suite(.enabled(if: MadeFiles.hasFFmpeg), .serialized) final class GuestReaderTests {
  private let files: MadeFiles
  private lazy var file = Result {
    try files.encode(
      "guest.flv",
      MadeFiles.flashAndBeep(seconds: 20) + [
        "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25", "-c:a",
        "aac", "-ac", "1",
      ])
  }

  init() throws { files = try MadeFiles() }

  @Test(arguments: ["rtmp", "http", "srt"])
  func aLiveStreamIsSeenAndHeard(scheme: String) throws {
    let port = try freePort()
    let (address, arguments) =
      switch scheme {
      case "rtmp":
        (
          "rtmp://127.0.0.1:\(port)/live/key", ["-f", "flv", "-listen", "1"]
        )
      case "http": ("http://127.0.0.1:\(port)/a.flv", ["-f", "flv", "-listen", "1"])
      default: ("srt://127.0.0.1:\(port)", ["-f", "mpegts"])
      }
    let sender = try Sender(
      file.get(), arguments + [scheme == "srt" ? address + "?mode=listener" : address])
    // Until the server listens, the reader is refused.
    var reader = RunningReader(address)
    #expect(
      eventually {
        if !reader.output.blocks.isEmpty, reader.output.pictures.count > 50 { return true }
        if reader.output.fault != nil { reader = RunningReader(address) }
        return false
      })
    #expect(reader.stop())
    let tracks = reader.output.tracks
    #expect(tracks?.video?.codec == "h264")
    #expect(tracks?.video?.size == PictureSize(width: 160, height: 120))
    #expect(tracks?.audio == GuestTracks.Audio(codec: "aac", sampleRate: 48_000, channels: 1))
    #expect(reader.output.beepAfterFlash.allSatisfy { abs($0) < 40 })
    withExtendedLifetime(sender) {}
  }

  /// Two variants, of which the second is too large; pieces of a second. The list has an end.
  @Test func piecesAreReadAtTheirPace() throws {
    let small = try files.encode(
      "small-%d.ts",
      ["-t", "4", "-i", file.get(), "-c", "copy", "-f", "segment", "-segment_time", "1"])
    let folder = String(small.dropLast("/small-%d.ts".count))
    let list =
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n"
      + (0..<4).map { "#EXTINF:1.0,\nsmall-\($0).ts\n" }.joined() + "#EXT-X-ENDLIST\n"
    let master =
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=160x120\nsmall.m3u8\n"
    let server = try MusicServer { connection in
      switch connection.path {
      case "/master.m3u8": connection.answer(Array(master.utf8))
      case "/small.m3u8": connection.answer(Array(list.utf8))
      default: connection.answer((try? MadeFiles.bytes(folder + connection.path)) ?? [])
      }
    }
    defer { server.stop() }
    let begin = MediaTime.now()
    let reader = RunningReader(server.url("/master.m3u8"))
    #expect(reader.hasEnded())
    #expect(reader.output.states.last == .ended)
    #expect(reader.output.pictures.count > 90)
    #expect(reader.output.beepAfterFlash.count >= 3)
    #expect(reader.output.beepAfterFlash.allSatisfy { abs($0) < 40 })
    // Not faster than it is shown.
    #expect(.now() - begin > .seconds(3))
  }

  @Test(arguments: [
    ("401 Unauthorized", GuestFault.unauthorized), ("403 Forbidden", .unauthorized),
    ("404 Not Found", .nothingThere), ("200 OK", .badData),
  ])
  func anAnswerOfHTTPIsTold(status: String, fault: GuestFault) throws {
    let server = try MusicServer { $0.answer(Array("<html>no stream</html>".utf8), status: status) }
    defer { server.stop() }
    let reader = RunningReader(server.url("/secret-key-123"))
    #expect(reader.hasEnded())
    #expect(reader.output.fault == fault)
    #expect(reader.output.states.first == .connecting)
    for case .failed(_, let detail) in reader.output.states {
      #expect(!detail.contains("secret-key-123") && detail.utf8.count <= 200)
    }
  }

  @Test(arguments: ["http", "rtmp", "rtsp"])
  func aPortWithoutAServerIsTold(scheme: String) throws {
    let reader = RunningReader("\(scheme)://127.0.0.1:\(try freePort())/a")
    #expect(reader.hasEnded())
    #expect(reader.output.fault == .noConnection)
  }

  @Test func aNameThatDoesNotExistIsTold() {
    let reader = RunningReader("rtmp://guest.invalid/live/a")
    #expect(reader.hasEnded())
    #expect(reader.output.fault == .nameNotFound)
  }

  @Test(arguments: ["file:///etc/passwd", "rtmp:a", "", "srt://a:1?mode=listener", "http://a b/"])
  func anUnfitAddressIsTold(address: String) {
    let reader = RunningReader(address)
    #expect(reader.hasEnded())
    #expect(reader.output.fault == .wrongAddress)
  }

  /// A server that says nothing: a stop does not wait for it, and without one its time is up.
  @Test func aServerThatSaysNothingIsGivenUp() throws {
    let server = try MusicServer { $0.hold() }
    defer { server.stop() }
    let stopped = RunningReader(server.url("/a"))
    let waiting = RunningReader(server.url("/a"))
    #expect(eventually { server.connections("/a") == 2 })
    #expect(stopped.stop())
    #expect(stopped.output.fault == nil)
    #expect(waiting.hasEnded())
    #expect(waiting.output.fault == .timedOut)
  }

  /// A server that sends a second, and then nothing.
  @Test func aStreamThatStopsIsLost() throws {
    let bytes = try MadeFiles.bytes(file.get())
    let server = try MusicServer { connection in
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      connection.send(Array(bytes.prefix(bytes.count / 10)))
      connection.hold()
    }
    defer { server.stop() }
    let reader = RunningReader(server.url("/a.flv"))
    #expect(reader.hasEnded())
    #expect(reader.output.fault == .lost)
    #expect(reader.output.tracks?.video?.codec == "h264")
  }

  @Test func aStreamThatEndsIsTold() throws {
    let bytes = try MadeFiles.bytes(file.get())
    let server = try MusicServer { $0.answer(Array(bytes.prefix(bytes.count / 10))) }
    defer { server.stop() }
    let reader = RunningReader(server.url("/a.flv"))
    #expect(reader.hasEnded())
    #expect(reader.output.states.last == .ended)
  }

  /// A sender that has sent its parameter sets before somebody listened, and never again.
  @Test func videoThatCannotBeDecodedIsNotTold() throws {
    let late = try files.encode(
      "late.ts",
      MadeFiles.flashAndBeep(seconds: 10) + [
        "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "1000", "-c:a",
        "aac", "-f", "mpegts",
      ])
    let bytes = try MadeFiles.bytes(late)
    let packetBytes = 188
    let rest = Array(bytes.dropFirst(bytes.count / packetBytes / 4 * packetBytes))
    let server = try MusicServer { $0.answer(rest) }
    defer { server.stop() }
    let reader = RunningReader(server.url("/late.ts"))
    #expect(eventually { reader.output.blocks.count > 20 })
    #expect(reader.stop())
    #expect(reader.output.tracks?.audio?.codec == "aac")
    #expect(reader.output.tracks?.video == nil)
    #expect(reader.output.pictures.isEmpty)
  }

  @Test func aCodecThatIsNotDecodedIsTold() throws {
    let odd = try files.encode(
      "a.ts", ["-f", "lavfi", "-i", "testsrc2=s=64x48:d=8", "-c:v", "mpeg1video", "-f", "mpegts"])
    let bytes = try MadeFiles.bytes(odd)
    let server = try MusicServer { connection in
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      let end = MediaTime.now() + .seconds(60)
      while .now() < end, connection.send(bytes) {
        (MediaTime.now() + .milliseconds(50)).sleepUntil()
      }
    }
    defer { server.stop() }
    let reader = RunningReader(server.url("/a.ts"))
    #expect(reader.hasEnded())
    #expect(reader.output.fault == .unsupported)
  }
}

@Suite struct GuestAddressTests {
  @Test func secretsAreHidden() throws {
    let address = try #require(
      GuestAddress("RTMP://user:pass1@host.example/live/stream-key?token=abcd"))
    #expect(address.text.hasPrefix("rtmp://"))
    let text = "Failed to play stream-key?token=abcd on host.example as user:pass1"
    let shown = address.hidingSecrets(in: text)
    for secret in ["stream-key", "abcd", "pass1"] { #expect(!shown.contains(secret)) }
    #expect(shown.contains("host.example"))
  }

  @Test func nothingListens() {
    for scheme in GuestAddress.Scheme.allCases {
      let options = GuestAddress("\(scheme)://a/b")?.options(
        latencyNanos: .milliseconds(120), stepNanos: .seconds(5), verifiesTLS: true)
      // FFmpeg's RTMP waits for a caller if it has a "timeout".
      #expect(
        options?.contains { $0.name == "timeout" }
          == ["rtsp", "rtsps", "srt"].contains("\(scheme)"))
      #expect(options?.contains { $0.name == "fflags" } == false)
    }
    #expect(GuestAddress("srt://a:1?latency=5&MODE=Listener") == nil)
    #expect(GuestAddress("srt://a:1?mode=caller") != nil)
  }

  @Test func everyFaultHasASentenceAndARemedy() {
    let sentences = GuestFault.allCases.map { GuestOffline("anna", $0).sentence }
    #expect(Set(sentences).count == GuestFault.allCases.count)
    #expect(sentences.allSatisfy { $0.hasSuffix(".") && $0.contains(". ") })
  }
}
