// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CX264
public import Media

/// Encodes H.264 with x264.
///
/// The encoder uses no B-frames, no lookahead, and threads that encode slices of one frame (tune zerolatency). A VBV
/// limits the bit rate; without a VBV, x264 could not change the rate of an open encoder. Keyframes are made on request
/// only. Used by one thread.
@safe public final class X264Encoder: VideoEncoder {
  /// The version of x264, for example "0.164.3095 baee400".
  public static let version = unsafe String(cString: onair_x264_pointver())

  /// The settings with which the encoder was opened.
  public let format: VideoFormat
  /// The format of the packets, with the decoder configuration.
  public let header: VideoHeader
  /// The settings that `change` has last requested; at first those of `format`.
  public private(set) var rate: VideoRate
  /// Always `false`: without lookahead and B-frames, x264 emits the packet of a frame before `encode` returns.
  public var holdsFrames: Bool { false }
  /// Whether the rate has changed and was not read back yet: x264 applies a new rate with the next frame.
  private var isRateNew = false
  /// The error that `takeRefusal` returns next; `nil` if x264 has applied the last change.
  private var refusal: EncoderError?

  /// The open encoder of x264 (x264_t).
  private let encoder: OpaquePointer
  /// The frame that x264 gets: pointers to its planes, its type and its number.
  private var input = unsafe x264_picture_t()
  /// The description that x264 gives of the frame that it has encoded last.
  private var output = unsafe x264_picture_t()
  /// The tags of the frames that are being encoded.
  private var tags = HeldTags()
  /// The SPS and the PPS, which precede each keyframe. Each of the two begins with its length in 4 bytes.
  private let parameterSets: [UInt8]
  /// The SEI with x264's settings, which `encode` puts before a keyframe if `introduced` is `true`. It begins with its
  /// length in 4 bytes.
  private let settingsSEI: [UInt8]
  /// The bytes of the last keyframe, with the parameter sets. Kept from call to call, so that their memory is reused.
  private var keyframe: [UInt8] = []

  public init(_ format: VideoFormat) throws(EncoderError) {
    var parameters = try unsafe X264Settings.parameters(format)
    guard let encoder = unsafe onair_x264_open(&parameters) else { throw .notOpened }
    unsafe self.encoder = encoder
    self.format = format
    rate = VideoRate(bitrateKbps: format.bitrateKbps)

    do throws(EncoderError) {
      try unsafe X264Settings.verify(encoder, against: parameters)
      let headers = try unsafe ParameterSets(encoder: encoder)
      header = VideoHeader(
        avcConfiguration: headers.avcConfiguration, size: format.size,
        framesPerSecond: format.framesPerSecond, bitrateKbps: format.bitrateKbps)
      parameterSets = headers.inBand
      settingsSEI = headers.sei
    } catch {
      unsafe x264_encoder_close(encoder)
      throw error
    }
    unsafe x264_picture_init(&input)
    unsafe input.img.i_csp = onair_x264_csp_i420
    unsafe input.img.i_plane = 3
  }

  deinit { unsafe x264_encoder_close(encoder) }

  /// Changes the bit rate, the frame step and the effort from the next frame on.
  /// - Throws: `settingNotApplied` if x264 rejects the rate at once.
  public func change(_ rate: VideoRate) throws(EncoderError) {
    precondition(format.stillQuantizer == nil)
    self.rate = rate
    var parameters = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &parameters)
    unsafe X264Settings.set(rate, &parameters)
    guard unsafe x264_encoder_reconfig(encoder, &parameters) == 0 else {
      throw .settingNotApplied(name: "rate", value: "unchanged, not \(rate.bitrateKbps)")
    }
    isRateNew = true
  }

  /// Returns the error if x264 has not applied the last `change`, otherwise `nil`. Returns each error once.
  public func takeRefusal() -> EncoderError? {
    defer { refusal = nil }
    return refusal
  }

  /// Reads x264's settings, and sets `refusal` if they differ from `rate`.
  private func readBack() {
    isRateNew = false
    var actual = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &actual)
    var requested = unsafe actual
    unsafe X264Settings.set(rate, &requested)
    do throws(EncoderError) {
      try unsafe X264Settings.verify(rateOf: actual, against: requested)
    } catch {
      refusal = error
    }
  }

  /// Encodes one frame, and emits its packet before this call returns.
  @unsafe public func encode(
    _ picture: PlanarPicture, _ tag: FrameTag, key: Bool, introduced: Bool = false,
    emit: (EncodedFrame) -> Void
  ) throws(EncoderError) {
    // x264 only reads the planes, although its types are mutable.
    unsafe input.img.plane.0 = UnsafeMutablePointer(mutating: picture.y)
    unsafe input.img.plane.1 = UnsafeMutablePointer(mutating: picture.cb)
    unsafe input.img.plane.2 = UnsafeMutablePointer(mutating: picture.cr)
    unsafe input.img.i_stride.0 = Int32(picture.yStride)
    unsafe input.img.i_stride.1 = Int32(picture.chromaStride)
    unsafe input.img.i_stride.2 = Int32(picture.chromaStride)
    unsafe input.i_type = key ? onair_x264_type_idr : onair_x264_type_auto
    // x264 is told a constant frame rate, so it needs no real times: the number of the tag serves as the timestamp.
    let number = tags.keep(tag)
    unsafe input.i_pts = number

    var units: UnsafeMutablePointer<x264_nal_t>?
    var unitCount: Int32 = 0
    let size = unsafe x264_encoder_encode(encoder, &units, &unitCount, &input, &output)
    guard size > 0, let units = unsafe units, unitCount > 0, let start = unsafe units[0].p_payload
    else {
      _ = tags.take(number)
      throw .failed
    }
    if isRateNew { readBack() }
    guard let tag = tags.take(unsafe output.i_pts) else { throw .failed }
    let isKey = unsafe output.b_keyframe != 0
    // The NAL units of a frame are contiguous in x264's memory.
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(size))
    guard isKey else {
      unsafe emit(EncodedFrame(.frame, tag, bytes: bytes))
      return
    }
    // Each keyframe gets the parameter sets, although the sequence header has them, too: a recording of the stream may
    // contain the frames of several encoders, and a player that seeks in it knows only the first sequence header.
    keyframe.removeAll(keepingCapacity: true)
    keyframe.append(contentsOf: parameterSets)
    if introduced { keyframe.append(contentsOf: settingsSEI) }
    unsafe keyframe.append(contentsOf: bytes)
    unsafe keyframe.withUnsafeBytes { keyframe in
      unsafe emit(EncodedFrame(.keyframe, tag, bytes: keyframe))
    }
  }

  /// Does nothing, because x264 holds no frames.
  public func finish(emit: (EncodedFrame) -> Void) {}
}
