// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing

@testable import Capture

/// Readers that are processes: what they deliver, and what happens when they fail.
extension GuestProcessTests {
  @Suite struct GuestLineTests {
    @Test func aReaderDeliversFramesAndAudio() throws {
      let rig = GuestRig("plays")
      defer { rig.stop() }
      let tracks = try #require(rig.tracks())
      #expect(
        tracks
          == GuestTracks(
            video: .init(codec: "h264", size: PictureSize(width: 64, height: 36), frameRate: 30),
            audio: .init(codec: "aac", sampleRate: 48_000, channels: 2)))
      #expect(rig.reports.first == .connecting)
      var (last, count) = (0, 0)
      while count < 20 {
        guard let frame = rig.line.frames.take(until: .now() + .seconds(60)) else {
          Issue.record("no frame came")
          return
        }
        #expect(frame.format.size == PictureSize(width: 64, height: 36))
        #expect(frame.format.colour == .bt709)
        let luma = unsafe Int(frame.bytes[0])
        #expect(unsafe frame.bytes.count == 64 * 36 * 3 / 2 && frame.bytes[64 * 36] == 128)
        // Frames may be missing on a busy machine, but come in order.
        if luma > last { count += 1 }
        last = luma
      }
      #expect(eventually { rig.line.level > 0.4 && rig.line.level <= 0.5 })
      #expect(rig.line.picture?.size == PictureSize(width: 64, height: 36))
      #expect(
        eventually {
          if let copy = rig.line.copyPicture() { unsafe copy.bytes[0] >= 16 } else { false }
        })
    }

    @Test(arguments: [1, 2]) func aSourceDeliversTheAudioAndThenSilence(channels: Int) {
      let rig = GuestRig("plays")
      let queue = PCMQueue(channels: channels)
      let source = rig.line.makeSource(into: queue)
      source.start()
      defer { source.stop(by: .now() + .seconds(60)) }
      func isHeard(_ isMeant: (Float) -> Bool) -> Bool {
        var samples = [Float](repeating: 0, count: PCMQueue.chunkFrames * channels)
        return eventually {
          guard let chunk = unsafe queue.take(into: &samples, until: .now() + .seconds(60)) else {
            return false
          }
          #expect(chunk.frames == PCMQueue.chunkFrames)
          return isMeant(samples.reduce(0) { max($0, abs($1)) })
        }
      }
      #expect(isHeard { $0 == 0.5 })
      rig.stop()
      #expect(isHeard { $0 == 0 })
      #expect(rig.line.level == 0 && rig.line.picture == nil && rig.line.copyPicture() == nil)
    }

    /// A reader that returns is not killed; one that does not is.
    @Test(arguments: ["plays", "deaf", "hangs", "signals"])
    func aReaderIsGoneAfterItsLine(_ what: String) {
      let rig = GuestRig(what)
      #expect(eventually { !GuestRig.children.isEmpty })
      #expect(rig.stop())
      #expect(GuestRig.children.isEmpty)
      #expect(GuestRig.memories == 0)
      #expect(!rig.reports.contains { if case .offline = $0 { true } else { false } })
    }

    @Test(arguments: [
      ("exits", "(exit code 3)"), ("crashes", "(signal 11)"), ("leaks", "(signal 6)"),
      ("sends-little", "(signal 9)"), ("closes", "(signal 9)"),
      ("fails-oddly", "its reader has failed"),
      ("floods", "too many messages"),
    ])
    func aReaderThatFailsIsReported(_ what: String, _ words: String) throws {
      let rig = GuestRig(what)
      defer { rig.stop() }
      let offline = try #require(rig.offline())
      #expect(offline.fault == .readerFailed)
      #expect(offline.sentence.contains(words), "\(offline.sentence)")
    }

    @Test func theFaultsOfAGuestAreReported() throws {
      let failing = GuestRig("fails")
      defer { failing.stop() }
      let offline = try #require(failing.offline())
      #expect(offline.fault == .nothingThere)
      #expect(offline.sentence.contains("(no such  [31mstream\u{FFFD})"), "\(offline.sentence)")
      let ending = GuestRig("ends")
      defer { ending.stop() }
      #expect(
        ending.offline()
          == GuestOffline(
            fault: nil, sentence: "The guest \"anna\" is offline: it has ended its stream."))
      let missing = GuestRig("plays", program: "/nowhere")
      defer { missing.stop() }
      #expect(missing.offline()?.fault == .noReader)
    }

    @Test(arguments: [
      "file:///etc/passwd", "rtmp:/host", "srt://127.0.0.1", "http://127.0.0.2/", "http://[::1]/",
      "http://224.0.0.1/", "udp://127.0.0.1:5000",
    ])
    func anAddressThatMustNotBeStartsNoReader(_ address: String) {
      let rig = GuestRig("plays", address: address)
      #expect(rig.offline()?.fault == .wrongAddress)
      #expect(GuestRig.children.isEmpty)
      rig.stop()
    }

    @Test func aReaderThatHangsIsKilled() throws {
      let time = VirtualClock()
      let rig = GuestRig("hangs", time: time)
      let offline = try #require(rig.offline())
      #expect(offline.fault == .readerFailed && offline.sentence.contains("it has hung"))
      rig.stop()
      #expect(GuestRig.children.isEmpty)
    }

    @Test func framesThatStopAreReported() {
      let rig = GuestRig("stalls", time: VirtualClock())
      defer { rig.stop() }
      // Few frames are wanted: none has to come.
      #expect(rig.waits { if case .online = $0 { true } else { false } })
      rig.line.want(GuestWants(pictures: .all))
      #expect(rig.waits { $0 == .pictureStalled })
    }

    /// The line tries again two seconds after a loss, and reports what is the same once.
    @Test func aLostGuestIsReadAgain() throws {
      let time = VirtualClock()
      let rig = GuestRig("plays", time: time, speed: 0)
      defer { rig.stop() }
      // The line's thread waits 8 ms after each look at the reader.
      #expect(
        eventually {
          time.advance(by: .milliseconds(8))
          return rig.reports.contains { if case .online = $0 { true } else { false } }
        })
      let first = try #require(GuestRig.children.first)
      kill(first, SIGKILL)
      #expect(
        eventually {
          if rig.reports.count < 3 { time.advance(by: .milliseconds(8)) }
          return rig.reports.count == 3
        })
      let lost = time.now
      #expect(rig.offline()?.sentence.contains("(signal 9)") == true)
      // The clock may have been moved once more just after the report.
      let retries = (lost + GuestLine.retryNanos - .milliseconds(8))...(lost + GuestLine.retryNanos)
      #expect(eventually { retries.contains(time.awaitedDeadline) })
      #expect(GuestRig.children.isEmpty)
      time.advance(by: GuestLine.retryNanos)
      #expect(eventually { GuestRig.children.contains { $0 != first } })
      #expect(
        eventually {
          time.advance(by: .milliseconds(8))
          return rig.reports.count == 4
        })
      #expect(rig.reports.dropFirst(2).map(kind) == ["offline", "online"])
    }

    private func kind(_ report: GuestReport) -> String {
      switch report {
      case .connecting: "connecting"
      case .online: "online"
      case .pictureStalled, .pictureBack: "picture"
      case .offline: "offline"
      }
    }

    @Test func aLossThatGoesOnIsReportedOnce() {
      let time = VirtualClock()
      let rig = GuestRig("ends", time: time)
      defer { rig.stop() }
      let start = time.now
      // Several attempts.
      #expect(eventually { time.now - start > .seconds(10) })
      #expect(rig.reports.map(kind) == ["connecting", "offline"])
    }

    /// Readers that are killed at random moments, in a process of its own since others start processes and open files.
    @Test func killedReadersLeaveNothing() async {
      await #expect(processExitsWith: .success) {
        var random = SplitMix64(seed: 39)
        let rig = GuestRig("plays", time: VirtualClock(), speed: 20)
        let source = rig.line.makeSource(into: PCMQueue(channels: 2))
        source.start()
        var before: Int?
        for round in 0..<often(300) {
          var reader: pid_t?
          precondition(
            eventually {
              reader = GuestRig.children.first
              return reader != nil
            })
          // The first rounds start what is then kept: threads and pools of frames.
          if round == 3 {
            precondition(eventually { rig.line.picture != nil })
            before = ProcessFootprint.descriptors
          }
          let end = MediaTime.now() + Int64.random(in: 0...30_000_000, using: &random)
          while .now() < end { _ = (rig.line.level, rig.line.copyPicture() == nil) }
          if let reader {
            kill(reader, SIGKILL)
            precondition(eventually { !GuestRig.children.contains(reader) })
          }
        }
        precondition(eventually { rig.line.picture != nil })
        // A reader that has been started once more has as many descriptors as the one at the beginning.
        precondition(ProcessFootprint.descriptors == before)
        precondition(GuestRig.memories == 2)
        precondition(source.stop(by: .now() + .seconds(60)))
        precondition(rig.stop())
        precondition(GuestRig.children.isEmpty && GuestRig.memories == 0)
      }
    }
  }
}
