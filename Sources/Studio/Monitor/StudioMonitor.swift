// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
public import Capture
internal import Media
public import Settings
internal import Synchronization

/// What the headphones at the box do.
public struct MonitorState: Sendable, Equatable {
  public var settings: MonitorSettings
  /// Whether the sound is open, so that there is something to hear.
  public var isOpen: Bool
  /// The last report of the playback device; `nil` before the first.
  public var report: SourceReport?
  /// How long after their capture samples are heard, in nanoseconds; `nil` while nothing is heard.
  public var delayNanos: Int64?
}

/// The headphones of a studio. They take copies of samples, so nothing waits for them: a device is closed by its own
/// thread, even if its driver hangs. They outlive the audio half, so that the next one knows of such threads.
final class StudioMonitor: Sendable {
  private struct State {
    var settings: MonitorSettings
    var monitor: Monitor?
    /// The monitors that were asked to stop and whose threads may still run.
    var leaving: [Monitor] = []
    /// Where the samples of the present monitor are copied, and the queue into which they are.
    var tap: AudioTap?
    var queue: PCMQueue?
    var report: SourceReport?
  }

  private let state: Mutex<State>
  private let clock: MediaClock
  private let listener: StudioListener

  init(
    _ settings: MonitorSettings, clock: MediaClock, listener: @escaping StudioListener
  ) {
    state = Mutex(State(settings: settings))
    self.clock = clock
    self.listener = listener
  }

  var present: MonitorState {
    state.withLock {
      MonitorState(
        settings: $0.settings, isOpen: true, report: $0.report,
        delayNanos: $0.monitor?.delayNanos)
    }
  }

  /// Plays what the settings ask for. Called by the studio's owner alone.
  /// - Parameters:
  ///   - channels: the channels of the audio half.
  ///   - tap: where the samples come by that the settings name; `nil` if there is no such track.
  func follow(_ settings: MonitorSettings, channels: Int, tap: AudioTap?) {
    let present = state.withLock { state in
      defer { state.settings = settings }
      return state
    }
    present.monitor?.set(gain: settings.gain)
    let isSame =
      present.monitor != nil && present.settings.pcm == settings.pcm && present.tap === tap
    guard !isSame, !(present.monitor == nil && settings.pcm.isEmpty) else { return }
    close()
    guard !settings.pcm.isEmpty else {
      listener(.monitorClosed)
      return
    }
    let queue = PCMQueue(channels: channels, clock: clock)
    let monitor = Monitor(pcm: settings.pcm, queue: queue, clock: clock) {
      [weak self, listener] report in
      let isPresent = self?.state.withLock { state in
        guard state.queue === queue else { return false }
        state.report = report
        return true
      }
      if isPresent == true { listener(.monitor(report)) }
    }
    monitor.set(gain: settings.gain)
    tap?.add(queue)
    let leaving = state.withLock { state in
      (state.monitor, state.tap, state.queue) = (monitor, tap, queue)
      return state.leaving
    }
    monitor.start(after: leaving)
  }

  /// Asks the device's thread to close it; does not wait for that.
  func close() {
    let old = state.withLock { state in
      defer {
        // Those that have ended are forgotten.
        state.leaving = state.leaving.filter { !$0.stop(by: .now()) }
        if let monitor = state.monitor { state.leaving.append(monitor) }
        (state.monitor, state.tap, state.queue, state.report) = (nil, nil, nil, nil)
      }
      return state
    }
    if let queue = old.queue { old.tap?.remove(queue) }
    old.monitor?.requestStop()
  }

  /// Closes the device, and waits until the threads of all devices have ended.
  /// - Returns: `false` if one of them was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    close()
    return state.withLock { $0.leaving }.reduce(true) { $1.stop(by: deadline) && $0 }
  }
}

extension Studio {
  /// What the headphones at the box do; `nil` if the settings name none.
  public var monitor: MonitorState? {
    let settings = state.withLock { $0.settings.audio.monitor }
    guard !settings.pcm.isEmpty else { return nil }
    guard var present = halves.audio?.monitor.present else {
      return MonitorState(settings: settings, isOpen: false, report: nil, delayNanos: nil)
    }
    // The headphones follow once the audio half has started.
    present.settings = settings
    return present
  }
}
