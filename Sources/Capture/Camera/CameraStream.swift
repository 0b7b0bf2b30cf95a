// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Media

/// An opened device with its format set and its buffers streaming.
final class CameraStream {
  let identity: VideoIdentity
  let selection: CameraSelection
  /// Nanoseconds from frame to frame, as far as is known.
  let intervalNanos: Int64
  let buffers: CameraBuffers
  let device: any VideoDevice
  /// How frames leave, converted or not.
  let format: FrameFormat
  /// Bytes that a buffer has at least when its picture is whole.
  let leastBytes: Int
  let converter: (any VideoConverter)?
  let pool: FramePool?
  private var isStreaming = true

  /// Opens the node at `path`, sets it as near to `request` as it goes, and starts it.
  /// - Parameter skipsPipelines: whether a node that needs the media controller is passed over.
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

    let taken = try CameraStream.step("take a format", path, node.identity) {
      () throws(DriverError) in
      try device.setFormat(DeviceFormat(fourcc: mode.format, size: mode.size))
    }
    guard taken.fourcc.use != .none, taken.planes == 1, !taken.isFieldwise,
      let layout = PictureLayout(taken)
    else {
      throw .noUsableFormat(path: path, name: name, formats: [taken.reading])
    }
    let wishedInterval =
      mode.interval ?? FrameInterval(numerator: 1, denominator: UInt32(request.framesPerSecond))
    let interval = try CameraStream.step("take a frame rate", path, node.identity) {
      () throws(DriverError) in
      try device.setInterval(wishedInterval)
    }
    let count = try CameraStream.step("make buffers", path, node.identity) {
      () throws(DriverError) in
      try device.allocateBuffers(4)
    }
    for index in 0..<count {
      guard unsafe device.memory(of: index).count >= layout.leastBytes else {
        throw .noUsableFormat(path: path, name: name, formats: [taken.reading])
      }
    }
    if case .straight = taken.fourcc.use {
      converter = nil
      pool = nil
    } else {
      guard let made = device.makeConverter(from: taken) else {
        throw .noUsableFormat(path: path, name: name, formats: [taken.reading])
      }
      converter = made
      // One written, one waiting or being read, and one kept to be shown again.
      pool = FramePool(count: 3, capacity: layout.format.byteCount)
    }
    try CameraStream.step("start", path, node.identity) { () throws(DriverError) in
      for index in 0..<count { try device.queue(index) }
      try device.start()
    }

    let actual = CameraMode(format: taken.fourcc, size: taken.size, interval: interval)
    self.device = device
    identity = node.identity
    buffers = CameraBuffers(device: device)
    format = layout.format
    leastBytes = layout.leastBytes
    // A driver may say anything.
    intervalNanos = min(
      max(interval?.nanos ?? 1_000_000_000 / Int64(request.framesPerSecond), .milliseconds(1)),
      .seconds(2))
    selection = CameraSelection(
      name: name, path: path, size: taken.size, format: taken.fourcc.description,
      framesPerSecond: actual.framesPerSecond, difference: difference(of: actual, from: request))
  }

  deinit { _ = end() }

  /// Ends streaming.
  /// - Returns: whether the device can be opened again though frames of it are still lent.
  func end() -> Bool {
    guard isStreaming else { return true }
    isStreaming = false
    return device.stop()
  }

  /// One step of setting up a device, its failure told as a cause.
  private static func step<Result>(
    _ name: String, _ path: String, _ identity: VideoIdentity,
    _ body: () throws(DriverError) -> Result
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
  /// Why a node could not be opened.
  init(opening path: String, _ error: DriverError) {
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
  /// The format for a sentence.
  var reading: String {
    if planes != 1 { return "\(fourcc) in \(planes) separate planes" }
    return isFieldwise ? "\(fourcc) in single fields" : "\(fourcc)"
  }
}
