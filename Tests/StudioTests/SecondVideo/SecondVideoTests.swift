// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Settings
import TestSupport
import Testing

@testable import Director
@testable import Studio

/// The second rendition of the video in a studio with the test pattern, on a virtual clock.
@Suite struct SecondVideoTests {
  private static let live = Plan(video: .camera, audio: .microphone, lamp: .live)
  private static let poor = Plan(video: .poorNetworkStill, audio: .microphone, lamp: .weak)
  private static let paused = Plan(video: .pauseStill, audio: .silence, lamp: .paused)

  private let time = VirtualClock()
  private let studio: Studio
  private let broadcast: StudioUser
  private let sent: RecordingSink
  private let recorded: RecordingSink
  private let videoSwitch: VideoSwitch

  init() throws {
    studio = Studio(
      settings: try StudioTests.settings("video.speed=superfast"), clock: time.clock
    ) { _ in }
    broadcast = studio.enter([.video, .audio], leads: true)
    sent = RecordingSink(clock: time.clock)
    recorded = RecordingSink(clock: time.clock)
    broadcast.add(sent)
    videoSwitch = broadcast.addSwitched(recorded)
  }

  /// Lets virtual time pass, with the supervisor's looks, until a condition holds.
  private func run(_ plan: Plan, until condition: () -> Bool) -> Bool {
    eventually {
      time.advance(by: .milliseconds(2))
      studio.present(plan)
      studio.supervise(time.now)
      return condition()
    }
  }

  /// The frame rates of the headers: a still has 5 frames a second.
  private func rates(_ sink: RecordingSink) -> [Int] {
    sink.headers.withLock { $0.map(\.header.framesPerSecond) }
  }

  private func end() {
    broadcast.leave()
    studio.supervise(time.now)
    #expect(studio.halves.video == nil)
  }

