// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CPosix
internal import Director
internal import Encode
internal import Glibc
internal import Media
internal import Picture
internal import Settings
internal import Synchronization

/// The stills of a broadcast. Each is made on a thread of its own, and kept: nobody waits for a file or an
/// encoder. The one for pauses is made in advance, and so are a person's images, which may take their time; the
/// program's other two are made in a blink, when they are needed.
final class StillShelf: Sendable {
  /// The start has more urgent things to do.
  private static let headStart = Int64.milliseconds(400)
  /// From one attempt to make what cannot be made to the next.
  private static let retryPause = Int64.seconds(1)

  private struct State {
    var made: [Plan.Video: Still] = [:]
    /// In this order.
    var due: [Plan.Video] = []
    var isStopping = false
  }

  private let settings: Settings
  private let notice: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let work = Signal()

  /// - Parameter notice: receives why an image of the settings is not shown.
  init(_ settings: Settings, notice: @escaping @Sendable (String) -> Void) {
    self.settings = settings
    self.notice = notice
    var due = [Plan.Video.pauseStill]
    if !settings.slate.cameraImage.isEmpty { due.append(.noCameraStill) }
    if !settings.slate.networkImage.isEmpty { due.append(.poorNetworkStill) }
    state.withLock { $0.due = settings.video.source == .none ? [] : due }
  }

  /// - Returns: `nil` while it is not made; it is made next, then.
  func still(_ picture: Plan.Video) -> Still? {
    let still: Still? = state.withLock { state in
      if let still = state.made[picture] { return still }
      state.due.removeAll { $0 == picture }
      state.due.insert(picture, at: 0)
      return nil
    }
    if still == nil { work.signal() }
    return still
  }

  func start() {
    _ = try? MediaThread(attempting: "stills", urgency: .ordinary) { [self] in run() }
  }

  /// Has the thread end, which is not waited for: it may hang in a file of the settings.
  func stop() {
    state.withLock { $0.isStopping = true }
    work.signal()
  }

  private func run() {
    // On Linux this is for the thread alone.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    _ = work.wait(until: .now() + StillShelf.headStart)
    while true {
      let (due, isStopping) = state.withLock { ($0.due.first, $0.isStopping) }
      if isStopping { return }
      guard let due else {
        _ = work.wait(until: .distantFuture)
        continue
      }
      let still = make(due)
      // The encoders that were tried leave their memory to the heap, which would keep it.
      malloc_trim(0)
      state.withLock { state in
        state.made[due] = still
        if still != nil { state.due.removeAll { $0 == due } }
      }
      if still == nil { (MediaTime.now() + StillShelf.retryPause).sleepUntil() }
    }
  }

  /// - Returns: `nil` when not even the program's own can be made: there is no memory, or no thread.
  private func make(_ picture: Plan.Video) -> Still? {
    switch picture {
    case .pauseStill: make("pause.image", settings.pause.image, .pause)
    case .noCameraStill: make("slate.camera_image", settings.slate.cameraImage, .noCamera)
    case .poorNetworkStill: make("slate.network_image", settings.slate.networkImage, .poorNetwork)
    case .none, .camera: nil
    }
  }

  private func make(
    _ setting: String, _ path: String, _ own: StillImage.BuiltIn
  ) -> Still? {
    let moving = VideoPlan(settings.video).format
    var rate = Still.Rate(
      framesPerSecond: settings.slate.fps, gopNanos: Int64(settings.slate.gopSeconds * 1e9))
    // A link that is too weak for pictures carries no more, and a larger key picture not in time.
    if own == .poorNetwork {
      rate.kbps = 28
      rate.gopNanos = min(rate.gopNanos, .seconds(4))
    }
    if !path.isEmpty {
      let reason: String
      do {
        return try Still(try StillImage(path: path), like: moving, rate: rate)
      } catch let error as StillError {
        reason = error.sentence
      } catch {
        reason = "cannot be encoded (\(error))"
      }
      notice("\(setting): \(path) \(reason). OnAir's own image is shown instead.")
    }
    return try? Still(try StillImage(own), like: moving, rate: rate, isOwn: true)
  }
}
