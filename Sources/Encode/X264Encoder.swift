// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CX264
public import Media

/// Encodes H.264 with x264.
///
/// No B-frames, no lookahead, sliced threads (tune zerolatency). A VBV holds the bit rate; x264 can change the rate
/// later only with a VBV. Keyframes are made only on request. Used by one thread.
@safe public final class X264Encoder: VideoEncoder {
  public let format: VideoFormat
  public let header: VideoHeader
  public private(set) var rate: VideoRate
  /// x264 applies a new rate with the next frame. Only then can it be read back.
  private var isRateNew = false
  private var refusal: EncoderError?

  private let encoder: OpaquePointer
  private var input = unsafe x264_picture_t()
  private var output = unsafe x264_picture_t()
  private var count: Int64 = 0
  /// SPS and PPS, and the SEI with x264's settings, for keyframes. Each has its length in 4 bytes before it.
  private let parameterSets: [UInt8]
  private let introduction: [UInt8]
  /// A keyframe with its parameter sets. The memory is reused.
  private var keyframe: [UInt8] = []

  public init(_ format: VideoFormat) throws(EncoderError) {
    var parameters = try unsafe X264Encoder.parameters(format)
    guard let encoder = unsafe onair_x264_open(&parameters) else { throw .notOpened }
    unsafe self.encoder = encoder
    self.format = format
    rate = VideoRate(bitrateKbps: format.bitrateKbps)

    do throws(EncoderError) {
      try unsafe X264Encoder.verify(encoder, against: parameters)
      let headers = try unsafe ParameterSets(encoder: encoder)
      header = VideoHeader(
        avcConfiguration: headers.avcConfiguration, size: format.size,
        framesPerSecond: format.framesPerSecond, bitrateKbps: format.bitrateKbps)
      parameterSets = headers.inBand
      introduction = headers.sei
    } catch {
      unsafe x264_encoder_close(encoder)
      throw error
    }
    unsafe x264_picture_init(&input)
    unsafe input.img.i_csp = onair_x264_csp_i420
    unsafe input.img.i_plane = 3
  }

  deinit { unsafe x264_encoder_close(encoder) }

