// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Encode
import Foundation
import Media
import Posix
import TestSupport
import Testing

@testable import Mux
@testable import Recording

/// Recordings in a folder of a real file system.
struct RecordingFolderTests {
  /// A folder with recordings of three seconds by real encoders.
  /// - Parameter lumas: that of each second. What differs from the first is made by an encoder of its own.
  private func folder(_ titles: [String] = ["One"], lumas: [UInt8] = [90, 90, 90]) throws
    -> RecordingFolder
  {
    let directory = stateDirectory()
    let folder = RecordingFolder(directory, stateDirectory: stateDirectory())
    for title in titles {
      let clock = VirtualClock(start: Film.start)
      let recorder = Recorder(
        RecorderOptions(title: title, keepFreeMB: 0), in: folder,
        wall: WallClock { 1_764_097_289_000 }, clock: clock.clock)
      #expect(recorder.start())
      let sound = try AACEncoder(AudioFormat(channels: 2, bitrateKbps: 96))
      recorder.setAudio(sound.header)
      for (second, luma) in lumas.enumerated() {
        // A still has an encoder of its own, here with another profile.
        try record(recorder, clock, sound, luma: luma, isStill: luma != lumas[0], second: second)
      }
      #expect(recorder.stop(by: .now() + .seconds(60)))
      #expect(recorder.status.state == .stopped)
    }
    return folder
  }

