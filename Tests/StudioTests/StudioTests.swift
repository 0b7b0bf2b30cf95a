// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Director
@testable import Studio

/// A studio with the test pattern and the test tone, on a virtual clock.
@Suite struct StudioTests {
  private static let live = Plan(video: .camera, audio: .microphone, lamp: .live)
  private static let paused = Plan(video: .pauseStill, audio: .silence, lamp: .paused)

  private let time = VirtualClock()
  private let studio: Studio

  init() throws {
    studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { _ in }
  }

  static func settings(_ overrides: String...) throws -> Settings {
    try Configuration.load(
      file: nil,
      overrides: [
        "video.source=pattern", "audio.source=tone", "video.size=160x90", "video.fps=30",
      ] + overrides, environment: [:]
    ).settings
  }

  /// Lets virtual time pass, with the supervisor's looks, until a condition holds.
  private func run(_ plan: Plan? = nil, until condition: () -> Bool) -> Bool {
    eventually {
      time.advance(by: .milliseconds(2))
      if let plan { studio.present(plan) }
      studio.supervise(time.now)
      return condition()
    }
  }

  @Test func devicesAreOpenOnlyWhileSomebodyNeedsThem() throws {
    studio.supervise(time.now)
    #expect(studio.halves.video == nil && studio.halves.audio == nil)

    let view = studio.enter(.video)
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    view.add(sink)
    #expect(studio.halves.video == nil, "the supervisor's thread opens devices")
    studio.supervise(time.now)
    weak let video = studio.halves.video
    #expect(video != nil && studio.halves.audio == nil)
    #expect(run { sink.count > 10 })
    #expect(sink.taken.first?.kind == .keyframe && sink.early == 0)
    #expect(!sink.taken.contains { $0.kind == .audio })

    // Somebody else needs both: the video goes on, undisturbed.
    let other = studio.enter([.video, .audio])
    studio.supervise(time.now)
    #expect(studio.halves.video === video && studio.halves.audio != nil)
    #expect(run { sink.taken.contains { $0.kind == .audio } })
    other.leave()
    studio.supervise(time.now)
    #expect(studio.halves.video === video && studio.halves.audio == nil)

    // The last one goes: the next look of the supervisor, 50 ms later at most, closes the devices.
    view.leave()
    studio.supervise(time.now)
    #expect(studio.halves.video == nil)
    #expect(eventually { video == nil }, "its threads have ended and its devices are closed")
    #expect(sink.stop())
  }

  /// Another number of channels takes another encoder, which the settings' owner gets when a broadcast begins.
  @Test func aBroadcastBeginsWithTheChannelsOfTheSettings() throws {
    let view = studio.enter(.audio)
    studio.supervise(time.now)
    weak let audio = studio.halves.audio
    #expect(audio != nil)
    studio.change(try StudioTests.settings("audio.channels=1"))
    studio.supervise(time.now)
    #expect(studio.halves.audio === audio, "viewers keep what they hear")
    let broadcast = studio.enter(.audio, leads: true)
    studio.supervise(time.now)
    #expect(studio.halves.audio != nil && studio.halves.audio !== audio)
    view.leave()
    broadcast.leave()
    studio.supervise(time.now)
    #expect(studio.halves.audio == nil)
  }

  /// Overlays come and go by the wall clock, which may be set at any time.
  @Test func overlaysComeAndGoAtTheirTimes() throws {
    /// 2026-06-01, in minutes since 1970.
    let day: Int64 = 20_605 * 1_440
    let wall = Atomic<Int64>(0)
    func settings(_ until: String) throws -> Settings {
      try StudioTests.settings(
        "overlay.a.kind=text", "overlay.a.text=x", "overlay.a.from=18:30",
        "overlay.a.until=\(until)", "overlay.b.kind=text", "overlay.b.text=x", "box.zone=Etc/UTC")
    }
    let studio = Studio(
      settings: try settings("20:00"), clock: time.clock,
      wallClock: WallClock { wall.load(ordering: .relaxed) * 60_000 }
    ) { _ in }
    let user = studio.enter(.video)
    func isShown(at hour: Int64, _ minute: Int64) -> Bool? {
      wall.store(day + hour * 60 + minute, ordering: .relaxed)
      studio.supervise(time.now)
      guard let hidden = studio.halves.video?.state.withLock({ $0.shown.hiddenOverlays }) else {
        return nil
      }
      #expect(hidden.subtracting(["a"]).isEmpty && studio.isDue("overlay.b"))
      #expect(studio.isDue("overlay.a") == hidden.isEmpty)
      return hidden.isEmpty
    }
    #expect(isShown(at: 18, 29) == false)
    #expect(isShown(at: 18, 30) == true)
    #expect(isShown(at: 17, 30) == false, "the clock was set back")
    #expect(isShown(at: 19, 59) == true, "and forward")
    #expect(isShown(at: 20, 0) == false)
    #expect(isShown(at: 24 + 19, 0) == true)
    // An overlay that waits is never shown by a change of something else.
    wall.store(day + 21 * 60, ordering: .relaxed)
    studio.change(try settings("20:30"))
    studio.adjust()
    #expect(studio.halves.video?.state.withLock { $0.shown.hiddenOverlays } == ["a"])
    studio.change(try settings("21:30"))
    studio.adjust()
    #expect(studio.halves.video?.state.withLock { $0.shown.hiddenOverlays } == [])
    user.leave()
    studio.supervise(time.now)
  }

