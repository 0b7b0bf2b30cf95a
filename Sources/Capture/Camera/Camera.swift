// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// A V4L2 camera as a source of frames.
///
/// If the device delivers a `PixelFormat`, each frame is the driver's own buffer, without a copy. Interlaced frames are
/// converted by `FieldConverter`, and other formats by libv4lconvert.
///
/// The camera uses the mode that is nearest to the request, and opens the device again when it fails. If the request
/// names no device, the camera uses the free device with the lowest number, but prefers the device that it used before.
/// It recognises that device even when its number has changed, and after `release`.
public final class Camera: ReleasableSource {
  /// Counts the frames and the failures since the camera was started.
  let counters = CameraCounters()

  /// The requested camera and mode.
  private let request: CameraRequest
  /// The queue that receives the frames.
  private let frames: FrameQueue
  /// Receives the reports of the camera's state.
  private let listener: SourceListener
  /// Lists and opens the machine's video devices; simulated in tests.
  private let host: any CameraHost
  /// The times after which the camera counts as stuck, is opened again, or is checked for a signal.
  private let timeouts: CameraTimeouts
  /// The camera's thread.
  private let worker: Worker
  /// The value of `selection`: the camera that delivers frames now, and its mode.
  private let selected = Mutex<CameraSelection?>(nil)
  /// Whether the device has to be closed, because the last call was `release`, not `reopen`.
  private let released = Atomic(false)
  /// The number of calls of `release` so far.
  private let releases = Atomic(0)
  /// Whether the device is open, or being opened.
  private let open = Atomic(false)

  /// - Parameters:
  ///   - frames: the queue that receives the frames.
  ///   - report: called on each change of the camera's state, on the camera's thread.
  public convenience init(
    request: CameraRequest, frames: FrameQueue, clock: MediaClock = .system,
    report: @escaping SourceListener
  ) {
    self.init(
      request: request, frames: frames, host: LinuxCameraHost(), timeouts: CameraTimeouts(),
      clock: clock, report: report)
  }

  init(
    request: CameraRequest, frames: FrameQueue, host: any CameraHost,
    timeouts: CameraTimeouts, clock: MediaClock, report: @escaping SourceListener
  ) {
    self.request = request
    self.frames = frames
    self.host = host
    self.timeouts = timeouts
    listener = report
    worker = Worker(name: "camera", urgency: .device, clock: clock)
  }

  /// The camera that delivers frames now, and its mode; `nil` while none does.
  var selection: CameraSelection? { selected.withLock { $0 } }

  /// The camera's counters as text, for the log.
  public var tally: String {
    "camera: \(counters.frames) frames, \(counters.bad) bad, \(counters.missed) missed, "
      + "opened \(counters.opened) times"
  }

  /// Starts the camera's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the camera's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks for the device to be closed and left closed until `reopen`; does not wait for it.
  public func release() {
    releases.wrappingAdd(1, ordering: .sequentiallyConsistent)
    released.store(true, ordering: .sequentiallyConsistent)
    worker.wake()
  }

  /// Lets the camera open its device again after `release`.
  public func reopen() {
    released.store(false, ordering: .sequentiallyConsistent)
    worker.wake()
  }

  /// Whether the device is closed, or will close as soon as no frame uses its memory any more.
  public var isClosed: Bool { !open.load(ordering: .sequentiallyConsistent) }

  /// Whether the device has to be closed, because the last call was `release`, not `reopen`.
  private var isReleased: Bool { released.load(ordering: .sequentiallyConsistent) }

  /// Asks the camera's thread to end, and waits for its end. Frames that are still in use stay readable.
  /// - Returns: `false` when the thread had not ended by `deadline`, because the driver blocked it.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  /// The body of the camera's thread: opens the device, captures, and tries again after a failure, until a stop is
  /// requested.
  private func run() {
    var search = CameraSearch(request: request, host: host)
    var reporter = CameraReporter(host: host, listener: listener)
    var seenReleases = 0
    while waitWhileReleased() {
      let count = releases.load(ordering: .sequentiallyConsistent)
      if count != seenReleases { reporter.forgetLastReport() }
      seenReleases = count
      open.store(true, ordering: .sequentiallyConsistent)
      defer { open.store(false, ordering: .sequentiallyConsistent) }
      // Keep the device closed if `release` was called before `open` was set: its caller may have read `isClosed`.
      if isReleased { continue }
      do {
        let stream = try search.open()
        let trouble = capture(stream, since: count, &reporter)
        let isFree = stream.end()
        selected.withLock { $0 = nil }
        // Remove the frames from the queue: they would be shown late, and would keep the device open. If this camera's
        // thread was abandoned, leave the queue alone, because another source may already use it.
        if !worker.isAbandoned { frames.removeAll() }
        if let trouble {
          // A camera that is closed because of `release` reports no trouble.
          if !isReleased { reporter.report(trouble) }
          search.recordFailure(trouble)
        }
        open.store(false, ordering: .sequentiallyConsistent)
        if !isFree, !waitForRelease(of: stream.buffers) { return }
        if trouble == nil { continue }
      } catch {
        if !isReleased { reporter.report(error) }
        open.store(false, ordering: .sequentiallyConsistent)
      }
      guard worker.sleep(until: worker.clock.now + timeouts.retryNanos) else { return }
    }
  }

  /// Waits while the camera is released.
  /// - Returns: `false` when the source is stopped.
  private func waitWhileReleased() -> Bool {
    while isReleased, !worker.isStopping { worker.wait(until: .distantFuture) }
    return !worker.isStopping
  }

  /// Captures until the stream fails, or the source is released or stopped.
  /// - Parameter count: the value of `releases` before the device was opened. If the value has changed since, the
  ///   device is closed, even if `reopen` was called, too.
  /// - Returns: why the stream failed; `nil` when the source is released or stopped.
  private func capture(
    _ stream: CameraStream, since count: Int, _ reporter: inout CameraReporter
  ) -> CameraTrouble? {
    counters.addOpened()
    // Lower this thread's priority if it converts frames: at a device thread's priority, the long conversions would
    // keep the encoder from running. No frames are lost, because the driver fills its other buffers meanwhile.
    if stream.converter != nil { MediaThread.Urgency.encoding.apply() }
    defer { MediaThread.Urgency.device.apply() }
    var pump = CameraPump(
      stream: stream, frames: frames, counters: counters, timeouts: timeouts, worker: worker)
    do {
      try pump.run(
        isReleased: {
          isReleased || releases.load(ordering: .sequentiallyConsistent) != count
        },
        onFirst: {
          selected.withLock { $0 = stream.selection }
          reporter.report(stream.selection)
        })
      return nil
    } catch {
      return error
    }
  }

  /// Waits for at most 2 s until all frames of a device are released.
  /// - Returns: `false` when the source is stopped.
  private func waitForRelease(of buffers: CameraBuffers) -> Bool {
    let deadline = worker.clock.now + .seconds(2)
    while buffers.inUse > 0, worker.clock.now < deadline {
      guard worker.sleep(until: worker.clock.now + .milliseconds(20)) else { return false }
    }
    return true
  }
}
