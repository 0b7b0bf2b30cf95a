// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CX264
public import Media

/// H.264 by x264 itself, for live use: each picture comes out of the call that it went into.
///
/// No B-frames, no lookahead, sliced threads (tune zerolatency); the bit rate is held by a VBV, which
/// is also what lets x264 change the rate later; x264 places no keyframe by itself.
/// Used by one thread.
@safe public final class X264Encoder {
  public let format: VideoFormat
  public let header: VideoHeader
  /// x264's own line of all its settings (the text of its SEI message).
  public let settings: String

  private let encoder: OpaquePointer
  private var input = unsafe x264_picture_t()
  private var output = unsafe x264_picture_t()
  private var count: Int64 = 0
  /// SPS and PPS, and SEI with the settings: what goes before a key picture, with its length in 4 bytes each.
  private let parameterSets: [UInt8]
  private let introduction: [UInt8]
  /// A key picture with what goes before it. Its memory is kept.
  private var whole: [UInt8] = []

  public init(_ format: VideoFormat) throws(EncoderError) {
    var parameters = try unsafe X264Encoder.parameters(format)
    guard let encoder = unsafe onair_x264_open(&parameters) else { throw .notOpened }
    unsafe self.encoder = encoder
    self.format = format

    do throws(EncoderError) {
      try unsafe X264Encoder.verify(encoder, against: parameters)
      let headers = try unsafe ParameterSets(encoder: encoder)
      header = VideoHeader(
        avcConfiguration: headers.avcConfiguration, size: format.size,
        framesPerSecond: format.framesPerSecond, bitrateKbps: format.bitrateKbps)
      settings = headers.settings
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

  /// Goes on at another bit rate, with the next picture, which need not be a key picture. Not for stills.
  /// - Parameters:
  ///   - bitrateKbps: of what comes out.
  ///   - frameStep: every how many pictures of the format's rate one is given to it.
  /// - Throws: `settingNotTaken` when x264 keeps to what it had.
  public func change(bitrateKbps: Int, frameStep: Int = 1) throws(EncoderError) {
    precondition(format.stillQuantizer == nil)
    var parameters = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &parameters)
    // x264 counts pictures and knows no other time.
    let counted = Int32(bitrateKbps * frameStep)
    unsafe parameters.rc.i_bitrate = counted
    unsafe parameters.rc.i_vbv_max_bitrate = counted
    unsafe parameters.rc.i_vbv_buffer_size = Int32(bitrateKbps)
    // It takes a rate with a VBV wherever there was one before, and says so only by doing it.
    guard unsafe x264_encoder_reconfig(encoder, &parameters) == 0 else {
      throw .settingNotTaken(name: "bitrate", value: "unchanged, not \(counted)")
    }
  }

  /// Encodes one picture.
  /// - Parameters:
  ///   - picture: of the format's size and colour.
  ///   - key: makes it one from which a decoder can start (IDR).
  ///   - introduced: puts x264's own line of its settings before it, as is due where a stream begins.
  ///   - emit: is lent the packet.
  @unsafe public func encode(
    _ picture: PlanarPicture, time: MediaTime, key: Bool, introduced: Bool = false,
    emit: (Packet) -> Void
  ) throws(EncoderError) {
    // x264 only reads the planes, though its type says otherwise.
    unsafe input.img.plane.0 = UnsafeMutablePointer(mutating: picture.y)
    unsafe input.img.plane.1 = UnsafeMutablePointer(mutating: picture.cb)
    unsafe input.img.plane.2 = UnsafeMutablePointer(mutating: picture.cr)
    unsafe input.img.i_stride.0 = Int32(picture.yStride)
    unsafe input.img.i_stride.1 = Int32(picture.chromaStride)
    unsafe input.img.i_stride.2 = Int32(picture.chromaStride)
    unsafe input.i_type = key ? onair_x264_type_idr : onair_x264_type_auto
    // Nothing is reordered or held back, so x264 need not know the real time: it counts pictures.
    unsafe input.i_pts = count
    count += 1

    var units: UnsafeMutablePointer<x264_nal_t>?
    var unitCount: Int32 = 0
    let size = unsafe x264_encoder_encode(encoder, &units, &unitCount, &input, &output)
    guard size > 0, let units = unsafe units, unitCount > 0, let start = unsafe units[0].p_payload
    else { throw .failed }
    let isKey = unsafe output.b_keyframe != 0
    // x264 lays the NAL units of one picture end to end.
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(size))
    guard isKey else {
      unsafe emit(Packet(kind: .frame, time: time, bytes: bytes))
      return
    }
    // The stream's header says the same, but a recording in which someone jumps about may have had another
    // encoder where its header was written.
    whole.removeAll(keepingCapacity: true)
    whole.append(contentsOf: parameterSets)
    if introduced { whole.append(contentsOf: introduction) }
    unsafe whole.append(contentsOf: bytes)
    unsafe whole.withUnsafeBytes { whole in
      unsafe emit(Packet(kind: .keyframe, time: time, bytes: whole))
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
    // The caller says when a picture is to be a keyframe; nothing else makes one.
    unsafe p.i_keyint_max = onair_x264_keyint_infinite
    unsafe p.i_scenecut_threshold = 0
    if let quantizer = format.stillQuantizer {
      unsafe p.rc.i_rc_method = onair_x264_rc_cqp
      unsafe p.rc.i_qp_constant = Int32(quantizer)
      // What follows a keyframe repeats it, and takes no bits for it.
      unsafe p.rc.f_ip_factor = 1
      // And takes no time: one picture to refer to and one thread are enough, and less memory.
      unsafe p.i_frame_reference = 1
      unsafe p.analyse.i_subpel_refine = 0
      unsafe p.analyse.inter = 0
      unsafe p.analyse.i_weighted_pred = 0
      unsafe p.rc.i_aq_mode = 0
      unsafe p.i_threads = 1
      unsafe p.b_sliced_threads = 0
    } else {
      unsafe p.rc.i_rc_method = onair_x264_rc_abr
      unsafe p.rc.i_bitrate = Int32(format.bitrateKbps)
      // One second of buffer: a keyframe may borrow from the pictures after it, and no more.
      unsafe p.rc.i_vbv_max_bitrate = Int32(format.bitrateKbps)
      unsafe p.rc.i_vbv_buffer_size = Int32(format.bitrateKbps)
    }
    // FLV wants lengths before NAL units, and the parameter sets in a message of their own.
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

  /// x264 corrects what it does not like without a word, so what counts is read back.
  private static func verify(
    _ encoder: OpaquePointer, against asked: x264_param_t
  ) throws(EncoderError) {
    var taken = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &taken)
    func require(_ name: String, _ value: Int32, _ wanted: Int32) throws(EncoderError) {
      guard value == wanted else {
        throw .settingNotTaken(name: name, value: "\(value), not \(wanted)")
      }
    }
    try unsafe require("width", taken.i_width, asked.i_width)
    try unsafe require("height", taken.i_height, asked.i_height)
    try unsafe require("bframes", taken.i_bframe, 0)
    try unsafe require("rc_lookahead", taken.rc.i_lookahead, 0)
    try unsafe require("vbv_maxrate", taken.rc.i_vbv_max_bitrate, asked.rc.i_vbv_max_bitrate)
    try unsafe require("vbv_bufsize", taken.rc.i_vbv_buffer_size, asked.rc.i_vbv_buffer_size)
    try unsafe require("scenecut", taken.i_scenecut_threshold, 0)
    try unsafe require("fullrange", taken.vui.b_fullrange, asked.vui.b_fullrange)
    try unsafe require("delayed frames", x264_encoder_maximum_delayed_frames(encoder), 0)
  }
}
