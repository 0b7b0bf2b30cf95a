// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Glibc
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Control
@testable import Studio

/// What a change of settings costs the media path.
@Suite struct JobThreadsTests {
  private final class Gate: Sendable {
    let isHeld = Atomic(false)
    let isOpen = Atomic(false)

    func wait() {
      isHeld.store(true, ordering: .relaxed)
      while !isOpen.load(ordering: .relaxed) { usleep(1_000) }
    }
  }

  /// An image takes long to decode, and many may be uploaded or checked. Settings are read, and others changed, meanwhile.
  @Test func anImageHoldsUpNothingElse() async throws {
    try await ServedStation.run { box in
      let path = "\(box.directory)/media/a.png"
      let name = ServedStation.request("PUT", "/api/media/a.png", "no image")
      #expect(box.tcp(name, box.token("admin")).contains(" 200 "))
      let gate = Gate()
      defer { gate.isOpen.store(true, ordering: .relaxed) }
      // Stands for images that take long. Other tests may keep the threads of the default priority busy.
      Task(priority: .high) { try await JobThread.images.run { gate.wait() } }
      #expect(eventually { gate.isHeld.load(ordering: .relaxed) })
      let answers = Mutex<[String]>([])
      let workers = (0..<12).map { _ in Worker(name: "image test") }
      for (index, worker) in workers.enumerated() {
        worker.start {
          let check = index % 2 == 0 ? "?check=true" : ""
          let request = ServedStation.request(
            "PATCH", "/api/settings\(check)",
            index < 8
              ? #"{"pause.image": "media/a.png"}"# : #"{"slate.camera_image": "media/a.png"}"#)
          let answer = box.tcp(request, box.token("admin"))
          answers.withLock { $0.append(answer) }
        }
      }
      #expect(
        eventually { JobThread.images.unfinished > workers.count }, "all wait, behind the gate")
      #expect(box.tcp(ServedStation.get("/api/settings"), box.token("read")).contains(" 200 "))
      let other = ServedStation.request("PATCH", "/api/settings", #"{"video.fps": 24}"#)
      #expect(box.tcp(other, box.token("admin")).contains(" 200 "))
      #expect(answers.withLock { $0.isEmpty }, "they wait for the image")
      gate.isOpen.store(true, ordering: .relaxed)
      for worker in workers { #expect(worker.stop(by: .now() + .seconds(300))) }
      for answer in answers.withLock({ $0 }) {
        #expect(answer.contains("\(path) is neither PNG nor JPEG"), "\(answer)")
      }
    }
  }

  /// The disk's thread has as many jobs as may wait: that is no fault of the program.
  @Test func aFullThreadIsToldAsSuch() async throws {
    try await ServedStation.run { box in
      let gate = Gate()
      defer { gate.isOpen.store(true, ordering: .relaxed) }
      while box.station.jobs.submit({ gate.wait() }) {}
      let answer = box.tcp(ServedStation.get("/api/settings"), box.token("read"))
      #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains(#""code":"busy""#), "\(answer)")
      gate.isOpen.store(true, ordering: .relaxed)
      #expect(
        eventually {
          box.tcp(ServedStation.get("/api/settings"), box.token("read")).contains(" 200 ")
        })
    }
  }

  /// The page shows when a change counts, and the bit rate that follows the size.
  @Test func aChangeAndItsEffectAreToldInCodes() async throws {
    try await ServedStation.run { box in
      let change = ServedStation.request(
        "PATCH", "/api/settings",
        #"{"video.size": "1920x1080", "audio.channels": 1, "page.proxy_name": "a.example"}"#)
      let answer = box.tcp(change, box.token("admin"))
      for (key, counts) in [
        ("video.size", "immediate"), ("audio.channels", "next_broadcast"),
        ("page.proxy_name", "next_start"),
      ] {
        let found = answer.split(separator: "{").first { $0.contains("\"key\":\"\(key)\"") }
        #expect(found?.contains("\"counts\":\"\(counts)\"") == true, "\(answer)")
      }
      let list = box.tcp(ServedStation.get("/api/settings"), box.token("read"))
      let rate = list.split(separator: "\n").first { $0.contains(#""video.bitrate_kbps""#) }
      #expect(rate?.contains(#""value": 0"#) == true && rate?.contains(#""effective": 4"#) == true)
    }
  }

  /// An image takes long to decode, and changes are checked while a person types.
  @Test func onlyImagesThatAChangeNamesAreRead() throws {
    let settings = try Configuration.load(
      file: nil,
      overrides: [
        "pause.image=/nowhere/a", "slate.camera_image=/nowhere/b",
        "guests.background_image=/nowhere/c",
      ],
      environment: [:]
    ).settings
    let all = ["pause.image", "slate.camera_image", "guests.background_image"]
    #expect(settings.unfitImages().map(\.key) == all)
    var asked: [String] = []
    let unfit = settings.unfitImages { key in
      asked.append(key)
      return key == "pause.image"
    }
    #expect(unfit.map(\.key) == ["pause.image"])
    #expect(asked == all, "unset ones cost nothing")
  }
}
