// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Media
internal import Synchronization
public import Video

/// Measures by how much sound and picture are apart: it looks for flashes in the camera's picture and for sounds in the
/// main track, before its delay. A thread of its own does that, beside the broadcast or off air.
public final class LipSyncTest: Sendable {
  public enum State: Sendable, Equatable {
    case running(flashes: Int, sounds: Int, secondsLeft: Int)
    case done(LipSyncResult)
    case failed(LipSyncTrouble)
  }

  private static let longestNanos: Int64 = .seconds(60)
  private static let openingNanos: Int64 = .seconds(15)
  private static let lookNanos: Int64 = .milliseconds(50)
  /// The half in the middle of the picture. A camera exposes its rows one after the other.
  public static let middle = LumaArea(x: 0.25, y: 0.25, width: 0.5, height: 0.5)

  private struct Progress {
    var events = LipSyncEvents()
    var beganAt: MediaTime
    var outcome: Result<LipSyncResult, LipSyncTrouble>?
  }

  /// Whether a phone flashes and beeps, in place of the box's own lamp and buzzer.
  public let isByPhone: Bool
  private let studio: Studio
  private let area: LumaArea
  private let worker: Worker
  private let progress: Mutex<Progress>
  private let ended: @Sendable (State) -> Void
  private let beats: LipSyncBeats

  /// - Parameter ended: called once with the result, on the test's thread.
  public init(
    _ studio: Studio, area: LumaArea = LipSyncTest.middle, isByPhone: Bool = false,
    clock: MediaClock = .system, ended: @escaping @Sendable (State) -> Void
  ) {
    self.studio = studio
    self.isByPhone = isByPhone
    self.area = area
    self.ended = ended
    worker = Worker(name: "lip sync", clock: clock)
    progress = Mutex(Progress(beganAt: clock.now))
    beats = LipSyncBeats(start: clock.now + .seconds(2))
  }

  /// Starts the test. To be called once.
  public func start() {
    do {
      try worker.tryStart { [self] in run() }
    } catch {
      finish(.failure(.stopped))
    }
  }

  public func requestStop() { worker.requestStop() }

  /// Ends the test, if it still runs, and waits until its thread has ended.
  /// - Returns: `false` if the thread was still running at `deadline`.
  public func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  public var state: State {
    let now = worker.clock.now
    return progress.withLock { progress in
      switch progress.outcome {
      case .success(let result): return .done(result)
      case .failure(let trouble): return .failed(trouble)
      case nil:
        let left = max(0, LipSyncTest.longestNanos - (now - progress.beganAt))
        return .running(
          flashes: progress.events.flashes.count, sounds: progress.events.sounds.count,
          secondsLeft: Int(left / 1_000_000_000) + 1)
      }
    }
  }

  public var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Whether lamp and buzzer are on at `now`, and until when; `nil` while no test needs them.
  public func beat(at now: MediaTime) -> (isOn: Bool, until: MediaTime)? {
    isRunning && !isByPhone ? beats.state(at: now) : nil
  }

  private func finish(_ outcome: Result<LipSyncResult, LipSyncTrouble>) {
    progress.withLock { $0.outcome = outcome }
    ended(state)
  }

  private func run() {
    let user = studio.enter([.video, .audio])
    let outcome = measure()
    user.leave()
    finish(outcome)
  }

  private func measure() -> Result<LipSyncResult, LipSyncTrouble> {
    guard let (video, audio) = open() else {
      return .failure(worker.isStopping ? .stopped : .noInputs)
    }
    let queue = PCMQueue(channels: audio.channels, capacity: 200)
    let tap = audio.mainTap
    video.pipeline.brightness.measure(area)
    tap.add(queue)
    defer {
      video.pipeline.brightness.measure(nil)
      tap.remove(queue)
    }
    var (meter, events) = (LipSyncMeter(channels: audio.channels), LipSyncEvents())
    let clock = worker.clock
    let deadline = clock.now + LipSyncTest.longestNanos
    progress.withLock { $0.beganAt = clock.now }
    while worker.sleep(until: clock.now + LipSyncTest.lookNanos), clock.now < deadline {
      for (time, luma) in video.pipeline.brightness.take() {
        meter.take(luma: luma, at: time, into: &events)
      }
      meter.take(queue, into: &events)
      progress.withLock { $0.events = events }
      if events.isEnough { break }
    }
    if worker.isStopping { return .failure(.stopped) }
    return events.result(present: Int(audio.delayNanos / 1_000_000))
  }

  /// Waits until camera and microphone deliver. `Studio.adjust`, on another thread, opens them.
  private func open() -> (StudioVideo, StudioAudio)? {
    let deadline = worker.clock.now + LipSyncTest.openingNanos
    while worker.sleep(until: worker.clock.now + LipSyncTest.lookNanos) {
      if case (let video?, let audio?) = studio.halves, audio.hasDelivered,
        video.frames.delivered > 0
      {
        return (video, audio)
      }
      if worker.clock.now >= deadline { return nil }
    }
    return nil
  }
}
