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
  ///   - layout: of the input: the number of channels and, for more than two, their positions. Of a layout that
  ///     libswresample cannot mix, as those of a mixing desk or of ambisonics, the first two channels are taken.
  ///   - isAdjustable: whether `stretch(ppm:)` will be called. The filter then runs even at 48 kHz.
  init(
    rate: Int32, format: AVSampleFormat, layout: AVChannelLayout, outputChannels: Int,
    isAdjustable: Bool
  ) throws(Failure) {
    let inputChannels = unsafe Int(layout.nb_channels)
    let front = Resampler.firstTwo(of: inputChannels, outputChannels)
    // The default matrix would mix two channels into one at −3 dB each.
    let own = inputChannels <= 2 && inputChannels != outputChannels ? front : nil
    var made = unsafe Resampler.context(rate, format, layout, outputChannels, isAdjustable, own)
    if unsafe made == nil, own == nil {
      unsafe made = Resampler.context(rate, format, layout, outputChannels, isAdjustable, front)
    }
    guard let context = unsafe made else { throw .unsupported }
    unsafe swr = context
    self.isAdjustable = isAdjustable
  }

  /// The gains of the input's channels in each channel of the output.
  private static func firstTwo(of inputs: Int, _ outputs: Int) -> [Double] {
    (0..<max(0, outputs * inputs)).map { index in
      let (output, input) = index.quotientAndRemainder(dividingBy: inputs)
      if inputs == 1 { return 1 }
      return outputs == 1 ? (input < 2 ? 0.5 : 0) : (input == output ? 1 : 0)
    }
  }

  private static func context(
    _ rate: Int32, _ format: AVSampleFormat, _ layout: AVChannelLayout, _ outputChannels: Int,
    _ isAdjustable: Bool, _ matrix: [Double]?
  ) -> OpaquePointer? {
    var input = unsafe AVChannelLayout()
    // FFmpeg's default positions of more channels are of cinemas; recordings of so many have none.
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
