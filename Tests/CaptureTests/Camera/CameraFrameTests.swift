// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CV4L2
internal import Media
internal import Testing

@testable import Capture

@Suite struct CameraFrameTests {
  // MARK: Colour

  @Test func colourDefaultsOfWebcams() {
    let silent = DeviceColour()
    #expect(Colour(silent, use: .straight(.yuyv)) == .webcam)
    #expect(Colour(silent, use: .straight(.mjpeg)) == .jpeg)
    // libv4lconvert converts R'G'B' to limited-range BT.601.
    #expect(Colour(silent, use: .converted(.rgb)) == .webcam)
    let srgb = DeviceColour(colorspace: V4L2_COLORSPACE_SRGB.rawValue)
    #expect(Colour(srgb, use: .straight(.yuyv)) == .webcam)
    #expect(Colour(srgb, use: .straight(.mjpeg)) == .jpeg)
    let jpeg = DeviceColour(colorspace: V4L2_COLORSPACE_JPEG.rawValue)
    #expect(Colour(jpeg, use: .straight(.yuyv)) == .jpeg)
    #expect(Colour(jpeg, use: .converted(.luminanceChroma)) == .jpeg)
  }

  @Test func colourDefaultsOfColorspaces() {
    func colour(_ space: v4l2_colorspace) -> Colour {
      Colour(DeviceColour(colorspace: space.rawValue), use: .straight(.nv12))
    }
    #expect(colour(V4L2_COLORSPACE_REC709) == .bt709)
    #expect(
      colour(V4L2_COLORSPACE_SMPTE170M)
        == Colour(fullRange: false, primaries: 6, transfer: 1, matrix: 6))
    #expect(
      colour(V4L2_COLORSPACE_470_SYSTEM_BG)
        == Colour(fullRange: false, primaries: 5, transfer: 1, matrix: 6))
    #expect(
      colour(V4L2_COLORSPACE_BT2020)
        == Colour(fullRange: false, primaries: 9, transfer: 1, matrix: 9))
    #expect(
      colour(V4L2_COLORSPACE_SMPTE240M)
        == Colour(fullRange: false, primaries: 7, transfer: 7, matrix: 7))
  }

  @Test func theDriversColourDescriptionOverridesDefaults() {
    let described = DeviceColour(
      colorspace: V4L2_COLORSPACE_SRGB.rawValue, encoding: V4L2_YCBCR_ENC_709.rawValue,
      quantization: V4L2_QUANTIZATION_FULL_RANGE.rawValue, transfer: V4L2_XFER_FUNC_709.rawValue)
    #expect(
      Colour(described, use: .straight(.nv12))
        == Colour(fullRange: true, primaries: 1, transfer: 1, matrix: 1))
    // Except for motion JPEG, whose colour the JFIF standard defines.
    #expect(Colour(described, use: .straight(.mjpeg)) == .jpeg)
    // Invalid values become unspecified.
    let odd = DeviceColour(colorspace: 77, encoding: 77, quantization: 77, transfer: 77)
    #expect(
      Colour(odd, use: .straight(.nv12))
        == Colour(fullRange: false, primaries: 2, transfer: 2, matrix: 2))
  }

  // MARK: Layout

  private func layout(
    _ fourcc: FourCC, _ width: Int, _ height: Int, line: Int, bytes: Int
  ) -> FrameLayout? {
    FrameLayout(
      DeviceFormat(
        fourcc: fourcc, size: PictureSize(width: width, height: height), bytesPerLine: line,
        byteCount: bytes))
  }

  @Test func paddedRows() {
    let padded = layout(FourCC("YUYV"), 640, 360, line: 1344, bytes: 1344 * 360)
    #expect(padded?.format.bytesPerRow == 1344)
    #expect(padded?.minimumBytes == 1344 * 360)
    // A driver that does not state the row length.
    #expect(layout(FourCC("NV12"), 640, 360, line: 0, bytes: 345_600)?.format.bytesPerRow == 640)
    // A driver that counts all planes in it.
    #expect(layout(FourCC("YU12"), 640, 360, line: 960, bytes: 345_600)?.format.bytesPerRow == 640)
    // A buffer that is too small for the frame.
    #expect(layout(FourCC("YU12"), 640, 360, line: 640, bytes: 300_000) == nil)
  }

  @Test func compressedAndConvertedFormats() {
    let jpeg = layout(FourCC("MJPG"), 1280, 720, line: 0, bytes: 1_843_200)
    #expect(jpeg?.format.pixelFormat == .mjpeg)
    #expect(jpeg?.minimumBytes == 4)
    let rgb = layout(FourCC("RGB3"), 640, 360, line: 1920, bytes: 691_200)
    #expect(rgb?.format.pixelFormat == .i420)
    #expect(rgb?.format.byteCount == 345_600)
    #expect(rgb?.minimumBytes == 691_200)
    #expect(layout(FourCC("H264"), 640, 360, line: 0, bytes: 691_200) == nil)
  }

  // MARK: Buffers

  @Test func damagedAndShortBuffersAreRejected() {
    func isWhole(
      _ filled: FilledBuffer, isJPEG: Bool = false, head: (UInt8, UInt8) = (0xff, 0xd8)
    ) -> Bool {
      BufferCheck.isWhole(
        filled, minimumBytes: isJPEG ? 4 : 1000, room: 1200, isJPEG: isJPEG, head: head)
    }
    #expect(isWhole(FilledBuffer(index: 0, byteCount: 1000)))
    #expect(isWhole(FilledBuffer(index: 0, byteCount: 1200)))
    #expect(!isWhole(FilledBuffer(index: 0, byteCount: 999)))
    #expect(!isWhole(FilledBuffer(index: 0, byteCount: 0)))
    #expect(!isWhole(FilledBuffer(index: 0, byteCount: 1000, isDamaged: true)))
    #expect(isWhole(FilledBuffer(index: 0, offset: 100, byteCount: 1000)))
    // A driver that states more bytes than the buffer has.
    #expect(!isWhole(FilledBuffer(index: 0, offset: 300, byteCount: 1000)))
    #expect(isWhole(FilledBuffer(index: 0, byteCount: 50), isJPEG: true))
    #expect(!isWhole(FilledBuffer(index: 0, byteCount: 50), isJPEG: true, head: (0xff, 0xd9)))
    #expect(!isWhole(FilledBuffer(index: 0, byteCount: 2), isJPEG: true))
  }

  @Test func implausibleTimestampsAreReplaced() {
    let now = MediaTime(nanos: .seconds(100))
    func time(_ stamp: Int64?, after last: MediaTime = .distantPast) -> MediaTime {
      BufferCheck.time(
        of: FilledBuffer(index: 0, byteCount: 1, stamp: stamp.map { MediaTime(nanos: $0) }),
        now: now, intervalNanos: .milliseconds(33), after: last)
    }
    #expect(time(.seconds(100) - .milliseconds(40)).nanos == .seconds(100) - .milliseconds(40))
    #expect(time(.seconds(100) + .milliseconds(30)).nanos == .seconds(100) + .milliseconds(30))
    #expect(time(nil) == now)
    #expect(time(.seconds(98)) == now)
    #expect(time(.seconds(101)) == now)
    #expect(time(0) == now)
    // Each frame is later than the one before it.
    #expect(time(.seconds(100) - 50, after: now) == now + 1000)
    #expect(time(.seconds(100), after: now) == now + 1000)
  }

  @Test func gapsInTheSequenceNumbers() {
    #expect(BufferCheck.droppedFrames(from: 5, to: 6) == 0)
    #expect(BufferCheck.droppedFrames(from: 5, to: 8) == 2)
    #expect(BufferCheck.droppedFrames(from: .max, to: 1) == 1)
    #expect(BufferCheck.droppedFrames(from: 0, to: 0) == 0)
    #expect(BufferCheck.droppedFrames(from: 1000, to: 0) == 0)
  }

  // MARK: Formats

  @Test func fourCharacters() {
    #expect(FourCC("YUYV").code == 0x5659_5559)
    #expect(FourCC("Y16").description == "Y16")
    #expect(FourCC(code: FourCC("Y16").code | 0x8000_0000).description == "Y16-BE")
    #expect(FourCC(code: 0x0101_0101).description == "????")
    #expect(FourCC("JPEG").use == .straight(.mjpeg))
    #expect(FourCC("BA81").isBayer && FourCC("RG12").isBayer && !FourCC("YUYV").isBayer)
  }
}
