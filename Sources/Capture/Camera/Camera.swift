// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// A V4L2 camera: each picture is the driver's own buffer where its layout is one of `PixelFormat`,
/// and otherwise what libv4lconvert makes of it.
///
/// It takes what the device has nearest to the request, and takes the device back whenever it can.
/// Of several usable cameras "the first" is the one with the lowest number that is free; one that ran
/// before is preferred, and found again under another number.
public final class Camera: Source {
  /// What came so far.
  public let counters = CameraCounters()

  private let request: CameraRequest
  private let frames: NewestFrame
  private let report: SourceListener
  private let host: any CameraHost
  private let patience: CameraPatience
  /// Called by `stop`, and never cleared.
  private let waker = Waker()
  private let thread = Mutex<MediaThread?>(nil)
  private let selected = Mutex<CameraSelection?>(nil)

  /// - Parameters:
  ///   - frames: receives the pictures.
  ///   - report: told of each change, on the camera's thread.
  public convenience init(
    request: CameraRequest, frames: NewestFrame, report: @escaping SourceListener
  ) {
    self.init(
      request: request, frames: frames, host: LinuxCameraHost(), patience: CameraPatience(),
      report: report)
  }

  init(
    request: CameraRequest, frames: NewestFrame, host: any CameraHost,
    patience: CameraPatience, report: @escaping SourceListener
  ) {
    self.request = request
    self.frames = frames
    self.host = host
    self.patience = patience
    self.report = report
  }

  /// The camera in use; `nil` while there is none.
  public var selection: CameraSelection? { selected.withLock { $0 } }

  /// See `Source`.
  public var tally: String {
    "camera: \(counters.frames) frames, \(counters.bad) bad, \(counters.gaps) missed, "
      + "opened \(counters.opened) times"
  }

  /// Starts the camera's thread. Called once.
  public func start() {
    let made = MediaThread(name: "camera", urgency: .device) { self.work() }
    thread.withLock { $0 = made }
  }

  /// Asks the thread to end and waits for it. Pictures that are still lent stay readable.
  /// - Returns: `false` when a driver held it up past `deadline`.
  @discardableResult public func stop(by deadline: MediaTime) -> Bool {
    waker.wake()
    return thread.withLock { $0 }?.join(until: deadline) ?? true
  }

  private func work() {
    var search = CameraSearch(request: request, host: host)
    var teller = CameraTeller(host: host, report: report)
    while !pause(0) {
      do {
        let stream = try search.open()
        let trouble = carry(stream, &teller)
        let isFree = stream.end()
        selected.withLock { $0 = nil }
        // A picture left waiting would be shown late, and keeps the device's node in use.
        _ = frames.takeNow()
        guard let trouble else { return }
        teller.tell(trouble)
        search.note(trouble)
        if !isFree, wait(for: stream.buffers) { return }
      } catch {
        teller.tell(error)
      }
      if pause(patience.retry) { return }
    }
  }

  /// - Returns: why the stream ended; `nil` when it was told to.
  private func carry(_ stream: CameraStream, _ teller: inout CameraTeller) -> CameraTrouble? {
    counters.addOpened()
    var pump = CameraPump(
      stream: stream, frames: frames, counters: counters, patience: patience, waker: waker)
    do {
      try pump.run(
        onFirst: {
          selected.withLock { $0 = stream.selection }
          teller.tell(stream.selection)
        })
      return nil
    } catch {
      return error
    }
  }

  /// Waits, 2 s at most, until all frames of a device are given back.
  /// - Returns: whether the camera was told to stop.
  private func wait(for buffers: CameraBuffers) -> Bool {
    let deadline = MediaTime.now() + .seconds(2)
    while buffers.lent > 0, MediaTime.now() < deadline {
      if pause(.milliseconds(20)) { return true }
    }
    return false
  }

  /// - Returns: whether the camera was told to stop.
  private func pause(_ nanos: Int64) -> Bool {
    waker.wait(for: -1, until: .now() + nanos).woken
  }
}
