// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Glibc
internal import Posix

/// An open V4L2 device node.
@safe final class V4L2Device: VideoDevice, @unchecked Sendable {
  /// The file descriptor of the open node.
  let descriptor: Int32
  /// Whether the node is used with V4L2's multi-planar API, because the node does not support the single-planar API.
  private let isPlanar: Bool
  /// The answer to VIDIOC_QUERYCAP; `nil` if the node is not a V4L2 device.
  private let knownIdentity: VideoIdentity?
  /// The mapped memory of each buffer, by the buffer's index.
  private var buffers: [UnsafeMutableRawBufferPointer] = unsafe []

  /// Opens a node without changing its settings.
  init(path: String) throws(SystemError) {
    let opened = try retrying { unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
    descriptor = opened
    var answer = onair_v4l2_identity()
    if (try? retryingStatus { unsafe onair_v4l2_identify(opened, &answer) }) != nil {
      knownIdentity = VideoIdentity(
        driver: String(cArray: answer.driver), card: String(cArray: answer.card),
        bus: String(cArray: answer.bus),
        capabilities: answer.capabilities)
      isPlanar = answer.capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) == 0
    } else {
      knownIdentity = nil
      isPlanar = false
    }
  }

  deinit {
    unsafe buffers.forEach { unsafe munmap($0.baseAddress, $0.count) }
    close(descriptor)
  }

  /// The node's answer to VIDIOC_QUERYCAP. Throws ENOTTY if the node is not a V4L2 device.
  func identity() throws(SystemError) -> VideoIdentity {
    guard let knownIdentity else { throw SystemError(ENOTTY) }
    return knownIdentity
  }

  /// Whether the selected input reports that it has no signal; `false` if the driver reports no input status.
  func hasNoSignal() -> Bool {
    var status: UInt32 = 0
    guard (try? retryingStatus { unsafe onair_v4l2_input_status(descriptor, &status) }) != nil
    else {
      return false
    }
    let noSignal =
      V4L2_IN_ST_NO_POWER | V4L2_IN_ST_NO_SIGNAL | V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_SYNC
    return status & UInt32(noSignal) != 0
  }

  /// The pixel formats that the driver lists, each with the driver's description.
  func pixelFormats() -> [(format: FourCC, description: String)] {
    var found: [(format: FourCC, description: String)] = []
    var answer = onair_v4l2_pixel_format()
    // At most 256 formats are read, because a faulty driver may never end the list.
    for index in 0..<UInt32(256) {
      guard unsafe onair_v4l2_enumerate_format(descriptor, isPlanar, index, &answer) == 0 else {
        break
      }
      found.append((FourCC(code: answer.fourcc), String(cArray: answer.description)))
    }
    return found
  }

  /// The picture sizes that the driver lists for a pixel format; empty if it lists none.
  func sizes(of format: FourCC) -> [SizeOffer] {
    var found: [SizeOffer] = []
    var answer = onair_v4l2_sizes()
    for index in 0..<UInt32(256) {
      guard unsafe onair_v4l2_enumerate_sizes(descriptor, format.code, index, &answer) == 0 else {
        break
      }
      let minimum = PictureSize(width: Int(answer.min_width), height: Int(answer.min_height))
      guard answer.step_width > 0 else {
        found.append(.one(minimum))
        continue
      }
      found.append(
        .range(
          minimum: minimum,
          maximum: PictureSize(width: Int(answer.max_width), height: Int(answer.max_height)),
          step: PictureSize(width: Int(answer.step_width), height: Int(answer.step_height))))
    }
    return found
  }

  /// The frame intervals that the driver lists for a pixel format and size; empty if it lists none.
  func intervals(of format: FourCC, at size: PictureSize) -> [IntervalOffer] {
    var found: [IntervalOffer] = []
    var answer = onair_v4l2_intervals()
    for index in 0..<UInt32(256) {
      let status = unsafe onair_v4l2_enumerate_intervals(
        descriptor, format.code, UInt32(size.width), UInt32(size.height), index, &answer)
      guard status == 0 else { break }
      let shortest = FrameInterval(answer.least)
      let longest = FrameInterval(answer.greatest)
      found.append(
        shortest == longest ? .one(shortest) : .range(shortest: shortest, longest: longest))
    }
    return found
  }

  /// Sets the format of the buffers, and returns the format that the driver has set in fact.
  func setFormat(_ format: DeviceFormat) throws(SystemError) -> DeviceFormat {
    // Set the device to the video timings of its input signal. A failure is no error: only HDMI receivers have timings,
    // and `hasNoSignal` detects a missing signal.
    _ = onair_v4l2_follow_timings(descriptor)
    var answer = onair_v4l2_format()
    answer.fourcc = format.fourcc.code
    answer.width = UInt32(format.size.width)
    answer.height = UInt32(format.size.height)
    try retryingStatus { unsafe onair_v4l2_set_format(descriptor, isPlanar, &answer) }
    return DeviceFormat(answer)
  }

