// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CPosix
internal import Director
internal import Encode
internal import Glibc
internal import Posix
internal import Settings
internal import Synchronization
internal import Video

/// Prepares the stills of a broadcast on a thread of its own and keeps them, so that no other thread waits for a file
/// or an encoder. The pause still and images from the settings are prepared in advance. All other built-in images take
/// almost no time and are prepared when they are first needed.
///
/// A still is prepared again when its settings change, or when its image file or the file of a layer on it is replaced.
/// Until the new still is ready, the earlier still is shown.
final class StillShelf: Sendable {
  /// Nanoseconds to wait before the first still is prepared, so that encoders and devices open first.
  private static let startDelayNanos = Int64.milliseconds(400)
  /// Nanoseconds from a failure to prepare a still until the next attempt.
  private static let retryNanos = Int64.seconds(1)
  /// Nanoseconds from one check of the image files to the next. A file that has changed may still be being written, so
  /// it is read only when two consecutive checks have found the same version.
  private static let fileCheckNanos = Int64.seconds(1)

  /// A still that is ready to be shown, and the recipe from which the still was made.
  private struct Prepared {
    var still: Still
    var recipe: StillRecipe
  }

  /// The settings and layers to make stills from, and the stills themselves.
  private struct State {
    var settings: Settings
    /// All layers of the broadcast's video. Stills show only the layers in `Composition.onStills`.
    var composition: Composition
    /// The stills that are ready to be shown.
    var ready: [Plan.Video: Prepared] = [:]
    /// The stills to prepare, in this order.
    var due: [Plan.Video] = []
    /// The keys of the settings whose images cannot be shown.
    var unusable: Set<String> = []
    /// The frame that the present pause shows; `nil` without one.
    var frozen: FrozenFrame?

    /// The recipe of a still with the present settings, layers and frame.
    func recipe(_ picture: Plan.Video) -> StillRecipe {
      StillRecipe(
        picture, settings, composition, stamp: nil, frozen: picture == .lastFrame ? frozen : nil)
    }
  }

  /// Called when the image of a setting cannot be shown (with the reason as `sentence`), and when it can be shown again
  /// (with `nil`).
  private let notice: @Sendable (_ setting: String, _ sentence: String?) -> Void
  /// The settings and the stills, shared by the callers and the thread that prepares stills.
  private let state: Mutex<State>
  /// Opens the encoders of stills.
  private let encoders: EncoderFactory
  /// The thread that prepares stills.
  private let worker: Worker

  /// - Parameter notice: receives the key of a setting, and the reason why its image cannot be shown; `nil` as the
  ///   reason once the image can be shown again.
  init(
    _ settings: Settings, _ composition: Composition = Composition(),
    encoders: EncoderFactory = .libraries, clock: MediaClock = .system,
    notice: @escaping @Sendable (_ setting: String, _ sentence: String?) -> Void
  ) {
    worker = Worker(name: "stills", clock: clock)
    self.encoders = encoders
    self.notice = notice
    state = Mutex(State(settings: settings, composition: composition))
    state.withLock {
      if settings.video.source != .none { $0.due = StillShelf.preparedInAdvance(settings) }
    }
  }

  /// The stills that are prepared before they are needed: the pause still, and the stills with images from the
  /// settings.
  private static func preparedInAdvance(_ settings: Settings) -> [Plan.Video] {
    var due = [Plan.Video.pauseStill]
    if !settings.slate.cameraImage.isEmpty { due.append(.noCameraStill) }
    if !settings.slate.networkImage.isEmpty { due.append(.poorNetworkStill) }
    return due
  }

  /// The still that shows this picture, such as the pause still.
  /// - Returns: `nil` if the still is not ready. This still is then prepared before all others.
  func still(_ picture: Plan.Video) -> Still? {
    let still: Still? = state.withLock { state in
      let picture: Plan.Video =
        switch picture {
        // While the video is off, viewers get the same image as without a camera.
        case .videoOffStill: .noCameraStill
        case .soundOnly: .pauseStill
        case .lastFrame where state.frozen == nil: .pauseStill
        default: picture
        }
      if let prepared = state.ready[picture] { return prepared.still }
      state.due.removeAll { $0 == picture }
      state.due.insert(picture, at: 0)
      return nil
    }
    if still == nil { worker.wake() }
    return still
  }

  /// Sets the frame that the present pause shows. Its still is prepared before all others.
  /// - Parameter frame: `nil` to discard the frame.
  func freeze(_ frame: FrozenFrame?) {
    state.withLock { state in
      state.frozen = frame
      state.ready[.lastFrame] = nil
      state.due.removeAll { $0 == .lastFrame }
      if frame != nil { state.due.insert(.lastFrame, at: 0) }
    }
    if frame != nil { worker.wake() }
  }

  /// Whether there is a frame for the present pause.
  var hasFrozenFrame: Bool { state.withLock { $0.frozen != nil } }

  /// Applies new settings and layers: the stills that are affected are prepared again.
  func change(_ settings: Settings, _ composition: Composition) {
    state.withLock { state in
      (state.settings, state.composition) = (settings, composition)
      let changed = state.ready.filter { picture, prepared in
        !prepared.recipe.isSame(as: state.recipe(picture))
      }
      for picture in StillShelf.preparedInAdvance(settings) + changed.keys
      where !state.due.contains(picture)
        && (changed[picture] != nil || state.ready[picture] == nil)
      {
        state.due.append(picture)
      }
    }
    worker.wake()
  }

  /// Starts the thread that prepares stills.
  func start() {
    // If the system cannot create a thread, there are no stills, but the broadcast continues.
    _ = try? worker.tryStart { [self] in run() }
  }