  /// Silence is a choice: it ends the trouble of the microphone before it.
  @Test func silenceReportsThatItRuns() throws {
    let reports = Mutex<[String]>([])
    let studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { report in
      if case .source(.audio, let report) = report {
        reports.withLock { $0.append(report.sentence) }
      }
    }
    let user = studio.enter(.audio)
    studio.supervise(time.now)
    studio.change(try StudioTests.settings("audio.source=silence"))
    studio.supervise(time.now)
    #expect(reports.withLock { $0.last } == "Viewers hear silence, as audio.source says.")
    user.leave()
    studio.supervise(time.now)
  }

  /// Whoever hears of something may ask the studio, and pause it: nothing is called under its lock.
  @Test func aListenerMayAskTheStudio() throws {
    let asked = Mutex<Studio?>(nil)
    let heard = Mutex<Set<String>>([])
    let studio = Studio(settings: try StudioTests.settings(), clock: time.clock) { [time] report in
      guard let studio = asked.withLock({ $0 }) else { return }
      studio.present(StudioTests.paused)
      let open = "\(studio.sources), \(studio.health(time.now)), \(studio.isOverloaded)"
      #expect(!open.isEmpty && studio.isAlive(time.now) && studio.figures().video.captured >= 0)
      let name =
        switch report {
        case .opening(let input): "opening \(input)"
        case .source(let input, _): "source \(input)"
        case .closed(let input): "closed \(input)"
        default: "other"
        }
      heard.withLock { _ = $0.insert(name) }
    }
    asked.withLock { $0 = studio }
    let user = studio.enter([.video, .audio])
    studio.supervise(time.now)
    let begins: Set = ["opening video", "opening audio", "source video", "source audio"]
    #expect(eventually { heard.withLock { $0.isSuperset(of: begins) } })
    user.leave()
    studio.supervise(time.now)
    #expect(heard.withLock { $0.isSuperset(of: ["closed video", "closed audio"]) })
    asked.withLock { $0 = nil }
  }

  /// Sinks of all kinds, off air and on air alike: one that takes, one that hangs, one that joins during the pause.
  @Test func aPauseAndAMuteHideFromEverySink() throws {
    let user = studio.enter([.video, .audio])
    let (sink, hanging, late) = (
      QueueSink(capacity: 10_000), QueueSink(capacity: 10_000, hangs: true),
      QueueSink(capacity: 10_000)
    )
    for sink in [sink, hanging, late] { sink.start() }
    user.add(sink, isMain: true)
    user.add(hanging)
    #expect(run { sink.count > 100 && hanging.queued.contains { $0.kind == .audio } })

    studio.present(StudioTests.paused)
    // From here on nothing of the camera and of the microphone is left for anybody to take.
    #expect(hanging.queued.allSatisfy { $0.scene == 1 })
    let before = sink.count
    user.add(late)
    func has(_ sink: QueueSink, _ kind: PacketKind) -> Bool {
      sink.taken.dropFirst(sink === late ? 0 : before).contains { $0.kind == kind && $0.scene == 1 }
    }
    #expect(
      run(StudioTests.paused) {
        has(sink, .keyframe) && has(sink, .audio) && has(late, .keyframe) && has(late, .audio)
      })
    #expect(sink.taken.dropFirst(before).allSatisfy { $0.scene == 1 })
    #expect(late.taken.allSatisfy { $0.scene == 1 } && late.early == 0)
    #expect(hanging.queued.allSatisfy { $0.scene == 1 })