  private func record(
    _ recorder: Recorder, _ clock: VirtualClock, _ sound: AACEncoder, luma: UInt8, isStill: Bool,
    second: Int
  ) throws {
    let encoder = try X264Encoder(
      VideoFormat(
        size: Film.size, framesPerSecond: 30, bitrateKbps: 500,
        speed: isStill ? .veryfast : .superfast, colour: isStill ? .webcam : .bt709))
    recorder.setVideo(encoder.header)
    let picture = [UInt8](repeating: luma, count: Film.size.width * Film.size.height * 3 / 2)
    for frame in 0..<30 {
      clock.advance(by: Film.frameNanos)
      try unsafe picture.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        try unsafe encoder.encode(
          PlanarPicture(i420: base, bytesPerRow: Film.size.width, size: Film.size),
          FrameTag(scene: 0, time: clock.now), key: frame == 0
        ) { recorder.offer($0.packet) }
      }
    }
    let samples = (0..<2_048).map { Float($0 % 100) / 500 }
    for block in second * 47..<(second + 1) * 47 {
      try unsafe samples.withUnsafeBufferPointer { buffer throws(AudioEncoderError) in
        guard let base = buffer.baseAddress else { return }
        let at = Film.start + PCM.nanos(frames: block * 1_024)
        try unsafe sound.encode(base, startsAt: at, scene: 0) { recorder.offer($0) }
      }
    }
  }

  @Test func aRecordingIsListed() throws {
    let folder = try folder()
    let all = try folder.list()
    #expect(all.map(\.name) == ["2025-11-25_19-01-29 One.mp4"])
    #expect(all[0].width == 320 && all[0].height == 180 && !all[0].isRunning)
    #expect(abs((all[0].seconds ?? 0) - 3) < 0.05)
    #expect(try folder.list() == all)
    #expect(try folder.open(all[0].id).status().size == all[0].bytes)
    #expect(try folder.mend().isEmpty)
  }

  /// What ffprobe says of the finished file, and of one that a power cut has left.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")))
  func othersReadIt() throws {
    let folder = try folder()
    let name = try folder.list()[0].name
    let path = "\(folder.directory)/\(name)"
    #expect(try frames(path) == 90)
    let bytes = try File.read(path, limit: 1 << 24).bytes
    var reader = BoxReader(Array(bytes[40..<48]))
    let end = 32 + (reader.take64() ?? 0)
    var unfinished = Array(bytes[..<end])
    unfinished.replaceSubrange(32..<48, with: MovieBoxes.free)
    for file in [unfinished, Array(unfinished.dropLast(200)) + [UInt8](repeating: 0, count: 900)] {
      try Data(file).write(to: URL(filePath: path))
      let mended = try folder.mend()
      #expect(mended.count == 1)
      #expect(try frames(path) == Int(((mended[0].seconds ?? 0) * 30).rounded()))
      #expect(try frames(path) >= 60)
    }
  }

  /// A still between live frames: its parameter sets are a sample description of their own.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")))
  func othersReadAPause() throws {
    let folder = try folder(lumas: [90, 200, 90])
    let all = try folder.list()
    #expect(all.count == 1)
    let path = "\(folder.directory)/\(all[0].name)"
    let read = try #require(ReadMovie(try File.read(path, limit: 1 << 24).bytes))
    #expect(read.tracks[0].descriptions == 2)
    let data = try output(
      "/usr/bin/ffmpeg",
      ["-v", "error", "-xerror", "-i", path, "-map", "0:v", "-vf", "scale=1:1:out_range=tv"]
        + ["-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-"])
    #expect(data.count == 90)
    #expect(data[15] < 110 && data[45] > 180 && data[75] < 110, "\(Array(data))")
  }

  private func frames(_ path: String) throws -> Int {
    let data = try output(
      "/usr/bin/ffprobe",
      ["-v", "error", "-count_frames", "-select_streams", "v", "-show_entries"]
        + ["stream=nb_read_frames", "-of", "csv=p=0", path])
    return Int(String(decoding: data, as: UTF8.self).prefix { $0.isNumber }) ?? -1
  }

  private func output(_ tool: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    let out = Pipe()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    process.standardOutput = out
    try process.run()
    let data = out.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return data
  }

  @Test func namesAndKeeping() throws {
    let folder = try folder(["One", "Two"])
    let one = try #require(try folder.list().first { $0.name.contains("One") })
    let renamed = try folder.rename(one.id, to: "../Sun: \"day\"?\u{7}")
    #expect(renamed.name == "Sun day.mp4" && renamed.id != one.id)
    #expect(throws: RecordingError.missing) { try folder.recording(one.id) }
    #expect(throws: RecordingError.badName) { try folder.rename(renamed.id, to: " ./. ") }
    let two = try #require(try folder.list().first { $0.name.contains("Two") })
    #expect(throws: RecordingError.nameTaken) { try folder.rename(two.id, to: "Sun day") }
    #expect(try folder.keep(renamed.id, true).isKept)
    #expect(try folder.recording(renamed.id).isKept)
    // Where all that may be removed is not enough, it stays.
    var removed = 0
    #expect(try !folder.makeRoom(.max / 2, removed: &removed))
    #expect(try folder.list().count == 2)
    // To make room, what is kept stays.
    try makeRoom(in: folder, of: two.name)
    #expect(try folder.list().map(\.name) == ["Sun day.mp4"])
  }

  /// Asks for more room than there can be, but less than the size of a recording promises: the file has a hole.
  private func makeRoom(in folder: RecordingFolder, of name: String) throws {
    try folder.open().open(name, forWriting: true).truncate(to: 1 << 41)
    let bytes = try folder.space().free + (1 << 40)
    var removed = 0
    #expect(try !folder.makeRoom(bytes, removed: &removed))
    #expect(removed == 1)
  }

  @Test func aDeletedRecordingComesBackUntilItIsPurged() throws {
    let folder = try folder()
    let one = try folder.list()[0]
    try folder.delete(one.id)
    #expect(try folder.list().isEmpty)
    #expect(try folder.undoDelete(one.id) == one)
    try folder.delete(one.id)
    try folder.purge()
    #expect(throws: RecordingError.missing) { try folder.undoDelete(one.id) }
    #expect(File.names(in: folder.directory).filter { $0.hasSuffix("mp4") }.isEmpty)
  }

  @Test func aThumbnailIsMadeOnce() throws {
    let folder = try folder()
    let one = try folder.list()[0]
    let jpeg = try folder.thumbnail(one.id)
    #expect(jpeg.starts(with: [0xFF, 0xD8]) && jpeg.count < 20_000)
    #expect(try folder.thumbnail(one.id) == jpeg)
  }

  /// Somebody else's files, links and pipes are neither listed nor touched.
  @Test func onlyOwnFilesAreTouched() throws {
    let folder = try folder()
    let path = folder.directory
    let outside = stateDirectory()
    let own = try folder.list()[0].name
    try Data("film".utf8).write(to: URL(filePath: "\(path)/holiday.mp4"))
    try FileManager.default.copyItem(atPath: "\(path)/\(own)", toPath: "\(outside)/secret.mp4")
    for name in ["link.mp4", ".onair-next.mp4"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(path)/\(name)", withDestinationPath: "\(outside)/secret.mp4")
    }
    try FileManager.default.createDirectory(
      atPath: "\(path)/folder.mp4", withIntermediateDirectories: false)
    unsafe #expect(mkfifo("\(path)/pipe.mp4", 0o600) == 0)
    #expect(try folder.list().map(\.name) == [own])
    #expect(try folder.mend().isEmpty)
    try makeRoom(in: folder, of: own)
    try folder.purge()
    #expect(try folder.list().isEmpty)
    #expect(File.size("\(outside)/secret.mp4") ?? 0 > 1_000)
    #expect(File.names(in: path).contains("holiday.mp4"))
  }

  @Test func onlyNamesOfTheRecorderAreItsOwn() {
    for name in ["2026-11-29_08-14-18 Service-2.mp4", "before-clock-001.mp4"] {
      #expect(RecordingName.isMade(name))
    }
    for name in ["empty.mp4", "2026-11-29.mp4", "2026-11-29_08-14-18.txt"] {
      #expect(!RecordingName.isMade(name), "\(name)")
    }
  }

  @Test func aFolderThatIsNotThereIsTold() {
    let folder = RecordingFolder("/nonexistent/onair", stateDirectory: "/nonexistent")
    #expect(throws: RecordingError.folder(.noFolder)) { try folder.list() }
  }

  /// Ten thousand recordings are read once; then the list costs little.
  @Test func manyRecordings() throws {
    let folder = try folder()
    let own = "\(folder.directory)/\(try folder.list()[0].name)"
    let bytes = try File.read(own, limit: 1 << 24).bytes
    let count = often(10_000)
    for number in 1..<count {
      try Data(bytes.prefix(2_000)).write(to: URL(filePath: "\(folder.directory)/\(number).mp4"))
    }
    #expect(try folder.list().count == count)
    let began = ProcessInfo.processInfo.systemUptime
    #expect(try folder.list().count == count)
    // A debug build; the limit is for a list that opens each file.
    #expect(ProcessInfo.processInfo.systemUptime - began < 60)
  }
}

struct RecordingNameTests {
  private func name(_ title: String, _ time: Int64? = 1_764_097_289_000, taken: Set<String> = [])
    -> String
  {
    RecordingName.make(title: title, at: time) { taken.contains($0) }
  }

  @Test func names() {
    #expect(name("") == "2025-11-25_19-01-29.mp4")
    #expect(name("A/B: *C*. ") == "2025-11-25_19-01-29 A B C.mp4")
    #expect(name("x", taken: ["2025-11-25_19-01-29 x.mp4"]) == "2025-11-25_19-01-29 x-2.mp4")
    #expect(name("x", nil) == "before-clock-000001.mp4")
    #expect(name("x", nil, taken: ["before-clock-000001.mp4"]) == "before-clock-000002.mp4")
    let long = name(String(repeating: "ä", count: 200))
    #expect(long.utf8.count <= 120 && long.hasSuffix("ä.mp4"))
    #expect(RecordingName.asked("../../etc/passwd") == "etc passwd.mp4")
    #expect(RecordingName.asked("film.mp4") == "film.mp4")
    #expect(RecordingName.asked(".. . ") == nil)
    #expect(RecordingName.id(of: "a.mp4").count == 16)
  }
}
