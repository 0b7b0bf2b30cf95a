// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Media
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Capture
@testable import Director
@testable import Studio

/// `pause.release_camera`, with a camera and a clock that the test moves.
@Suite struct CameraPauseTests {
  private static let live = Plan(video: .camera, audio: .microphone, lamp: .live)
  private static let paused = Plan(video: .pauseStill, audio: .silence, lamp: .paused)

  private let time = VirtualClock()
  private let studio: Studio
  private let sink = QueueSink(capacity: 100_000)
  private let made: Made
  private let told: Told

  private final class Made: Sendable {
    let all = Mutex<[FakeCamera]>([])
  }

  private final class Told: Sendable {
    let all = Mutex<[String]>([])
  }

  init() throws {
    let (made, told) = (Made(), Told())
    (self.made, self.told) = (made, told)
    studio = Studio(
      settings: try CameraPauseTests.settings(), encoders: .libraries, clock: time.clock,
      cameras: { _, frames, _, report in
        let camera = FakeCamera(frames, report)
        made.all.withLock { $0.append(camera) }
        return camera
      }
    ) { report in
      let words: String? =
        switch report {
        case .opening(.video): "opening"
        case .cameraReleased: "released"
        case .source(.video, let report): report.code
        default: nil
        }
      if let words { told.all.withLock { $0.append(words) } }
    }
  }

  private static func settings(
    releases: Bool = true, _ overrides: String...
  ) throws -> Settings {
    try StudioTests.settings(
      "video.source=camera", "audio.source=silence", "pause.release_camera=\(releases)",
      "slate.fps=30", overrides.first ?? "video.size=160x90")
  }

  private var camera: FakeCamera? { made.all.withLock { $0.last } }
  private var words: [String] { told.all.withLock { $0 } }
  private var state: Conditions.Input { studio.health(time.now).video }
  /// The scene of the newest video packet.
  private var shown: UInt32? { sink.taken.last { $0.kind != .audio }?.scene }

  /// Lets time pass, with the supervisor's looks each 50 ms, until a condition holds.
  private func run(_ plan: Plan?, isWatched: Bool = false, until condition: () -> Bool) -> Bool {
    var looked = MediaTime.distantPast
    return eventually {
      time.advance(by: .milliseconds(5))
      if time.now - looked >= .milliseconds(50) {
        looked = time.now
        if let plan { studio.present(plan) } else { studio.presentOffAir(isWatched: isWatched) }
        studio.supervise(time.now)
      }
      for camera in made.all.withLock({ $0 }) { camera.work(time.now) }
      return condition()
    }
  }

  /// Begins a broadcast, and shows the camera.
  private func begin() -> StudioUser {
    let user = studio.enter(.video)
    sink.start()
    user.add(sink, isMain: true)
    #expect(run(CameraPauseTests.live) { sink.count > 10 && state == .good })
    return user
  }

  private func pause() {
    studio.present(CameraPauseTests.paused)
    #expect(run(CameraPauseTests.paused) { state == .released && shown == 1 })
  }

  private func end(_ user: StudioUser) {
    user.leave()
    studio.supervise(time.now)
    #expect(sink.stop())
  }

  @Test func theCameraIsClosedInAPauseAndBackWithinASecond() throws {
    let user = begin()
    let camera = try #require(camera)
    studio.present(CameraPauseTests.paused)
    studio.supervise(time.now)
    #expect(camera.isClosed && words.last == "released", "it is closed at the next look")
    pause()
    // The still goes on without a camera, for however long.
    let (pausedAt, count) = (time.now, sink.count)
    #expect(run(CameraPauseTests.paused) { time.now - pausedAt > .seconds(2) })
    #expect(sink.count > count + 20)
    #expect(camera.isClosed && camera.openings == 1 && state == .released)
    #expect(words.last == "released", "a closed camera is in no trouble")

    // What was captured before the end of the pause is not shown, whatever the camera has kept.
    studio.present(CameraPauseTests.live)
    let again = time.now
    #expect(run(CameraPauseTests.live) { !camera.isClosed })
    #expect(state == .opening && words.last == "opening")
    camera.deliver(capturedAt: again - .milliseconds(1))
    #expect(run(CameraPauseTests.live) { time.now - again > .milliseconds(150) })
    #expect(shown == 1, "the still stays until the first new frame")
    #expect(run(CameraPauseTests.live) { shown == 2 })
    let first = try #require(sink.taken.first { $0.scene == 2 })
    #expect(first.time - again <= .seconds(1) && first.kind == .keyframe)
    #expect(state == .good && words.last == "running" && camera.openings == 2)
    end(user)
  }