    // The camera is shown and heard again.
    #expect(
      run(StudioTests.live) {
        sink.taken.contains { $0.kind != .audio && $0.scene == 2 }
          && late.taken.contains { $0.kind == .audio && $0.scene == 2 }
      })
    user.leave()
    studio.supervise(time.now)
    for sink in [sink, hanging, late] { #expect(sink.stop()) }
  }

  /// The video is switched off and on at random moments: while it is off, no frame of the source is left for any sink,
  /// also for one that hangs, and the audio goes on in its scene.
  @Test func videoThatIsOffIsHiddenFromEverySink() throws {
    var random = SplitMix64(seed: 37)
    let off = Plan(video: .videoOffStill, audio: .microphone, lamp: .live)
    let studio = Studio(settings: try StudioTests.settings("slate.fps=30"), clock: time.clock) {
      _ in
    }
    func pass(_ plan: Plan, until condition: () -> Bool) -> Bool {
      eventually {
        time.advance(by: .milliseconds(5))
        studio.present(plan)
        studio.supervise(time.now)
        return condition()
      }
    }
    let user = studio.enter([.video, .audio])
    let (sink, hanging) = (
      QueueSink(capacity: 100_000), QueueSink(capacity: 100_000, hangs: true)
    )
    for sink in [sink, hanging] { sink.start() }
    user.add(sink, isMain: true)
    user.add(hanging)
    #expect(pass(StudioTests.live) { sink.count > 50 && !hanging.queued.isEmpty })
    var (stills, cameras) = (0, 0)
    for number in 1...60 as ClosedRange<UInt32> {
      let isOff = !number.isMultiple(of: 2)
      let plan = isOff ? off : StudioTests.live
      studio.present(plan)
      let before = sink.count
      if isOff { #expect(hanging.queued.allSatisfy { $0.kind == .audio || $0.scene == number }) }
      // Some moments are too short for the first frame.
      let until = time.now + .milliseconds(Int64.random(in: 0...100, using: &random))
      #expect(pass(plan) { time.now >= until })
      let video = sink.taken.dropFirst(before).filter { $0.kind != .audio }
      if isOff {
        #expect(video.allSatisfy { $0.scene == number }, "\(number)")
        stills += video.count
      } else {
        cameras += video.count { $0.scene == number }
      }
    }
    #expect(stills > 20 && cameras > 20, "\(stills) \(cameras)")
    #expect(sink.taken.filter { $0.kind == .audio }.allSatisfy { $0.scene == 0 })
    user.leave()
    studio.supervise(time.now)
    for sink in [sink, hanging] { #expect(sink.stop()) }
  }

  /// A mute alone leaves the video alone.
  @Test func aMuteCutsAudioAlone() throws {
    let user = studio.enter([.video, .audio])
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    user.add(sink)
    #expect(run { sink.count > 100 })
    let muted = Plan(video: .camera, audio: .silence, lamp: .live)
    studio.present(muted)
    let before = sink.count
    #expect(
      run(muted) { sink.taken.dropFirst(before).filter { $0.kind != .audio }.count > 30 })
    #expect(run(muted) { sink.taken.dropFirst(before).contains { $0.kind == .audio } })
    let after = sink.taken.dropFirst(before)
    #expect(after.allSatisfy { $0.scene == ($0.kind == .audio ? 1 : 0) })
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }

  /// Whoever opens devices during a pause gets the still, and never a frame of the camera.
  @Test func whatIsOpenedDuringAPauseBeginsWithTheStill() throws {
    studio.present(StudioTests.paused)
    let user = studio.enter([.video, .audio])
    let sink = QueueSink(capacity: 10_000)
    sink.start()
    user.add(sink)
    #expect(run(StudioTests.paused) { sink.taken.filter { $0.kind != .audio }.count > 10 })
    #expect(sink.taken.allSatisfy { $0.scene == 1 })
    #expect(studio.halves.video?.pipeline.lastOffered.number == 1)
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }

  /// What a view has got off air is not for those who look once the box is on the air.
  @Test func newScenesBeginWithoutWhatWasThereBefore() throws {
    let user = studio.enter([.video, .audio])
    let (sink, hanging, late) = (
      QueueSink(capacity: 10_000), QueueSink(capacity: 10_000, hangs: true),
      QueueSink(capacity: 10_000)
    )
    for sink in [sink, hanging, late] { sink.start() }
    user.add(sink)
    user.add(hanging)
    studio.presentOffAir(isWatched: true)
    #expect(run { sink.count > 100 && hanging.queued.contains { $0.kind == .audio } })

    studio.renewScenes()
    #expect(hanging.queued.allSatisfy { $0.scene == 1 })
    studio.present(StudioTests.live)
    #expect(studio.scene.video == 1, "the plan's picture is shown already")
    let before = sink.count
    user.add(late)
    func has(_ sink: QueueSink, _ kind: PacketKind) -> Bool {
      sink.taken.dropFirst(sink === late ? 0 : before).contains { $0.kind == kind }
    }
    #expect(
      run(StudioTests.live) {
        has(sink, .keyframe) && has(sink, .audio) && has(late, .keyframe) && has(late, .audio)
      })
    #expect(sink.taken.dropFirst(before).allSatisfy { $0.scene == 1 })
    #expect(late.taken.allSatisfy { $0.scene == 1 } && late.early == 0)
    #expect(hanging.queued.allSatisfy { $0.scene == 1 })
    user.leave()
    studio.supervise(time.now)
    for sink in [sink, hanging, late] { #expect(sink.stop()) }
  }

  /// A plan without video or audio is that of a box off air: what was paused stays hidden until the last viewer is gone.
  @Test func theEndOfABroadcastUncoversNothing() throws {
    studio.present(StudioTests.paused)
    let scene = studio.scene.video
    studio.present(Plan(video: .none, audio: .none, lamp: .offAir))
    #expect(studio.scene.video == scene)
    studio.presentOffAir(isWatched: true)
    #expect(studio.scene.video == scene + 1)
  }
}