  /// Asks the thread to end. Does not wait for it, since it may hang while it reads an image file.
  func stop() { worker.requestStop() }

  /// The body of the thread: prepares the stills that are due, and checks the image files for changes.
  private func run() {
    // On Linux this lowers the priority of this thread only.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    worker.wait(until: worker.clock.now + StillShelf.startDelayNanos)
    /// The stills whose image files had changed at the last check, each with the version of its file.
    var lastChanged: [Plan.Video: FileStamp?] = [:]
    while !worker.isStopping {
      let (due, settings, composition, frozen) = state.withLock {
        ($0.due.first, $0.settings, $0.composition, $0.frozen)
      }
      guard let due else {
        lastChanged = noteReplacedFiles(lastChanged)
        if state.withLock({ $0.due.isEmpty }) {
          worker.wait(until: worker.clock.now + StillShelf.fileCheckNanos)
        }
        continue
      }
      let prepared =
        due == .lastFrame
        ? frozen.flatMap { prepare($0, settings) } : prepare(due, settings, composition)
      // Return the memory of the trial encoders to the system.
      malloc_trim(0)
      state.withLock { state in
        let isFrame = due == .lastFrame
        // The frame of a pause that is over is never shown.
        if let prepared, !isFrame || prepared.recipe.frozen == state.recipe(due).frozen {
          state.ready[due] = prepared
        }
        // If the settings have changed during the preparation, the still stays in the list and is prepared again.
        if prepared?.recipe.isSame(as: state.recipe(due)) ?? true {
          state.due.removeAll { $0 == due }
        }
        // A still that cannot be prepared moves to the end of the list, so that the others are prepared first. For a
        // frame, the pause still is shown.
        if prepared == nil, isFrame { state.frozen = nil }
        if prepared == nil, !isFrame { state.due.append(due) }
      }
      if prepared == nil { _ = worker.sleep(until: worker.clock.now + StillShelf.retryNanos) }
    }
  }

  /// Puts stills on the list to be prepared again: those whose image files were replaced, and those whose layers have
  /// changed.
  /// - Parameter lastChanged: the result of the previous call.
  /// - Returns: for each still whose image file has changed since the still was made, the version of that file. A
  ///   version that is not in `lastChanged` may still be incomplete.
  private func noteReplacedFiles(
    _ lastChanged: [Plan.Video: FileStamp?]
  ) -> [Plan.Video: FileStamp?] {
    var changed: [Plan.Video: FileStamp?] = [:]
    for (picture, prepared) in state.withLock({ $0.ready }) {
      let recipe = prepared.recipe
      if recipe.layers.hasStillVersions(recipe.versions) {
        let stamp = recipe.path.isEmpty ? nil : FileStamp(path: recipe.path)
        if stamp == recipe.stamp { continue }
        changed[picture] = .some(stamp)
        guard let before = lastChanged[picture], before == stamp else { continue }
      }
      state.withLock { if !$0.due.contains(picture) { $0.due.append(picture) } }
    }
    return changed
  }

  /// Prepares a still from the last frame before a pause.
  /// - Returns: `nil` if the still cannot be encoded, because memory or a thread is lacking.
  private func prepare(_ frame: FrozenFrame, _ settings: Settings) -> Prepared? {
    let recipe = StillRecipe(.lastFrame, settings, Composition(), stamp: nil, frozen: frame)
    let live = VideoPlan(settings).format
    return (try? Still(frame.frame, like: live, rate: recipe.rate, encoders: encoders))
      .map { Prepared(still: $0, recipe: recipe) }
  }

  /// Prepares a still from the image file in the settings. If there is none, or it cannot be shown, uses the built-in
  /// image.
  /// - Returns: `nil` if not even the built-in image can be encoded, because memory or a thread is lacking.
  private func prepare(
    _ picture: Plan.Video, _ settings: Settings, _ composition: Composition
  ) -> Prepared? {
    guard let builtIn = StillImage.BuiltIn(picture) else { return nil }
    var recipe = StillRecipe(picture, settings, composition, stamp: nil)
    let live = VideoPlan(settings).format
    if !recipe.path.isEmpty {
      recipe.stamp = FileStamp(path: recipe.path)
      let reason: String
      do {
        let still = try Still(
          try StillImages.shared.image(recipe.path), like: live, rate: recipe.rate,
          layers: recipe.layers, encoders: encoders)
        noteUsable(recipe.setting)
        return Prepared(still: still, recipe: recipe)
      } catch let error as StillError {
        reason = error.sentence
      } catch {
        reason = "cannot be encoded (\(error))"
      }
      let start = "\(recipe.setting): \(recipe.path) \(reason)."
      // If the file was replaced by one that cannot be shown, the earlier image stays.
      state.withLock { _ = $0.unusable.insert(recipe.setting) }
      if var earlier = state.withLock({ $0.ready[picture] }), earlier.recipe.isSame(as: recipe) {
        notice(recipe.setting, "\(start) The earlier image stays until OnAir starts again.")
        (earlier.recipe.stamp, earlier.recipe.versions) = (recipe.stamp, recipe.versions)
        return earlier
      }
      notice(recipe.setting, "\(start) OnAir's own image is shown instead.")
    } else {
      noteUsable(recipe.setting)
    }
    guard
      let image = try? StillImage(builtIn),
      let still = try? Still(
        image, like: live, rate: recipe.rate, isBuiltIn: true, layers: recipe.layers,
        encoders: encoders)
    else { return nil }
    return Prepared(still: still, recipe: recipe)
  }

  /// Reports that the image of a setting can be shown again, if it was reported as unusable.
  private func noteUsable(_ setting: String) {
    if state.withLock({ $0.unusable.remove(setting) }) != nil { notice(setting, nil) }
  }
}
