// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import CFFmpeg
import Foundation
import Posix
import Testing

@testable import Capture

/// Files that want more memory than a small board has, and files that end the program.
@Suite(.enabled(if: MadeFiles.hasFFmpeg)) struct HungryFileTests {
  private let time = SourceClock()
  private var worker: Worker { Worker(name: "hungry", clock: time.clock) }

  /// A film of one frame, whose index claims forty million: it would take 1 GB.
  @Test func anIndexThatClaimsMoreThanTheFileHasIsNotBuilt() throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "one.mov", ["-f", "lavfi", "-i", "testsrc=s=64x48:d=0.04", "-c:v", "mjpeg"])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let claimed: [UInt8] = [0x02, 0x62, 0x5A, 0x00]
    /// - Parameter offset: from the end of the box's name: version and flags take four bytes (ISO 14496-12).
    func claim(_ box: String, at offset: Int, _ value: [UInt8]) throws {
      let start = try #require(bytes.firstRange(of: Array(box.utf8))).upperBound + offset
      bytes.replaceSubrange(start..<(start + 4), with: value)
    }
    try claim("stts", at: 8, claimed)
    try claim("stsc", at: 12, claimed)
    try claim("stsz", at: 4, [0, 0, 0, 1])
    try claim("stsz", at: 8, claimed)
    let evil = try files.write("evil.mov", bytes)
    let film = try MediaFile(path: evil, kind: .video, worker: worker)
    #expect(film.next() == .ended)
    // The limit that keeps FFmpeg from it.
    for (bytes, isGiven) in [((1 << 26) + 1, false), ((1 << 26) - 64, true)] {
      let block = unsafe av_malloc(bytes)
      #expect(unsafe (block != nil) == isGiven)
      unsafe av_free(block)
    }
  }

  /// Sixteen references are kept, besides what is decoded and shown.
  @Test(arguments: [(frames: 8, isEnough: false), (frames: 40, isEnough: true)])
  func allFramesOfADecoderHaveABound(frames: Int, isEnough: Bool) throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "refs.mp4",
      [
        "-f", "lavfi", "-i", "testsrc=s=160x128:r=25:d=2", "-c:v", "libx264", "-refs", "16",
        "-x264-params", "ref=16:bframes=0", "-pix_fmt", "yuv420p",
      ])
    let film = try MediaFile(
      path: path, kind: .video, worker: worker, frameMemory: Int64(frames * 160 * 128 * 3 / 2))
    var decoded = 0
    while case .frame = film.next() { decoded += 1 }
    #expect(film.isTooLarge != isEnough)
    #expect((decoded == 50) == isEnough, "\(decoded) frames")
  }

  /// A plane of 9000 × 4000 at 16 bits is more than FFmpeg may take at once: that is no damage, and it is told once, not each second.
  @Test func aPictureThatIsTooLargeIsToldAsThat() throws {
    let files = try MadeFiles()
    let path = try files.encode(
      "large.mkv",
      [
        "-f", "lavfi", "-i", "color=gray:s=9000x4000:d=0.04", "-pix_fmt", "gray16le", "-c:v",
        "ffv1",
      ])
    let played = Played(path, seconds: 3, isWatched: false)
    #expect(played.video.isEmpty)
    #expect(played.videoReports.codes == ["too_large"])
  }

  /// A program that dies while it opens a file has not closed it: `FileOpenings` is left as it was then.
  @Test func aFileThatEndsTheProgramIsNotOpenedForEver() throws {
    let files = try MadeFiles()
    let clip = try files.y4m(size: PictureSize(width: 16, height: 16), frames: 2)
    let other = try files.write("other.mp4", [1])
    for _ in 0..<FileOpenings.maxFailedOpenings {
      try FileOpenings(directory: files.folder).noteOpening(clip, FileStamp(path: clip))
    }
    let openings = FileOpenings(directory: files.folder)
    #expect(throws: FileTrouble.endsProgram(path: clip)) {
      try FileLoop(
        path: clip, kind: .video, starts: FileStarts(time.now), openings: openings, worker: worker
      ) { _ in }
    }
    try openings.noteOpening(other, FileStamp(path: other))
    openings.noteHarmless(other, FileStamp(path: other))
    // It is told each time, and what is put in its place is tried.
    #expect(throws: FileTrouble.self) { try openings.noteOpening(clip, FileStamp(path: clip)) }
    _ = try files.y4m(size: PictureSize(width: 16, height: 16), frames: 3)
    try FileOpenings(directory: files.folder).noteOpening(clip, FileStamp(path: clip))
  }

  @Test func aFileThatIsClosedOrPlaysIsHarmless() throws {
    let files = try MadeFiles()
    let clip = try files.y4m(size: PictureSize(width: 16, height: 16), frames: 50)
    let left = files.folder + "/media-openings"
    for _ in 0..<(2 * FileOpenings.maxFailedOpenings) {
      let openings = FileOpenings(directory: files.folder)
      do {
        let loop = try FileLoop(
          path: clip, kind: .video, starts: FileStarts(time.now), openings: openings, worker: worker
        ) { _ in }
        #expect(FileManager.default.fileExists(atPath: left))
        _ = try loop.next()
      }
      #expect(!FileManager.default.fileExists(atPath: left))
    }
    let loop = try FileLoop(
      path: clip, kind: .video, starts: FileStarts(time.now),
      openings: FileOpenings(directory: files.folder), worker: worker
    ) { _ in }
    _ = try loop.next()
    #expect(FileManager.default.fileExists(atPath: left))
    time.stall(nanos: FileOpenings.harmlessAfterNanos)
    _ = try loop.next()
    #expect(!FileManager.default.fileExists(atPath: left))
  }
}
