// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CX264

/// Makes x264's parameters for a `VideoFormat` and for a `VideoRate`, and checks which of them x264 has adopted.
enum X264Settings {
  /// Sets the parameters that `VideoEncoder.change` may change: bit rate, VBV and effort.
  static func set(_ rate: VideoRate, _ parameters: inout x264_param_t) {
    // x264 assumes that every frame of the full frame rate is encoded. If only every second frame is encoded, for
    // example, the bit rate that x264 is told has to be twice as high.
    let counted = Int32(rate.bitrateKbps * rate.frameStep)
    unsafe parameters.rc.i_bitrate = counted
    unsafe parameters.rc.i_vbv_max_bitrate = counted
    // A buffer of one second limits how much a keyframe may borrow from the frames after it.
    unsafe parameters.rc.i_vbv_buffer_size = Int32(rate.bitrateKbps)
    guard let effort = rate.effort else { return }
    unsafe parameters.analyse.i_subpel_refine = Int32(effort.subpixelRefinement)
    unsafe parameters.analyse.i_me_method =
      switch effort.motionSearch {
      case .diamond: onair_x264_me_dia
      case .hexagon: onair_x264_me_hex
      case .multiHexagon: onair_x264_me_umh
      }
    unsafe parameters.i_frame_reference = Int32(effort.references)
    unsafe parameters.analyse.b_mixed_references = effort.mixesReferences ? 1 : 0
    unsafe parameters.analyse.inter =
      onair_x264_intra_partitions | (effort.splitsBlocks ? onair_x264_inter_partitions : 0)
    unsafe parameters.analyse.i_trellis = Int32(effort.trellis)
  }

  /// How many threads encode a frame: one for each processor, but at most one for every five rows of macroblocks.
  ///
  /// Measured by `board/bench threads` with the preset veryfast: eight threads need a fifth of one thread's elapsed
  /// time at 1920x1080 and a quarter at 1280x720, and cost 5 to 12 % more processor time and at most 0.25 dB of SSIM.
  /// With fewer than five rows for each (five threads at 640x360) the last thread saves at most 9 % of the time, for up
  /// to 11 % more processor time.
  static func threads(height: Int, processors: Int) -> Int {
    let rows = (height + 15) / 16
    return max(1, min(processors, rows / 5))
  }

  /// The parameters with which x264 is opened for a format.
  static func parameters(_ format: VideoFormat) throws(EncoderError) -> x264_param_t {
    var p = unsafe x264_param_t()
    let preset = (format.speed ?? .veryfast).rawValue
    guard unsafe x264_param_default_preset(&p, preset, "zerolatency") == 0 else {
      throw .unsupported("preset \(preset) with tune zerolatency")
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
      // P-frames get the same quantizer as I-frames: they repeat the keyframe, and need almost no bits.
      unsafe p.rc.f_ip_factor = 1
      // Frames of a still are encoded quickly: one reference frame and one thread are enough, and need less memory.
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
      if format.speed == nil {
        // x264 never uses more reference frames than it was opened with, so it is opened with the most that any
        // `EncoderEffort` uses.
        unsafe p.i_frame_reference = Int32(EncoderEffort.mostReferences)
        // At full strength psychovisual optimization spends bits on noise that is too expensive at a live bit rate.
        // Half strength keeps texture, and gives each `EncoderEffort` a better SSIM than the next faster one.
        unsafe p.analyse.f_psy_rd = 0.5
      }
      let threads =
        format.threads
        ?? threads(height: format.size.height, processors: Processors.availableToThread)
      unsafe p.i_threads = Int32(threads)
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

  /// Throws if x264 has not adopted the settings that matter. They are read back because x264 silently changes those
  /// that it does not support.
  static func verify(
    _ encoder: OpaquePointer, against requested: x264_param_t
  ) throws(EncoderError) {
    var actual = unsafe x264_param_t()
    unsafe x264_encoder_parameters(encoder, &actual)
    try unsafe require("width", actual.i_width, requested.i_width)
    try unsafe require("height", actual.i_height, requested.i_height)
    try unsafe require("bframes", actual.i_bframe, 0)
    try unsafe require("rc_lookahead", actual.rc.i_lookahead, 0)
    try unsafe verify(rateOf: actual, against: requested)
    try unsafe require("scenecut", actual.i_scenecut_threshold, 0)
    try unsafe require("fullrange", actual.vui.b_fullrange, requested.vui.b_fullrange)
    try unsafe require("delayed frames", x264_encoder_maximum_delayed_frames(encoder), 0)
  }

  /// Throws if x264 has not adopted the settings of a `VideoRate`.
  static func verify(
    rateOf actual: x264_param_t, against requested: x264_param_t
  ) throws(EncoderError) {
    try unsafe require("bitrate", actual.rc.i_bitrate, requested.rc.i_bitrate)
    try unsafe require("vbv_maxrate", actual.rc.i_vbv_max_bitrate, requested.rc.i_vbv_max_bitrate)
    try unsafe require("vbv_bufsize", actual.rc.i_vbv_buffer_size, requested.rc.i_vbv_buffer_size)
    let (made, asked) = unsafe (actual.analyse, requested.analyse)
    try require("subme", made.i_subpel_refine, asked.i_subpel_refine)
    try require("me", made.i_me_method, asked.i_me_method)
    try unsafe require("ref", actual.i_frame_reference, requested.i_frame_reference)
    try require("mixed_refs", made.b_mixed_references, asked.b_mixed_references)
    try require("partitions", Int32(made.inter), Int32(asked.inter))
    try require("trellis", made.i_trellis, asked.i_trellis)
  }

  /// Throws `settingNotApplied` unless x264's value of a setting is the expected one.
  private static func require(
    _ name: String, _ value: Int32, _ expected: Int32
  ) throws(EncoderError) {
    guard value == expected else {
      throw .settingNotApplied(name: name, value: "\(value), not \(expected)")
    }
  }
}
