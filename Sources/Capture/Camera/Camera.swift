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
/// The camera uses the mode that is nearest to the request. When the device fails, the camera opens the device again.
/// If the request names no device, the camera uses the free device with the lowest number /dev/videoN. The device that
/// was used before is preferred: it is recognised even if its number has changed, and after `release`.
public final class Camera: ReleasableSource {
  /// Counts the frames and the failures since the camera was started.
  let counters = CameraCounters()

  /// The requested camera and mode.
  private let request: CameraRequest
  /// The queue that receives the frames.
  private let frames: FrameQueue
  /// Called with each report of the camera's state.
  private let listener: SourceListener
  /// Lists and opens the machine's video devices; simulated in tests.
  private let host: any CameraHost
  /// How long to wait before the camera counts as stuck, is opened again, or is checked for a signal.
  private let timeouts: CameraTimeouts
  /// The camera's thread.
  private let worker: Worker
  /// The camera that delivers frames now, and its mode; `nil` while none does. Read through `selection`.
  private let selected = Mutex<CameraSelection?>(nil)
  /// Whether the device has to stay closed: `release` was called, and `reopen` was not called after it.
  private let released = Atomic(false)
  /// The number of calls of `release` so far.
  private let releases = Atomic(0)
  /// Whether the device is open, or being opened.
  private let isOpen = Atomic(false)

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
    "camera: \(counters.goodFrames) frames, \(counters.badFrames) bad, "
      + "\(counters.missedFrames) missed, opened \(counters.openings) times"
  }

  /// Starts the camera's thread.
  public func start() { worker.start { [self] in run() } }

  /// Asks the camera's thread to end; does not wait for its end.
  public func requestStop() { worker.requestStop() }

  /// Asks the camera's thread to close the device, and to keep it closed until `reopen` is called. Returns at once.
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

  /// Whether the device is closed, or will close as soon as no frame uses the device's memory any more.
  public var isClosed: Bool { !isOpen.load(ordering: .sequentiallyConsistent) }

  /// Whether the device has to stay closed: `release` was called, and `reopen` was not called after it.
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
      isOpen.store(true, ordering: .sequentiallyConsistent)
      defer { isOpen.store(false, ordering: .sequentiallyConsistent) }
      // Check again whether `release` was called. If so, its caller may have read `isClosed` as `true` before `isOpen`
      // was set, and the device must not be opened.
      if isReleased { continue }
      do {
        let stream = try search.open()
        let trouble = capture(stream, since: count, &reporter)
        let isFree = stream.end()
        selected.withLock { $0 = nil }
        // Remove the frames from the queue: they would be shown late, and would keep the device open. If this camera's
        // thread was abandoned (it did not end in time), another source may already use the queue: do not touch it.
        if !worker.isAbandoned { frames.removeAll() }
        if let trouble {
          // Report no trouble if `release` was called: the camera then delivers no frames on purpose.
          if !isReleased { reporter.report(trouble) }
          search.recordFailure(trouble)
        }
        isOpen.store(false, ordering: .sequentiallyConsistent)
        if !isFree, !waitForRelease(of: stream.buffers) { return }
        if trouble == nil { continue }
      } catch {
        if !isReleased { reporter.report(error) }
        isOpen.store(false, ordering: .sequentiallyConsistent)
      }
      guard worker.sleep(until: worker.clock.now + timeouts.retryNanos) else { return }
    }
  }

  /// Waits while the device has to stay closed, from `release` until `reopen`. Returns at once otherwise.
  /// - Returns: `false` when the camera is stopped.
  private func waitWhileReleased() -> Bool {
    while isReleased, !worker.isStopping { worker.wait(until: .distantFuture) }
    return !worker.isStopping
  }

  /// Captures until the stream fails, `release` is called, or the camera is stopped.
  /// - Parameter count: the value of `releases` before the device was opened. Capturing ends if the value has changed,
  ///   even if `reopen` has been called as well.
  /// - Returns: why the stream failed; `nil` if `release` was called or the camera is stopped.
  private func capture(
    _ stream: CameraStream, since count: Int, _ reporter: inout CameraReporter
  ) -> CameraTrouble? {
    counters.addOpening()
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

  /// Waits for at most 2 s until no frame uses the buffers of a closed device any more.
  /// - Returns: `false` when the camera is stopped.
  private func waitForRelease(of buffers: CameraBuffers) -> Bool {
    let deadline = worker.clock.now + .seconds(2)
    while buffers.framesInUse > 0, worker.clock.now < deadline {
      guard worker.sleep(until: worker.clock.now + .milliseconds(20)) else { return false }
    }
    return true
  }
}
