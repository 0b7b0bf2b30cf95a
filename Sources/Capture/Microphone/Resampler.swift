// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Media

/// Resamples audio of any sample rate and format to 48 kHz interleaved float with libswresample. Used by one thread.
///
/// The first output sample corresponds to the first input sample: the filter's delay is compensated.
@safe final class Resampler {
  /// Thrown if libswresample does not support a conversion.
  enum Failure: Error {
    case unsupported
  }

  /// The context of libswresample.
  private let swr: OpaquePointer
  /// Whether `stretch(ppm:)` may be called.
  private let isAdjustable: Bool

  /// - Parameters:
  ///   - layout: the channels of the input: their number and, for more than two, their positions. If libswresample
  ///     cannot mix the layout, such as that of a mixing desk or of ambisonics, the first two channels are used.
  ///   - isAdjustable: whether `stretch(ppm:)` will be called. If so, the filter runs even if the input has 48 kHz.
  init(
    rate: Int32, format: AVSampleFormat, layout: AVChannelLayout, outputChannels: Int,
    isAdjustable: Bool
  ) throws(Failure) {
    let inputChannels = unsafe Int(layout.nb_channels)
    let front = Resampler.firstTwo(of: inputChannels, outputChannels)
    // Between one and two channels, use a matrix of our own: that of libswresample mixes two channels into one at −3 dB
    // each.
    let own = inputChannels <= 2 && inputChannels != outputChannels ? front : nil
    var made = unsafe Resampler.context(rate, format, layout, outputChannels, isAdjustable, own)
    if unsafe made == nil, own == nil {
      unsafe made = Resampler.context(rate, format, layout, outputChannels, isAdjustable, front)
    }
    guard let context = unsafe made else { throw .unsupported }
    unsafe swr = context
    self.isAdjustable = isAdjustable
  }

  /// A mixing matrix that uses only the first two channels of the input: for each channel of the output, the gains of
  /// all channels of the input.
  private static func firstTwo(of inputs: Int, _ outputs: Int) -> [Double] {
    (0..<max(0, outputs * inputs)).map { index in
      let (output, input) = index.quotientAndRemainder(dividingBy: inputs)
      if inputs == 1 { return 1 }
      return outputs == 1 ? (input < 2 ? 0.5 : 0) : (input == output ? 1 : 0)
    }
  }

  /// Makes a context of libswresample; `nil` if libswresample does not support the conversion.
  /// - Parameter matrix: the mixing matrix, as `firstTwo` makes it; `nil` for libswresample's own.
  private static func context(
    _ rate: Int32, _ format: AVSampleFormat, _ layout: AVChannelLayout, _ outputChannels: Int,
    _ isAdjustable: Bool, _ matrix: [Double]?
  ) -> OpaquePointer? {
    var input = unsafe AVChannelLayout()
    // A layout of more than 8 channels gets no positions: FFmpeg's default positions are those of cinemas, but
    // recordings with so many channels usually have none.
    if unsafe layout.order == AV_CHANNEL_ORDER_UNSPEC && layout.nb_channels <= 8 {
      unsafe av_channel_layout_default(&input, layout.nb_channels)
    } else {
      var given = unsafe layout
      guard unsafe av_channel_layout_copy(&input, &given) >= 0 else { return nil }
    }
    defer { unsafe av_channel_layout_uninit(&input) }
    var output = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&output, Int32(outputChannels))

    var made: OpaquePointer?
    unsafe swr_alloc_set_opts2(
      &made, &output, AV_SAMPLE_FMT_FLT, Int32(PCM.sampleRate), &input, format, rate, 0, nil)
    guard let context = unsafe made else { return nil }
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
    if let matrix {
      let row = unsafe Int32(input.nb_channels)
      ready = unsafe swr_set_matrix(context, matrix, row) >= 0 && ready
    }
    guard ready, unsafe swr_init(context) >= 0 else {
      unsafe swr_free(&made)
      return nil
    }
    return unsafe context
  }

  deinit {
    var context: OpaquePointer? = unsafe swr
    unsafe swr_free(&context)
  }

  /// The duration of the input that is still in the filter, at the input's nominal rate, in nanoseconds.
  var delayNanos: Int64 { unsafe swr_get_delay(swr, 1_000_000_000) }

  /// Makes the resampler produce `ppm` millionths more output from the same input from now on; less if negative.
  func stretch(ppm: Double) {
    // The compensation is spread over 100 million samples, which gives it a resolution of 0.01 ppm. The next call comes
    // before that many samples.
    _ = unsafe swr_set_compensation(swr, Int32((ppm * 100).rounded()), 100_000_000)
  }

  /// Resamples interleaved samples.
  /// - Parameter input: `frames` × channels samples; `nil` to drain the filter.
  /// - Returns: the number of sample frames that were written.
  func convert(
    _ input: UnsafeRawPointer?, frames: Int, into output: UnsafeMutableBufferPointer<Float>,
    outputFrames: Int
  ) -> Int {
    let count = unsafe onair_swr_convert(
      swr, output.baseAddress, Int32(outputFrames), input, Int32(frames))
    return max(0, Int(count))
  }

  /// Resamples a decoded frame.
  /// - Returns: the number of sample frames that were written.
  func convert(
    _ frame: UnsafePointer<AVFrame>, into output: UnsafeMutableBufferPointer<Float>,
    outputFrames: Int
  ) -> Int {
    let count = unsafe onair_swr_convert_frame(
      swr, output.baseAddress, Int32(outputFrames), frame)
    return max(0, Int(count))
  }

  /// The maximum number of sample frames that the next call of `convert` writes for `inputFrames` sample frames of
  /// input.
  func outputBound(inputFrames: Int) -> Int {
    max(0, Int(unsafe swr_get_out_samples(swr, Int32(inputFrames))))
  }
}