  /// Sets the frame interval, and returns the one that the driver has set in fact; `nil` if the driver reports none.
  func setInterval(_ interval: FrameInterval) throws(SystemError) -> FrameInterval? {
    var answer = v4l2_fract(numerator: interval.numerator, denominator: interval.denominator)
    do {
      try retryingStatus { unsafe onair_v4l2_set_interval(descriptor, isPlanar, &answer) }
    } catch {
      // The frame rate of this driver cannot be set.
      if error.code == ENOTTY || error.code == EINVAL || error.code == ENODATA { return nil }
      throw error
    }
    let actual = FrameInterval(answer)
    return actual.framesPerSecond > 0 ? actual : nil
  }

  /// Makes the driver allocate buffers, and maps them.
  /// - Parameter count: the number of buffers to allocate, of which two are for the driver. If the driver needs more
  ///   than two, correspondingly more are allocated.
  /// - Returns: how many buffers the driver has allocated.
  func allocateBuffers(_ count: Int) throws(SystemError) -> Int {
    var granted = UInt32(count + max(0, Int(onair_v4l2_least_buffers(descriptor)) - 2))
    try retryingStatus { unsafe onair_v4l2_request_buffers(descriptor, isPlanar, &granted) }
    for index in 0..<granted {
      var address: UnsafeMutableRawPointer?
      var length: UInt32 = 0
      try retryingStatus { unsafe onair_v4l2_map(descriptor, isPlanar, index, &address, &length) }
      unsafe buffers.append(
        UnsafeMutableRawBufferPointer(start: address, count: Int(length)))
    }
    return Int(granted)
  }

  /// The mapped memory of the buffer with this index.
  @unsafe func memory(of index: Int) -> UnsafeMutableRawBufferPointer { unsafe buffers[index] }

  /// Gives the buffer with this index to the driver, to be filled.
  func queue(_ index: Int) throws(SystemError) {
    try retryingStatus { onair_v4l2_queue(descriptor, isPlanar, UInt32(index)) }
  }

  /// Takes a filled buffer from the driver without waiting. Returns `nil` if no buffer is filled yet.
  func dequeue() throws(SystemError) -> FilledBuffer? {
    var answer = onair_v4l2_filled()
    do {
      try retryingStatus { unsafe onair_v4l2_dequeue(descriptor, isPlanar, &answer) }
    } catch {
      if error.code == EAGAIN { return nil }
      throw error
    }
    let flags = Int32(bitPattern: answer.flags)
    let clock = flags & V4L2_BUF_FLAG_TIMESTAMP_MASK
    return FilledBuffer(
      index: Int(answer.index), offset: Int(answer.offset), byteCount: Int(answer.length),
      isDamaged: flags & V4L2_BUF_FLAG_ERROR != 0, sequence: answer.sequence,
      stamp: clock == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC ? MediaTime(nanos: answer.nanos) : nil)
  }

  /// Starts streaming.
  func start() throws(SystemError) {
    try retryingStatus { onair_v4l2_stream(descriptor, isPlanar, true) }
  }

  /// Ends streaming. Returns whether the device can be opened for streaming again while its memory is still mapped.
  func stop() -> Bool {
    _ = onair_v4l2_stream(descriptor, isPlanar, false)
    // Requesting 0 buffers frees the driver's buffers. Kernels before 5.0 refuse this while the buffers are mapped.
    var none: UInt32 = 0
    return unsafe onair_v4l2_request_buffers(descriptor, isPlanar, &none) == 0
  }

  /// Makes a converter from `format` to YU12 with libv4lconvert; `nil` if memory has run out.
  func makeConverter(from format: DeviceFormat) -> (any VideoConverter)? {
    V4LConverter(device: self, format: format)
  }
}

extension FrameInterval {
  init(_ fraction: v4l2_fract) {
    self.init(numerator: fraction.numerator, denominator: fraction.denominator)
  }
}

extension DeviceFormat {
  init(_ format: onair_v4l2_format) {
    self.init(
      fourcc: FourCC(code: format.fourcc),
      size: PictureSize(width: Int(format.width), height: Int(format.height)),
      bytesPerLine: Int(format.bytes_per_line), byteCount: Int(format.size_image),
      colour: DeviceColour(
        colorspace: format.colorspace, encoding: format.ycbcr_encoding,
        quantization: format.quantization, transfer: format.transfer),
      isFieldwise: [V4L2_FIELD_TOP, V4L2_FIELD_BOTTOM, V4L2_FIELD_ALTERNATE].contains {
        $0.rawValue == format.field
      },
      fields: FieldOrder(v4l2: format.field, height: Int(format.height)),
      planes: Int(format.planes))
  }
}
