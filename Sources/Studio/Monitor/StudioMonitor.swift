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

/// The headphones of an open studio. They take copies of samples, so nothing waits for them.
final class StudioMonitor: Sendable {
  private struct State {
    var settings: MonitorSettings
    var monitor: Monitor?
    /// Where the samples of the present monitor are copied, and the queue into which they are.
    var tap: AudioTap?
    var queue: PCMQueue?
    var report: SourceReport?
  }

  private let state: Mutex<State>
  private let channels: Int
  private let clock: MediaClock
  private let listener: StudioListener

  init(
    _ settings: MonitorSettings, channels: Int, clock: MediaClock,
    listener: @escaping StudioListener
  ) {
    state = Mutex(State(settings: settings))
    self.channels = channels
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
  ///   - tap: where the samples come by that the settings name; `nil` if there is no such track.
  ///   - deadline: for closing the present device, on the system clock.
  /// - Returns: `false` if the thread of the present device was still running at `deadline`. It is then abandoned.
  func follow(_ settings: MonitorSettings, tap: AudioTap?, by deadline: MediaTime) -> Bool {
    let present = state.withLock { state in
      defer { state.settings = settings }
      return state
    }
    present.monitor?.set(gain: settings.gain)
    let isSame =
      present.monitor != nil && present.settings.pcm == settings.pcm && present.tap === tap
    guard !isSame, !(present.monitor == nil && settings.pcm.isEmpty) else { return true }
    let hasEnded = stop(by: deadline)
    guard !settings.pcm.isEmpty else {
      listener(.monitorClosed)
      return hasEnded
    }
    let queue = PCMQueue(channels: channels, clock: clock)
    let monitor = Monitor(pcm: settings.pcm, queue: queue, clock: clock) {
      [weak self, listener] report in
      self?.state.withLock { $0.report = report }
      listener(.monitor(report))
    }
    monitor.set(gain: settings.gain)
    tap?.add(queue)
    state.withLock { ($0.monitor, $0.tap, $0.queue) = (monitor, tap, queue) }
    monitor.start()
    return hasEnded
  }

  func requestStop() { state.withLock { $0.monitor }?.requestStop() }

  /// Closes the device.
  /// - Returns: `false` if its thread was still running at `deadline`. It is then abandoned.
  @discardableResult func stop(by deadline: MediaTime) -> Bool {
    let old = state.withLock { state in
      defer { (state.monitor, state.tap, state.queue, state.report) = (nil, nil, nil, nil) }
      return state
    }
    if let queue = old.queue { old.tap?.remove(queue) }
    return old.monitor?.stop(by: deadline) ?? true
  }
}

extension Studio {
  /// What the headphones at the box do; `nil` if the settings name none.
  public var monitor: MonitorState? {
    let settings = state.withLock { $0.settings.audio.monitor }
    guard !settings.pcm.isEmpty else { return nil }
    return halves.audio?.monitor.present
      ?? MonitorState(settings: settings, isOpen: false, report: nil, delayNanos: nil)
  }
}
