// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media
internal import Synchronization

/// A V4L2 camera. Each frame is the driver's own buffer if its layout is a `PixelFormat`; otherwise libv4lconvert
/// converts it.
///
/// The camera uses the mode that is nearest to the request, and reopens the device when it fails. If any camera is
/// requested, it uses the free one with the lowest number; it prefers the camera that ran before, and finds it again
/// under another number.
public final class Camera: Source {
  let counters = CameraCounters()

  private let request: CameraRequest
  private let frames: FrameQueue
  private let listener: SourceListener
  private let host: any CameraHost
  private let timeouts: CameraTimeouts
  private let worker: Worker
  private let selected = Mutex<CameraSelection?>(nil)

  /// - Parameters:
  ///   - frames: receives the frames.
  ///   - report: called on each change of state, on the camera's thread.
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

  /// The camera in use; `nil` while there is none.
  var selection: CameraSelection? { selected.withLock { $0 } }

  public var tally: String {
    "camera: \(counters.frames) frames, \(counters.bad) bad, \(counters.gaps) missed, "
      + "opened \(counters.opened) times"
  }

  public func start() { worker.start { [self] in run() } }

  public func requestStop() { worker.requestStop() }

  /// Asks the thread to end and waits for it. Frames that are still in use stay readable.
  /// - Returns: `false` when the driver blocked it past `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    worker.stop(by: deadline)
  }

  private func run() {
    var search = CameraSearch(request: request, host: host)
    var reporter = CameraReporter(host: host, listener: listener)
    while !worker.isStopping {
      do {
        let stream = try search.open()
        let trouble = capture(stream, &reporter)
        let isFree = stream.end()
        selected.withLock { $0 = nil }
        // Frames left waiting would be shown late, and would keep the device open. Another camera may have begun when
        // this one was abandoned.
        if !worker.isAbandoned { frames.removeAll() }
        guard let trouble else { return }
        reporter.report(trouble)
        search.note(trouble)
        if !isFree, !waitForRelease(of: stream.buffers) { return }
      } catch {
        reporter.report(error)
      }
      guard worker.sleep(until: worker.clock.now + timeouts.retry) else { return }
    }
  }

  /// Captures until the stream fails or the source is stopped.
  /// - Returns: why the stream failed; `nil` when the source is stopped.
  private func capture(_ stream: CameraStream, _ reporter: inout CameraReporter) -> CameraTrouble? {
    counters.addOpened()
    // A conversion is long work: at a device's priority it would keep the encoder from the processor. While it waits for
    // one itself, the driver fills its other buffers.
    if stream.converter != nil { MediaThread.Urgency.encoding.apply() }
    defer { MediaThread.Urgency.device.apply() }
    var pump = CameraPump(
      stream: stream, frames: frames, counters: counters, timeouts: timeouts, worker: worker)
    do {
      try pump.run(
        onFirst: {
          selected.withLock { $0 = stream.selection }
          reporter.report(stream.selection)
        })
      return nil
    } catch {
      return error
    }
  }

  /// Waits, at most 2 s, until all frames of a device are released.
  /// - Returns: `false` when the source is stopped.
  private func waitForRelease(of buffers: CameraBuffers) -> Bool {
    let deadline = worker.clock.now + .seconds(2)
    while buffers.inUse > 0, worker.clock.now < deadline {
      guard worker.sleep(until: worker.clock.now + .milliseconds(20)) else { return false }
    }
    return true
  }
}
