// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Director
internal import Encode
internal import Glibc
internal import Media
internal import Settings
internal import Synchronization
internal import Video

/// Prepares the stills of a broadcast on a thread of its own and keeps them, so that no other thread waits for a file or an
/// encoder. The pause still and images from the settings are prepared in advance. The other built-in images take
/// no time and are prepared when they are first needed.
final class StillShelf: Sendable {
  /// Delays the first still, so that encoders and devices open first.
  private static let headStart = Int64.milliseconds(400)
  /// The pause after a failure.
  private static let retryPause = Int64.seconds(1)

  private struct State {
    var ready: [Plan.Video: Still] = [:]
    /// To prepare, in this order.
    var due: [Plan.Video] = []
  }

  private let settings: Settings
  private let notice: @Sendable (_ setting: String, _ sentence: String) -> Void
  private let state = Mutex(State())
  private let worker: Worker

  /// - Parameter notice: receives the reason why an image from the settings cannot be shown.
  init(
    _ settings: Settings, clock: MediaClock = .system,
    notice: @escaping @Sendable (_ setting: String, _ sentence: String) -> Void
  ) {
    self.settings = settings
    worker = Worker(name: "stills", clock: clock)
    self.notice = notice
    var due = [Plan.Video.pauseStill]
    if !settings.slate.cameraImage.isEmpty { due.append(.noCameraStill) }
    if !settings.slate.networkImage.isEmpty { due.append(.poorNetworkStill) }
    state.withLock { $0.due = settings.video.source == .none ? [] : due }
  }

  /// - Returns: `nil` if the still is not ready. It is then prepared next.
  func still(_ picture: Plan.Video) -> Still? {
    let still: Still? = state.withLock { state in
      if let still = state.ready[picture] { return still }
      state.due.removeAll { $0 == picture }
      state.due.insert(picture, at: 0)
      return nil
    }
    if still == nil { worker.wake() }
    return still
  }

  func start() {
    // Without a thread there are no stills, but the broadcast goes on.
    _ = try? worker.tryStart { [self] in run() }
  }

  /// Asks the thread to end. Does not wait for it, since it may hang while it reads an image file.
  func stop() { worker.requestStop() }

  private func run() {
    // On Linux this lowers the priority of this thread only.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    worker.wait(until: worker.clock.now + StillShelf.headStart)
    while !worker.isStopping {
      guard let due = state.withLock({ $0.due.first }) else {
        worker.wait(until: .distantFuture)
        continue
      }
      let still = make(due)
      // Return the memory of the trial encoders to the system.
      malloc_trim(0)
      state.withLock { state in
        state.ready[due] = still
        state.due.removeAll { $0 == due }
        // One that fails must not keep the others waiting.
        if still == nil { state.due.append(due) }
      }
      if still == nil { _ = worker.sleep(until: worker.clock.now + StillShelf.retryPause) }
    }
  }

  /// - Returns: `nil` if not even the built-in image can be encoded: there is no memory, or no thread.
  private func make(_ picture: Plan.Video) -> Still? {
    switch picture {
    case .pauseStill: make("pause.image", settings.pause.image, .pause)
    case .noCameraStill: make("slate.camera_image", settings.slate.cameraImage, .noCamera)
    case .poorNetworkStill: make("slate.network_image", settings.slate.networkImage, .poorNetwork)
    case .none, .camera: nil
    }
  }

  private func make(
    _ setting: String, _ path: String, _ builtIn: StillImage.BuiltIn
  ) -> Still? {
    let live = VideoPlan(settings.video).format
    var rate = Still.Rate(
      framesPerSecond: settings.slate.fps, gopNanos: Int64(settings.slate.gopSeconds * 1e9))
    // A link too slow for live video carries no more than this, and a larger keyframe would arrive late.
    if builtIn == .poorNetwork {
      rate.kbps = 28
      rate.gopNanos = min(rate.gopNanos, .seconds(4))
    }
    if !path.isEmpty {
      let reason: String
      do {
        return try Still(try StillImage(path: path), like: live, rate: rate)
      } catch let error as StillError {
        reason = error.sentence
      } catch {
        reason = "cannot be encoded (\(error))"
      }
      notice(setting, "\(setting): \(path) \(reason). OnAir's own image is shown instead.")
    }
    return try? Still(try StillImage(builtIn), like: live, rate: rate, isBuiltIn: true)
  }
}
