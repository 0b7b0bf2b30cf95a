// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import TestSupport
import Testing

@testable import Studio

/// Sinks that join and leave at random while the main one receives. In a process of its own, whose descriptors and
/// threads can be counted.
@Suite struct JoinLeaveTests {
  private static func threads(_ names: Set<String>) -> Int {
    ProcessFootprint.threads { names.contains($0) }
  }

  @Test func threeHundredJoinsAndLeaves() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let before = ProcessFootprint.eventDescriptors
      try JoinLeaveTests.joinAndLeave()
      let names: Set = ["test sink", "video", "audio", "pattern", "tone", "stills"]
      let isBack = eventually {
        JoinLeaveTests.threads(names) == 0 && ProcessFootprint.eventDescriptors <= before
      }
      if !isBack {
        print(names.filter { JoinLeaveTests.threads([$0]) > 0 })
        print("descriptors \(ProcessFootprint.eventDescriptors), before \(before)")
      }
      #expect(isBack)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
  }

  private static func joinAndLeave() throws {
    let studio = Studio(settings: try StudioTests.settings()) { _ in }
    let user = studio.enter([.video, .audio])
    let main = QueueSink(capacity: 1_000_000)
    main.start()
    user.add(main, isMain: true)
    studio.supervise(.now())
    let video = try #require(studio.halves.video)
    let audio = try #require(studio.halves.audio)
    #expect(eventually { main.taken.contains { $0.kind == .audio } && main.count > 60 })

    var dice = SplitMix64(seed: 17)
    var sinks = [QueueSink?](repeating: nil, count: 4)
    var (joins, failures, taken) = (0, 0, 0)
    func leave(_ sink: QueueSink) {
      user.remove(sink)
      if !sink.stop() || sink.early > 0 { failures += 1 }
      taken += sink.count
    }
    /// One join or leave a step.
    func step() {
      let index = Int.random(in: 0..<4, using: &dice)
      if let sink = sinks[index] {
        leave(sink)
        sinks[index] = nil
      } else {
        let sink = QueueSink(capacity: 8, hangs: Bool.random(using: &dice))
        sink.start()
        user.add(sink)
        sinks[index] = sink
        joins += 1
      }
      studio.supervise(.now())
      (MediaTime.now() + .milliseconds(Int64.random(in: 0...12, using: &dice))).sleepUntil()
    }
    // Memory that is kept for reuse is no loss: it counts from the fiftieth on.
    for _ in 0..<50 { step() }
    let memory = ProcessFootprint.residentKiB
    let open = ProcessFootprint.eventDescriptors - sinks.count { $0 != nil }
    while joins < 330 { step() }
    for sink in sinks { sink.map { leave($0) } }
    sinks = []
    print(
      "descriptors \(ProcessFootprint.eventDescriptors) of \(open), threads "
        + "\(JoinLeaveTests.threads(["test sink"])), \(ProcessFootprint.residentKiB - memory) KiB more"
    )
    #expect(failures == 0)
    #expect(joins == 330 && taken > 100)
    // A thread that has been joined gives back its last memory and descriptor a moment later.
    #expect(eventually { JoinLeaveTests.threads(["test sink"]) == 1 }, "main's")
    #expect(eventually { ProcessFootprint.eventDescriptors <= open })
    #expect(ProcessFootprint.residentKiB - memory < 6_000, "KiB")

    #expect(studio.stop(by: .now() + .seconds(60)))
    user.leave()
    #expect(main.stop())
    let (frames, packets) = (
      video.pipeline.counters.frames.count, audio.pipeline.counters.packets.count
    )
    let entries = main.taken
    #expect(entries.count { $0.kind != .audio } == frames)
    #expect(entries.count { $0.kind == .audio } == packets)
    #expect(main.dropped == 0)
    for isAudio in [false, true] {
      let times = entries.filter { ($0.kind == .audio) == isAudio }.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
    print("\(joins) joins, \(frames) frames and \(packets) audio packets to main")
  }
}
