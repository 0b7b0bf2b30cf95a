// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Synchronization
import Testing

@testable import Studio
@testable import Video

/// Images are decoded once, one at a time.
@Suite struct StillImagesTests {
  /// Counts what is decoded.
  private final class Decoder: Sendable {
    struct Counts {
      var all = 0
      var now = 0
      var most = 0
    }

    let counts = Mutex(Counts())
    let isHeld = Atomic(false)

    func decode(_ path: String) throws(StillError) -> StillImage {
      counts.withLock { counts in
        counts.all += 1
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      defer { counts.withLock { $0.now -= 1 } }
      while isHeld.load(ordering: .relaxed), path.hasSuffix("slow") { usleep(1_000) }
      usleep(2_000)
      guard !path.hasSuffix("bad") else { throw .broken }
      return try StillImage(.pause)
    }
  }

  private let decoder = Decoder()
  private let folder: String

  init() {
    folder = FileManager.default.temporaryDirectory.path + "/onair-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["a", "b", "bad", "slow"] { write(name, "an image") }
  }

  private func write(_ name: String, _ text: String) {
    _ = FileManager.default.createFile(
      atPath: "\(folder)/\(name)", contents: Data("\(name) \(text)".utf8))
  }

  private func images() -> StillImages {
    let decoder = decoder
    return StillImages { (path) throws(StillError) in try decoder.decode(path) }
  }

  private var decoded: Int { decoder.counts.withLock { $0.all } }

  @Test func whatWasCheckedIsShownWithoutDecodingItAgain() throws {
    let images = images()
    try images.check("\(folder)/a")
    try images.check("\(folder)/a")
    _ = try images.image("\(folder)/a")
    #expect(decoded == 1)
    // The file gets its final name between the two.
    #expect(unsafe rename("\(folder)/a", "\(folder)/c") == 0)
    try images.check("\(folder)/c")
    #expect(decoded == 1)
    _ = try images.image("\(folder)/c")
    #expect(decoded == 2, "an image that is shown is not kept twice")
    for _ in 0..<3 { #expect(throws: StillError.broken) { try images.check("\(folder)/bad") } }
    #expect(decoded == 3)
    write("bad", "another image, mended")
    #expect(throws: StillError.broken) { try images.check("\(folder)/bad") }
    #expect(decoded == 4, "it was replaced")
    #expect(throws: StillError.broken) { try images.check("\(folder)/not there, bad") }
    #expect(throws: StillError.broken) { try images.check("\(folder)/not there, bad") }
    #expect(decoded == 6)
  }

  @Test func anImageThatNobodyShowsIsNotKept() throws {
    let images = images()
    try images.check("\(folder)/a", at: MediaTime(nanos: 0))
    images.forgetUnused(MediaTime(nanos: .seconds(9)))
    _ = try images.image("\(folder)/a")
    #expect(decoded == 1)
    try images.check("\(folder)/b", at: MediaTime(nanos: 0))
    images.forgetUnused(MediaTime(nanos: .seconds(10)))
    _ = try images.image("\(folder)/b")
    #expect(decoded == 3)
  }

  @Test func thereIsOneAtATime() async {
    let images = images()
    let folder = folder
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<24 {
        group.addTask {
          if index % 2 == 0 {
            try? images.check("\(folder)/\(["a", "b", "bad"][index % 3])")
          } else {
            _ = try? images.image("\(folder)/\(["a", "b"][index % 2])")
          }
        }
      }
    }
    #expect(decoder.counts.withLock { $0.most } == 1)
  }

  /// A change of settings finds out at once about an image that was decoded before.
  @Test func aKnownImageDoesNotWaitForAnother() throws {
    let images = images()
    try images.check("\(folder)/a")
    decoder.isHeld.store(true, ordering: .relaxed)
    let worker = Worker(name: "slow image")
    let folder = folder
    worker.start { try? images.check("\(folder)/slow") }
    let patience = MediaTime.now() + .seconds(60)
    while decoded < 2, .now() < patience { usleep(1_000) }
    try images.check("\(folder)/a")
    #expect(decoder.counts.withLock { $0.now } == 1, "the other one is still being decoded")
    decoder.isHeld.store(false, ordering: .relaxed)
    #expect(worker.stop(by: .now() + .seconds(60)))
  }
}
