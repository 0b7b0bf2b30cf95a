// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import TestSupport
import Testing

@testable import Mux
@testable import Recording

/// A disk that fails costs a gap in the recording, and nothing else.
struct FailingDiskTests {
  @Test func aFailedDiskIsToldAndTriedAgain() throws {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<150) + Film.sounds(0..<234))
    #expect(bench.recorder.status.state == .recording)
    let first = bench.disk.names
    bench.disk.fault.withLock { $0 = { $0 == .flush ? 5 : nil } }
    bench.play(Film.frames(150..<300))
    #expect(bench.recorder.status.state == .failed(.diskFailed))
    #expect(bench.recorder.status.gaps >= 1)
    bench.disk.fault.withLock { $0 = { _ in nil } }
    bench.play(Film.frames(300..<1_200))
    #expect(bench.recorder.status.state == .recording)
    bench.stop()
    // The first file was left as it was; it is mended later.
    let names = bench.disk.names
    #expect(names.count == 2 && first.count == 1)
    let bytes = bench.disk.bytes(first[0])
    let mended = try #require(try mended(bytes))
    let second = try #require(ReadMovie(bench.disk.bytes(names[1])))
    // Each frame is in a file or counted. A fragment that was written, but not flushed, may be both.
    let frames = [mended, second].reduce(0) { $0 + $1.tracks[0].samples.count }
    #expect((1_200...1_231).contains(frames + bench.recorder.status.droppedFrames))
  }

  @Test(
    arguments: [
      (Int32(30), RecordingTrouble.readOnly), (28, .full), (13, .forbidden),
    ] as [(Int32, RecordingTrouble)])
  func eachErrorHasItsReason(code: Int32, trouble: RecordingTrouble) {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<90))
    bench.disk.fault.withLock { $0 = { $0 == .write ? code : nil } }
    bench.play(Film.frames(90..<150))
    #expect(bench.recorder.status.state == .failed(trouble))
    #expect(!trouble.sentence.isEmpty && !trouble.code.isEmpty)
    bench.stop()
  }

  /// A full disk: the file is finished within what there is.
  @Test func aFullDiskHasWholeFiles() throws {
    let bench = RecorderBench()
    bench.disk.capacity.store(200_000, ordering: .relaxed)
    bench.play(Film.frames(0..<9_000, payload: 60))
    #expect(bench.recorder.status.state == .failed(.full))
    bench.stop()
    let movies = bench.movies
    #expect(movies.count == 1)
    #expect(bench.disk.used <= 200_000)
    let frames = movies[0].tracks[0].samples.map(\.bytes)
    #expect(frames.count > 1_000)
    #expect(frames == Film.frames(0..<frames.count, payload: 60).map(\.bytes))
  }

  /// While a write hangs, ten seconds wait; what comes later is dropped up to a keyframe.
  @Test func aStallCostsAGap() throws {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<120))
    let clock = bench.clock
    let packets = Film.frames(120..<1_320)
    let recorder = bench.recorder
    let isFirst = FirstCall()
    bench.disk.fault.withLock { fault in
      fault = { call in
        guard call == .flush, isFirst.take() else { return nil }
        // 33 s pass in this call, in which the encoders go on.
        for packet in packets[..<990] {
          clock.advance(by: max(0, packet.time - clock.now))
          packet.with { recorder.offer($0) }
        }
        #expect(recorder.status.state == .failed(.stalled))
        return nil
      }
    }
    bench.clock.advance(by: .seconds(1))
    bench.settle()
    #expect(bench.recorder.status.state == .recording)
    bench.play(Array(packets[990...]))
    bench.stop()
    let status = bench.recorder.status
    #expect(status.gaps == 1 && (600...900).contains(status.droppedFrames), "\(status)")
    let movies = bench.movies
    #expect(movies.count == 1)
    // What is there has its true time: the frame before the gap lasts until the next.
    #expect(abs(movies[0].seconds - 44) < 0.2)
    let samples = movies[0].tracks[0].samples
    #expect(samples.count + status.droppedFrames == 1_320)
    let gap = try #require(samples.firstIndex { $0.duration > .seconds(5) })
    #expect(movies[0].tracks[0].syncs.contains(gap + 2))
  }

  /// A disk that stalls is waited for with all of the queue's memory, wherever in it the newest packet is.
  @Test(arguments: [45, 50, 55, 60, 65, 70])
  func aStallHasAllOfTheMemory(begun: Int) {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<begun, payload: 100_000))
    // The keyframe ends the fragment, and waits in the queue while that is written. 15 MB come meanwhile.
    let packets = Film.frames(begun..<begun + 150, payload: 100_000)
    let (recorder, clock, isFirst) = (bench.recorder, bench.clock, FirstCall())
    bench.disk.fault.withLock { fault in
      fault = { call in
        guard call == .flush, isFirst.take() else { return nil }
        for packet in packets.dropFirst() {
          clock.advance(by: max(0, packet.time - clock.now))
          packet.with { recorder.offer($0) }
        }
        return nil
      }
    }
    bench.play([packets[0]])
    bench.advance(to: packets[149].time + .seconds(1))
    bench.stop()
    #expect(recorder.status.gaps == 0)
    #expect(bench.movies.first?.tracks[0].samples.count == begun + 150)
  }

  /// Marks are written to the disk, too.
  @Test func aStallAtAMarkIsTold() throws {
    let folder = RecordingFolder(stateDirectory(), stateDirectory: "/nonexistent")
    let disk = FakeDisk(keepsSteps: true)
    let bench = RecorderBench(disk: disk, folder: folder)
    bench.play(Film.frames(0..<60))
    bench.recorder.mark()
    let steps = disk.steps.withLock { $0.count }
    try folder.note(in: try folder.open()) { _ in
      // The book is held here. When the next fragment is written and flushed, the mark waits for the book.
      bench.clock.advance(by: .seconds(2))
      let isWritten = eventually { disk.steps.withLock { $0.count } >= steps + 2 }
      let isTold = eventually {
        bench.clock.advance(by: Recorder.stallNanos)
        return bench.recorder.status.state == .failed(.stalled)
      }
      #expect(isWritten && isTold)
      return RecordingBook.Line(name: "other.mp4")
    }
    bench.settle()
    #expect(bench.recorder.status.state == .recording)
    bench.stop()
  }

  private final class FirstCall: @unchecked Sendable {
    private var isTaken = false
    func take() -> Bool {
      defer { isTaken = true }
      return !isTaken
    }
  }
}