  @Test func itIsEncodedOnlyWhileItIsWantedInABroadcast() throws {
    #expect(run(Self.live) { recorded.count > 10 })
    let video = try #require(studio.halves.video)
    #expect(video.second(.secondVideo) == nil && !videoSwitch.passesSecond)
    #expect(video.frames.isActive)
    videoSwitch.want(true)
    #expect(run(Self.live) { videoSwitch.passesSecond })
    let before = recorded.count
    #expect(run(Self.live) { recorded.count > before + 30 })
    // Each keyframe of the other encoder begins a group; no time comes twice.
    let packets = recorded.packets.filter { $0.kind != .audio }
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time < $1.time })
    videoSwitch.want(false)
    #expect(run(Self.live) { !videoSwitch.passesSecond && video.second(.secondVideo) == nil })
    #expect(studio.renditions.isWanted(.secondVideo), "its sink is still there")
    // Without a broadcast, the settings alone decide what is encoded.
    let preview = studio.enter(.video)
    broadcast.leave()
    let other = preview.addSwitched(RecordingSink(clock: time.clock))
    other.want(true)
    let count = video.pipeline.counters.frames.count
    #expect(run(Self.live) { video.pipeline.counters.frames.count > count + 30 })
    #expect(!other.passesSecond && video.second(.secondVideo) == nil)
    preview.leave()
    end()
  }

  /// A poor network replaces the sent picture alone; a pause replaces both.
  @Test func itShowsTheCameraWhileTheNetworkIsPoor() throws {
    videoSwitch.want(true)
    #expect(run(Self.live) { videoSwitch.passesSecond })
    let video = try #require(studio.halves.video)
    // The link reduces the sent picture.
    let headers = rates(recorded).count
    #expect(run(Self.poor) { rates(sent).contains(5) })
    let scene = studio.scene.video
    #expect(video.frames.isActive, "the camera is still read")
    var count = recorded.count
    #expect(run(Self.poor) { recorded.count > count + 60 })
    #expect(rates(recorded).count == headers, "no still has come")
    let packets = recorded.packets.filter { $0.kind != .audio }
    #expect(packets.last?.scene == scene)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.time - $0.time < .seconds(1) })
    #expect(run(Self.live) { rates(sent).last == 30 })
    count = recorded.count
    #expect(run(Self.live) { recorded.count > count + 30 })
    #expect(rates(recorded).count == headers)

    #expect(run(Self.paused) { rates(recorded).last == 5 && rates(sent).last == 5 })
    #expect(!video.frames.isActive, "nobody sees the room")
    // The network has become poor when the pause ends.
    #expect(run(Self.poor) { rates(recorded).last == 30 })
    #expect(video.frames.isActive && rates(sent).last == 5)
    #expect(run(Self.paused) { rates(recorded).last == 5 })
    end()
  }

  /// The picture of the camera alone is small. A pause is a pause there, too; the programme's last frame, which may have
  /// guests in it, is not shown.
  @Test func theCameraAloneIsSmall() throws {
    studio.change(try StudioTests.settings("video.size=1280x720", "video.speed=superfast"))
    let camera = RecordingSink(clock: time.clock)
    broadcast.add(camera, isMain: false, choice: .camera)
    #expect(run(Self.live) { sent.count > 10 })
    #expect(camera.count == 0 && studio.cameraProgramme == .idle)
    studio.want(camera: true)
    #expect(run(Self.live) { camera.packets.contains { $0.kind == .keyframe } })
    #expect(studio.cameraProgramme == .running)
    #expect(
      camera.headers.withLock { $0.last?.header.size } == PictureSize(width: 640, height: 360))
    #expect(run(Self.live) { camera.packets.contains { $0.kind == .audio } })
    let lastFrame = Plan(video: .lastFrame, audio: .silence, lamp: .paused)
    #expect(run(lastFrame) { rates(camera).last == 5 })
    #expect(run(Self.live) { rates(camera).last == 30 })
    studio.want(camera: false)
    let video = try #require(studio.halves.video)
    #expect(run(Self.live) { video.second(.cameraVideo) == nil })
    end()
  }

  /// A guest in the camera's place is not the box's own picture, and would see himself.
  @Test func aGuestInTheCamerasPlaceIsNotSentAsTheCamera() throws {
    let camera = RecordingSink(clock: time.clock)
    broadcast.add(camera, isMain: false, choice: .camera)
    studio.want(camera: true)
    #expect(run(Self.live) { camera.count > 10 })
    let video = try #require(studio.halves.video)
    let guest = ["video.source=guest:anna", "guest.anna.url=rtmp://127.0.0.1:1/live/a"]
    studio.change(try StudioTests.settings("video.speed=superfast", guest[0], guest[1]))
    #expect(run(Self.live) { studio.cameraProgramme == .refused(.guest) })
    #expect(video.second(.cameraVideo) == nil && studio.renditions.isWanted(.cameraVideo))
    studio.change(try StudioTests.settings("video.speed=superfast"))
    #expect(run(Self.live) { studio.cameraProgramme == .running })
    end()
  }

  /// Which scenes a cut hides from the sinks of each rendition.
  @Test func aPoorNetworkHidesNothingOfTheSecondRendition() {
    var scenes = Scenes()
    func change(_ video: Plan.Video, at seconds: Int64) -> [Bool] {
      let change = scenes.change(video, .microphone, now: MediaTime(nanos: .seconds(seconds)))
      return [change.beginsVideo, change.hidesVideo, change.hidesSecondVideo]
    }
    #expect(change(.poorNetworkStill, at: 1) == [true, true, false])
    #expect(scenes.secondVideo == .camera && scenes.secondVideoSince == .distantPast)
    #expect(change(.camera, at: 2) == [true, false, false])
    #expect(scenes.secondVideoSince == .distantPast && scenes.videoNumber == 2)
    #expect(change(.poorNetworkStill, at: 3) == [true, true, false])
    for (seconds, pause) in [Plan.Video.pauseStill, .lastFrame, .soundOnly].enumerated() {
      let at = Int64(4 + 2 * seconds)
      #expect(change(pause, at: at) == [true, true, true])
      #expect(change(.poorNetworkStill, at: at + 1) == [true, true, false])
      #expect(scenes.secondVideoSince == MediaTime(nanos: .seconds(at + 1)))
    }
  }
}
