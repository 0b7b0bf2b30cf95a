// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2

/// The identity and the pixel formats of a device node, which are read without changing the device's settings.
struct CameraNode {
  /// The path of the device node.
  let path: String
  /// The driver, name, bus and capabilities of the device.
  let identity: VideoIdentity
  /// The pixel formats that the driver lists, each with the driver's description.
  let formats: [(format: FourCC, description: String)]

  init(path: String, device: any VideoDevice) throws(CameraTrouble) {
    self.path = path
    do {
      identity = try device.identity()
    } catch {
      throw .notCamera(path: path, kind: "not a video device")
    }
    if let kind = identity.otherKind { throw .notCamera(path: path, kind: kind) }
    formats = device.pixelFormats()
  }

  /// The pixel formats of the node that OnAir can use. Raw Bayer is usable only from a USB camera, which controls the
  /// exposure itself; a bare sensor would give a dark, green picture.
  func usableFormats() throws(CameraTrouble) -> [FourCC] {
    let isUSB = identity.bus.hasPrefix("usb-")
    let usable = formats.map { $0.format }.filter { $0.use != .none && (isUSB || !$0.isBayer) }
    if !usable.isEmpty { return usable }
    let names = formats.map { $0.format.description }
    if formats.contains(where: { $0.format.isBayer }) {
      throw .rawBayer(path: path, name: identity.card, formats: names)
    }
    throw .noUsableFormat(path: path, name: identity.card, formats: names)
  }

  /// The mode of `device` with one of these formats that is nearest to `request`; `nil` if there is none.
  ///
  /// Formats that need a conversion are enumerated only if no other format fulfils the request: some drivers list
  /// thousands of modes.
  static func mode(
    of device: any VideoDevice, formats: [FourCC], near request: CameraRequest
  ) -> CameraMode? {
    var found: [CameraMode] = []
    for converts in [false, true] {
      for format in formats where format.isConverted == converts {
        found += modes(of: device, format: format, near: request)
      }
      if request.format != .other, let best = chooseMode(found, request),
        difference(of: best, from: request) == nil
      {
        return best
      }
    }
    return chooseMode(found, request)
  }

  /// The modes of `device` in one pixel format that may be nearest to `request`.
  private static func modes(
    of device: any VideoDevice, format: FourCC, near request: CameraRequest
  ) -> [CameraMode] {
    let offers = device.sizes(of: format)
    // If the driver lists no sizes, the requested size is tried: when the format is set, the driver answers with the
    // actual size.
    let sizes =
      offers.isEmpty ? [request.size] : offers.flatMap { $0.candidates(for: request.size) }
    return sizes.flatMap { size in
      let intervals = device.intervals(of: format, at: size)
      if intervals.isEmpty { return [CameraMode(format: format, size: size)] }
      return intervals.map {
        let interval = $0.candidate(framesPerSecond: request.framesPerSecond)
        return CameraMode(format: format, size: size, interval: interval)
      }
    }
  }
}

extension VideoIdentity {
  /// Whether the node has this capability, one of V4L2_CAP_*.
  private func has(_ capability: Int32) -> Bool { capabilities & UInt32(capability) != 0 }

  /// The kind of the device node, with an article ("a codec"), if it is not a camera; `nil` for a camera.
  var otherKind: String? {
    let canCapture = has(V4L2_CAP_VIDEO_CAPTURE) || has(V4L2_CAP_VIDEO_CAPTURE_MPLANE)
    let outputs = has(V4L2_CAP_VIDEO_OUTPUT) || has(V4L2_CAP_VIDEO_OUTPUT_MPLANE)
    if has(V4L2_CAP_VIDEO_M2M) || has(V4L2_CAP_VIDEO_M2M_MPLANE) || canCapture && outputs {
      return "a codec"
    }
    if !canCapture { return outputs ? "a video output" : "a metadata node" }
    if VideoIdentity.processors.contains(driver) { return "part of an image processor" }
    return has(V4L2_CAP_STREAMING) ? nil : "a device that cannot stream"
  }

  /// Whether the node belongs to a pipeline that is configured through the media controller
  /// (userspace-api/media/v4l/open, "V4L2_CAP_IO_MC").
  var isPipelineNode: Bool { has(V4L2_CAP_IO_MC) }

  /// Drivers of image processors. Their capture nodes deliver only frames that a program has sent to their output
  /// nodes.
  private static let processors: Set<String> = ["bcm2835-isp", "pispbe"]
}