/// What was paused or muted is not in a recording.
struct PauseTests {
  @Test func aCutHidesWhatWaits() throws {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<95, scene: 1) + Film.sounds(0..<150, scene: 1))
    bench.recorder.setPaused(true)
    bench.recorder.cut(video: 2, audio: 2)
    // What an encoder still had of the old scene.
    bench.play(Film.frames(95..<99, scene: 1))
    bench.recorder.setVideo(Film.video(9))
    bench.play(Film.frames(100..<200, sets: 9, scene: 2))
    bench.recorder.setPaused(false)
    bench.recorder.cut(video: 3, audio: 3)
    bench.recorder.setVideo(Film.video())
    bench.play(Film.frames(200..<300, scene: 3))
    bench.stop()
    let movies = bench.movies
    // A still has parameter sets of its own, and is in the same file.
    #expect(movies.count == 1)
    let track = try #require(movies.first?.tracks.first)
    #expect(track.descriptions == 2)
    let numbers = track.samples.map(\.description)
    #expect(numbers.suffix(100).allSatisfy { $0 == 1 } && numbers[numbers.count - 101] == 2)
    // Of each scene, what waited at the cut is missing: less than a second.
    #expect((65...95).contains(numbers.firstIndex(of: 2) ?? 0))
    #expect((70...100).contains(numbers.count { $0 == 2 }))
    #expect(abs(movies[0].seconds - 10) < 0.1)
  }

  @Test func aPauseCanBeLeftOut() throws {
    let bench = RecorderBench(RecorderOptions(keepFreeMB: 0, pauses: .cut))
    bench.play(Film.frames(0..<90, scene: 1) + Film.sounds(0..<140, scene: 1))
    bench.recorder.cut(video: 2, audio: 2)
    bench.recorder.setPaused(true)
    #expect(bench.recorder.status.state == .paused)
    bench.play(Film.frames(100..<400, sets: 9, scene: 2) + Film.sounds(160..<600, scene: 2))
    bench.recorder.setPaused(false)
    bench.recorder.cut(video: 3, audio: 3)
    bench.play(Film.frames(400..<490, scene: 3) + Film.sounds(630..<760, scene: 3))
    bench.stop()
    let movies = bench.movies
    #expect(movies.count == 1 && bench.recorder.status.gaps == 0)
    #expect(movies[0].seconds < 6.5 && movies[0].seconds > 4.5, "\(movies[0].seconds)")
    #expect(movies[0].tracks[0].descriptions == 1)
  }

  @Test func aMuteKeepsTheVideo() throws {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<100, scene: 1) + Film.sounds(0..<155, scene: 1))
    bench.recorder.cut(video: 0, audio: 2)
    bench.play(Array(Film.frames(0..<200, scene: 1)[100...]) + Film.sounds(160..<300, scene: 2))
    bench.stop()
    let movies = bench.movies
    #expect(movies.count == 1)
    #expect(movies[0].tracks[0].samples.map(\.bytes) == Film.frames(0..<200).map(\.bytes))
    let heard = movies[0].tracks[1].shown
    let old = Film.sounds(0..<160).map(\.bytes)
    #expect(heard.filter { old.contains($0) }.count < 155)
  }

  @Test func anotherSizeBeginsAnotherFile() throws {
    let bench = RecorderBench()
    bench.play(Film.frames(0..<90))
    bench.recorder.setVideo(Film.video(3, size: PictureSize(width: 160, height: 90)))
    bench.play(Film.frames(90..<180, sets: 3))
    bench.stop()
    #expect(bench.movies.map { $0.tracks[0].samples.count } == [90, 90])
  }
}