  /// - Throws: `settingNotApplied` if x264 rejects the rate at once.
  public func change(_ rate: VideoRate) throws(EncoderError) {
    precondition(format.stillQuantizer == nil)
    self.rate = rate
    var parameters = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &parameters)
    unsafe X264Encoder.set(rate, &parameters)
    guard unsafe x264_encoder_reconfig(encoder, &parameters) == 0 else {
      throw .settingNotApplied(name: "bitrate", value: "unchanged, not \(rate.bitrateKbps)")
    }
    isRateNew = true
  }

  public func takeRefusal() -> EncoderError? {
    defer { refusal = nil }
    return refusal
  }

  private static func set(_ rate: VideoRate, _ parameters: inout x264_param_t) {
    // x264 measures time in frames.
    let counted = Int32(rate.bitrateKbps * rate.frameStep)
    unsafe parameters.rc.i_bitrate = counted
    unsafe parameters.rc.i_vbv_max_bitrate = counted
    // A buffer of one second limits how much a keyframe may borrow from the frames after it.
    unsafe parameters.rc.i_vbv_buffer_size = Int32(rate.bitrateKbps)
  }

  /// Compares x264's settings with the rate.
  private func readBack() {
    isRateNew = false
    var actual = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &actual)
    var requested = unsafe actual
    unsafe X264Encoder.set(rate, &requested)
    do throws(EncoderError) {
      try unsafe X264Encoder.verifyRate(actual, against: requested)
    } catch {
      refusal = error
    }
  }

  @unsafe public func encode(
    _ picture: PlanarPicture, time: MediaTime, key: Bool, introduced: Bool = false,
    emit: (Packet) -> Void
  ) throws(EncoderError) {
    // x264 only reads the planes, although its types are mutable.
    unsafe input.img.plane.0 = UnsafeMutablePointer(mutating: picture.y)
    unsafe input.img.plane.1 = UnsafeMutablePointer(mutating: picture.cb)
    unsafe input.img.plane.2 = UnsafeMutablePointer(mutating: picture.cr)
    unsafe input.img.i_stride.0 = Int32(picture.yStride)
    unsafe input.img.i_stride.1 = Int32(picture.chromaStride)
    unsafe input.img.i_stride.2 = Int32(picture.chromaStride)
    unsafe input.i_type = key ? onair_x264_type_idr : onair_x264_type_auto
    // Frames are neither reordered nor delayed, so x264 does not need real times: it gets frame numbers.
    unsafe input.i_pts = count
    count += 1

    var units: UnsafeMutablePointer<x264_nal_t>?
    var unitCount: Int32 = 0
    let size = unsafe x264_encoder_encode(encoder, &units, &unitCount, &input, &output)
    guard size > 0, let units = unsafe units, unitCount > 0, let start = unsafe units[0].p_payload
    else { throw .failed }
    if isRateNew { readBack() }
    let isKey = unsafe output.b_keyframe != 0
    // The NAL units of a frame are contiguous in x264's memory.
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(size))
    guard isKey else {
      unsafe emit(Packet(kind: .frame, time: time, bytes: bytes))
      return
    }
    // The stream's header has them, too. But a recording in which a viewer seeks may contain several encoders, and its
    // header is that of the first.
    keyframe.removeAll(keepingCapacity: true)
    keyframe.append(contentsOf: parameterSets)
    if introduced { keyframe.append(contentsOf: introduction) }
    unsafe keyframe.append(contentsOf: bytes)
    unsafe keyframe.withUnsafeBytes { keyframe in
      unsafe emit(Packet(kind: .keyframe, time: time, bytes: keyframe))
    }
  }

  private static func parameters(_ format: VideoFormat) throws(EncoderError) -> x264_param_t {
    var p = unsafe x264_param_t()
    guard unsafe x264_param_default_preset(&p, format.speed.rawValue, "zerolatency") == 0 else {
      throw .unsupported("preset \(format.speed.rawValue) with tune zerolatency")
    }
    unsafe p.i_log_level = onair_x264_log_none
    unsafe p.i_width = Int32(format.size.width)
    unsafe p.i_height = Int32(format.size.height)
    unsafe p.i_csp = onair_x264_csp_i420
    unsafe p.i_fps_num = UInt32(format.framesPerSecond)
    unsafe p.i_fps_den = 1
    unsafe p.b_vfr_input = 0
    // Keyframes are made only on request.
    unsafe p.i_keyint_max = onair_x264_keyint_infinite
    unsafe p.i_scenecut_threshold = 0
    if let quantizer = format.stillQuantizer {
      unsafe p.rc.i_rc_method = onair_x264_rc_cqp
      unsafe p.rc.i_qp_constant = Int32(quantizer)
      // The frames after a keyframe repeat it, and need almost no bits.
      unsafe p.rc.f_ip_factor = 1
      // They need little time, too: one reference frame and one thread are enough, and take less memory.
      unsafe p.i_frame_reference = 1
      unsafe p.analyse.i_subpel_refine = 0
      unsafe p.analyse.inter = 0
      unsafe p.analyse.i_weighted_pred = 0
      unsafe p.rc.i_aq_mode = 0
      unsafe p.i_threads = 1
      unsafe p.b_sliced_threads = 0
    } else {
      unsafe p.rc.i_rc_method = onair_x264_rc_abr
      unsafe set(VideoRate(bitrateKbps: format.bitrateKbps), &p)
    }
    // FLV needs length prefixes instead of start codes, and the parameter sets in a separate message.
    unsafe p.b_annexb = 0
    unsafe p.b_repeat_headers = 0
    unsafe p.vui.b_fullrange = format.colour.fullRange ? 1 : 0
    unsafe p.vui.i_colorprim = format.colour.primaries
    unsafe p.vui.i_transfer = format.colour.transfer
    unsafe p.vui.i_colmatrix = format.colour.matrix
    unsafe p.vui.i_sar_width = 1
    unsafe p.vui.i_sar_height = 1
    guard unsafe x264_param_apply_profile(&p, "high") == 0 else {
      throw .unsupported("profile high")
    }
    return unsafe p
  }

  /// Reads the important settings back, because x264 silently changes those it does not support.
  private static func verify(
    _ encoder: OpaquePointer, against requested: x264_param_t
  ) throws(EncoderError) {
    var actual = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &actual)
    try unsafe require("width", actual.i_width, requested.i_width)
    try unsafe require("height", actual.i_height, requested.i_height)
    try unsafe require("bframes", actual.i_bframe, 0)
    try unsafe require("rc_lookahead", actual.rc.i_lookahead, 0)
    try unsafe verifyRate(actual, against: requested)
    try unsafe require("scenecut", actual.i_scenecut_threshold, 0)
    try unsafe require("fullrange", actual.vui.b_fullrange, requested.vui.b_fullrange)
    try unsafe require("delayed frames", x264_encoder_maximum_delayed_frames(encoder), 0)
  }

  private static func verifyRate(
    _ actual: x264_param_t, against requested: x264_param_t
  ) throws(EncoderError) {
    try unsafe require("bitrate", actual.rc.i_bitrate, requested.rc.i_bitrate)
    try unsafe require("vbv_maxrate", actual.rc.i_vbv_max_bitrate, requested.rc.i_vbv_max_bitrate)
    try unsafe require("vbv_bufsize", actual.rc.i_vbv_buffer_size, requested.rc.i_vbv_buffer_size)
  }

  private static func require(
    _ name: String, _ value: Int32, _ expected: Int32
  ) throws(EncoderError) {
    guard value == expected else {
      throw .settingNotApplied(name: name, value: "\(value), not \(expected)")
    }
  }
}
