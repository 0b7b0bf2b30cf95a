// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Posix

/// An open camera device that streams into mapped buffers.
final class CameraStream {
  /// The driver, name, bus and capabilities of the device.
  let identity: VideoIdentity
  /// The opened camera, and the mode that its driver has set.
  let selection: CameraSelection
  /// The time from one frame to the next in nanoseconds, as the driver reports it, or the requested time if the driver
  /// reports none.
  let intervalNanos: Int64
  /// The mapped buffers of the device.
  let buffers: CameraBuffers
  /// The open V4L2 device.
  let device: any VideoDevice
  /// The format of the frames that go into the queue, after a conversion if there is one.
  let format: FrameFormat
  /// The minimum number of bytes of a complete frame in a buffer of the device.
  let minimumBytes: Int
  /// The maximum number of the device's buffers that may wait in the `FrameQueue`, so that the driver never runs out of
  /// buffers.
  let queueLimit: Int
  /// Converts the device's frames; `nil` if they are used as they are.
  let converter: (any VideoConverter)?
  /// The buffers for converted frames; `nil` without a converter.
  let pool: FramePool?
  /// Whether the device streams: `true` until `end` is called.
  private var isStreaming = true

  /// The number of buffers to allocate in addition to those that wait in the `FrameQueue`: two for the driver, which
  /// drops frames when it has no buffer; one that the consumer reads; and one whose frame is kept to be shown again.
  private static let extraBuffers = 4

  /// Opens the node at `path`, sets the mode that is nearest to `request`, and starts streaming.
  /// - Parameter skipsPipelines: whether to refuse a node that works only after a program has configured its pipeline
  ///   through the media controller.
  init(
    path: String, request: CameraRequest, host: any CameraHost, skipsPipelines: Bool
  ) throws(CameraTrouble) {
    let device: any VideoDevice
    do { device = try host.open(path) } catch { throw CameraTrouble(opening: path, error) }
    let node = try CameraNode(path: path, device: device)
    let name = node.identity.card
    if skipsPipelines && node.identity.isPipelineNode {
      throw .notConnected(path: path, name: name)
    }
    let formats = try node.usableFormats()
    if device.hasNoSignal() { throw .noSignal(path: path, name: name) }
    guard let mode = CameraNode.mode(of: device, formats: formats, near: request) else {
      throw .noUsableFormat(path: path, name: name, formats: [])
    }

    let actualFormat = try CameraStream.step("set the format", path, node.identity) {
      () throws(SystemError) in
      try device.setFormat(DeviceFormat(fourcc: mode.format, size: mode.size))
    }
    guard actualFormat.fourcc.use != .none, actualFormat.planes == 1, !actualFormat.isFieldwise,
      let layout = FrameLayout(actualFormat)
    else {
      throw .noUsableFormat(path: path, name: name, formats: [actualFormat.text])
    }
    let requestedInterval =
      mode.interval ?? FrameInterval(numerator: 1, denominator: UInt32(request.framesPerSecond))
    let interval = try CameraStream.step("set the frame rate", path, node.identity) {
      () throws(SystemError) in
      try device.setInterval(requestedInterval)
    }
    // Limit the interval to 1 ms … 2 s, because a driver may report any value.
    let intervalNanos = min(
      max(interval?.nanos ?? 1_000_000_000 / Int64(request.framesPerSecond), .milliseconds(1)),
      .seconds(2))
    let queued = FrameQueue.maxFrames(every: intervalNanos)
    let count = try CameraStream.step("allocate buffers", path, node.identity) {
      () throws(SystemError) in
      try device.allocateBuffers(queued + CameraStream.extraBuffers)
    }
    for index in 0..<count {
      guard unsafe device.memory(of: index).count >= layout.minimumBytes else {
        throw .noUsableFormat(path: path, name: name, formats: [actualFormat.text])
      }
    }
    var format = layout.format
    let made: (any VideoConverter)?
    if case .straight = actualFormat.fourcc.use {
      made = actualFormat.fields.flatMap { FieldConverter(layout.format, $0) }
      if made != nil {
        format = FrameFormat(pixelFormat: .i420, size: format.size, colour: format.colour)
      }
    } else {
      made = device.makeConverter(from: actualFormat)
      guard made != nil else {
        throw .noUsableFormat(path: path, name: name, formats: [actualFormat.text])
      }
    }
    converter = made
    pool = made.map { _ in FramePool(count: FrameQueue.bufferCount, capacity: format.byteCount) }
    try CameraStream.step("start", path, node.identity) { () throws(SystemError) in
      for index in 0..<count { try device.queue(index) }
      try device.start()
    }

    let actual = CameraMode(
      format: actualFormat.fourcc, size: actualFormat.size, interval: interval)
    self.device = device
    identity = node.identity
    buffers = CameraBuffers(device: device)
    self.format = format
    minimumBytes = layout.minimumBytes
    self.intervalNanos = intervalNanos
    queueLimit = max(1, min(queued, count - CameraStream.extraBuffers))
    selection = CameraSelection(
      name: name, path: path, size: actualFormat.size, format: actualFormat.fourcc.description,
      framesPerSecond: actual.framesPerSecond, difference: difference(of: actual, from: request))
  }

  deinit { _ = end() }

  /// Ends streaming.
  /// - Returns: whether the device can be opened again while frames still use its buffers.
  func end() -> Bool {
    guard isStreaming else { return true }
    isStreaming = false
    return device.stop()
  }

  /// Runs one step of the device's setup, and converts its error to a `CameraTrouble`.
  /// - Parameter name: what the step does, for people: "set the format".
  private static func step<Result>(
    _ name: String, _ path: String, _ identity: VideoIdentity,
    _ body: () throws(SystemError) -> Result
  ) throws(CameraTrouble) -> Result {
    do {
      return try body()
    } catch {
      switch error.code {
      case EBUSY:
        throw .busy(path: path, holder: nil)
      case ENODEV, ENXIO:
        throw .lost(path: path, name: identity.card, error: error)
      case EPIPE where identity.isPipelineNode, ENOLINK where identity.isPipelineNode:
        throw .notConnected(path: path, name: identity.card)
      case ENOLINK:
        throw .noSignal(path: path, name: identity.card)
      default:
        throw .failed(path: path, step: name, error: error)
      }
    }
  }
}

extension CameraTrouble {
  /// Converts the error of a failed open(2) to a `CameraTrouble`.
  init(opening path: String, _ error: SystemError) {
    switch error.code {
    case ENOENT, ENOTDIR, ENXIO, ENODEV: self = .missing(path: path)
    case EACCES, EPERM: self = .forbidden(path: path)
    case EBUSY: self = .busy(path: path, holder: nil)
    case EISDIR: self = .notCamera(path: path, kind: "a folder")
    default: self = .failed(path: path, step: "open", error: error)
    }
  }
}

extension DeviceFormat {
  /// The format in words, for use in a sentence.
  var text: String {
    if planes != 1 { return "\(fourcc) in \(planes) separate planes" }
    return isFieldwise ? "\(fourcc) in single fields" : "\(fourcc)"
  }
}
