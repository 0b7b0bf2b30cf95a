// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Resamples to 48 kHz interleaved float with libswresample. Used by one thread.
///
/// The first output sample corresponds to the first input sample: the filter's delay is compensated.
@safe final class Resampler {
  enum Failure: Error {
    case unsupported
  }

  private let swr: OpaquePointer
  private let isAdjustable: Bool

  /// - Parameters:
  ///   - layout: of the input: the number of channels and, for more than two, their positions.
  ///   - isAdjustable: whether `stretch(ppm:)` will be called. The filter then runs even at 48 kHz.
  init(
    rate: Int32, format: AVSampleFormat, layout: AVChannelLayout, outputChannels: Int,
    isAdjustable: Bool
  ) throws(Failure) {
    var input = unsafe AVChannelLayout()
    if unsafe layout.order == AV_CHANNEL_ORDER_UNSPEC {
      unsafe av_channel_layout_default(&input, layout.nb_channels)
    } else {
      var given = unsafe layout
      guard unsafe av_channel_layout_copy(&input, &given) >= 0 else { throw .unsupported }
    }
    var output = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&output, Int32(outputChannels))
    defer { unsafe av_channel_layout_uninit(&input) }

    var made: OpaquePointer?
    unsafe swr_alloc_set_opts2(
      &made, &output, AV_SAMPLE_FMT_FLT, Int32(PCM.sampleRate), &input, format, rate, 0, nil)
    guard let context = unsafe made else { throw .unsupported }
    var ready = true
    if isAdjustable {
      // Without exact_rational the filter has 1,024 phases at any rate, so that a stretch never rebuilds it. The
      // nearest phase is used (its error is 69 dB below a tone of 10 kHz). Interpolation between phases would cost
      // several times as much on ARM, where FFmpeg does it in plain C.
      let wanted = [
        ("exact_rational", 0), ("linear_interp", 0), ("flags", Int64(SWR_FLAG_RESAMPLE)),
      ]
      for (name, value) in wanted {
        ready =
          unsafe av_opt_set_int(UnsafeMutableRawPointer(context), name, value, 0) >= 0 && ready
      }
    }
    // The default matrix would mix two channels into one at −3 dB each.
    switch (unsafe input.nb_channels, outputChannels) {
    case (1, 2): ready = unsafe swr_set_matrix(context, [1, 1], 1) >= 0 && ready
    case (2, 1): ready = unsafe swr_set_matrix(context, [0.5, 0.5], 2) >= 0 && ready
    default: break
    }
    guard ready, unsafe swr_init(context) >= 0 else {
      unsafe swr_free(&made)
      throw .unsupported
    }
    unsafe swr = context
    self.isAdjustable = isAdjustable
  }

  deinit {
    var context: OpaquePointer? = unsafe swr
    unsafe swr_free(&context)
  }

  /// Duration of the input, at its nominal rate, that has not come out yet.
  var delayNanos: Int64 { unsafe swr_get_delay(swr, 1_000_000_000) }

  /// Produces `ppm` millionths more output from the same input from now on.
  func stretch(ppm: Double) {
    // A long distance gives a fine resolution (0.01 ppm); the next step comes before it ends.
    _ = unsafe swr_set_compensation(swr, Int32((ppm * 100).rounded()), 100_000_000)
  }

  /// - Parameter input: `frames` × channels samples; `nil` to drain the filter.
  /// - Returns: the number of sample frames written.
  func convert(
    _ input: UnsafeRawPointer?, frames: Int, into output: UnsafeMutableBufferPointer<Float>,
    outputFrames: Int
  ) -> Int {
    let count = unsafe onair_swr_convert(
      swr, output.baseAddress, Int32(outputFrames), input, Int32(frames))
    return max(0, Int(count))
  }

  /// Converts a decoded frame.
  func convert(
    _ frame: UnsafePointer<AVFrame>, into output: UnsafeMutableBufferPointer<Float>,
    outputFrames: Int
  ) -> Int {
    let count = unsafe onair_swr_convert_frame(
      swr, output.baseAddress, Int32(outputFrames), frame)
    return max(0, Int(count))
  }

  /// The maximum number of output frames after `inputFrames` more input frames.
  func outputBound(inputFrames: Int) -> Int {
    max(0, Int(unsafe swr_get_out_samples(swr, Int32(inputFrames))))
  }
}