  /// A camera that is gone at the end of the pause is a lost camera from then on, and not before.
  @Test func aCameraThatIsGoneAfterThePauseIsLost() throws {
    let user = begin()
    let camera = try #require(camera)
    pause()
    camera.state.withLock { $0.isThere = false }
    let began = time.now
    #expect(run(CameraPauseTests.paused) { time.now - began > .seconds(2) })
    #expect(state == .released && words.last == "released")
    studio.present(CameraPauseTests.live)
    let again = time.now
    #expect(run(CameraPauseTests.live) { state == .lost })
    #expect(time.now - again <= .milliseconds(1_200))
    #expect(words.suffix(2) == ["opening", "missing"])
    #expect(shown == 1, "until the director shows another still")
    camera.state.withLock { $0.isThere = true }
    #expect(run(CameraPauseTests.live) { shown == 2 && state == .good })
    end(user)
  }

  /// A broadcast that goes on paused after a power cut, and one whose encoders begin anew in a pause.
  @Test func aBroadcastThatBeginsPausedOpensNoCamera() throws {
    studio.present(CameraPauseTests.paused)
    let user = studio.enter(.video)
    sink.start()
    user.add(sink, isMain: true)
    #expect(run(CameraPauseTests.paused) { sink.count > 10 })
    #expect(camera?.openings == 0 && state == .released && words == ["opening", "released"])
    #expect(studio.closeAll(by: .now() + .seconds(60)))
    let count = sink.count
    #expect(run(CameraPauseTests.paused) { sink.count > count + 10 })
    #expect(made.all.withLock { $0.map(\.openings) } == [0, 0])
    #expect(run(CameraPauseTests.live) { state == .good })
    #expect(made.all.withLock { $0.map(\.openings) } == [0, 1])
    end(user)
  }

  @Test func theSettingCountsAtOnce() throws {
    studio.change(try CameraPauseTests.settings(releases: false))
    let user = begin()
    let camera = try #require(camera)
    studio.present(CameraPauseTests.paused)
    #expect(run(CameraPauseTests.paused) { shown == 1 })
    #expect(state == .good && !camera.isClosed, "by default the camera stays open")
    studio.change(try CameraPauseTests.settings())
    #expect(run(CameraPauseTests.paused) { state == .released })
    #expect(camera.isClosed)
    studio.change(try CameraPauseTests.settings(releases: false))
    #expect(run(CameraPauseTests.paused) { state == .good })
    #expect(shown == 1, "it is open, and nobody sees it")
    end(user)
  }

  /// Another camera, or another mode of it, is not opened in the pause either.
  @Test func aCameraThatIsChosenInThePauseWaitsForItsEnd() throws {
    let user = begin()
    pause()
    studio.change(try CameraPauseTests.settings("video.source=camera:/dev/video7"))
    #expect(run(CameraPauseTests.paused) { made.all.withLock { $0.count } == 2 })
    let began = time.now
    #expect(run(CameraPauseTests.paused) { time.now - began > .seconds(2) })
    #expect(made.all.withLock { $0.map(\.openings) } == [1, 0] && state == .released)
    // A test picture has no light.
    studio.change(try CameraPauseTests.settings("video.source=pattern"))
    #expect(run(CameraPauseTests.paused) { state == .good })
    studio.change(try CameraPauseTests.settings())
    #expect(run(CameraPauseTests.paused) { state == .released })
    #expect(run(CameraPauseTests.live) { state == .good })
    #expect(made.all.withLock { $0.map(\.openings) } == [1, 0, 1])
    end(user)
  }

  /// After the end of a paused broadcast the preview stays open for a moment. The light stays out until somebody asks to
  /// see the room, or the next broadcast begins.
  @Test(arguments: [true, false])
  func theEndOfAPausedBroadcastOpensNoCamera(looks: Bool) throws {
    let user = begin()
    let camera = try #require(camera)
    let preview = studio.enter(.video)
    pause()
    studio.present(Plan(video: .none, audio: .none, lamp: .offAir))
    user.leave()
    let began = time.now
    #expect(run(nil) { time.now - began > .seconds(2) })
    #expect(camera.isClosed && camera.openings == 1)
    if looks {
      #expect(run(nil, isWatched: true) { state == .good })
    } else {
      studio.renewScenes()
      #expect(run(CameraPauseTests.live) { state == .good })
    }
    #expect(camera.openings == 2)
    end(preview)
  }

  /// Whether the light is out is not known then. That is said.
  @Test func aCameraThatDoesNotCloseIsTold() throws {
    let user = begin()
    let camera = try #require(camera)
    camera.state.withLock { $0.hangs = true }
    studio.present(CameraPauseTests.paused)
    #expect(run(CameraPauseTests.paused) { words.contains("not_closed") })
    #expect(state == .lost)
    camera.state.withLock { $0.hangs = false }
    #expect(run(CameraPauseTests.paused) { words.last == "released" && state == .released })
    #expect(run(CameraPauseTests.live) { state == .good })
    end(user)
  }
}
