// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import CFFmpeg
internal import Glibc

/// The hardware parameters that were negotiated with an ALSA capture device.
struct CaptureSetup: Equatable {
  /// The sample formats that OnAir supports, the best first: 32 bits preserve the samples of 24-bit devices.
  static let formats: [Format] = [
    (SND_PCM_FORMAT_S32_LE, AV_SAMPLE_FMT_S32, "S32_LE", 4),
    (SND_PCM_FORMAT_FLOAT_LE, AV_SAMPLE_FMT_FLT, "FLOAT_LE", 4),
    (SND_PCM_FORMAT_S16_LE, AV_SAMPLE_FMT_S16, "S16_LE", 2),
  ]
  /// A sample format: ALSA's value, FFmpeg's value, ALSA's name, and the number of bytes of a sample.
  typealias Format = (
    alsa: snd_pcm_format_t, samples: AVSampleFormat, name: String, bytes: Int
  )
  /// The requested number of periods in a second: each has 10 ms.
  static let periodsPerSecond = 100
  /// The number of periods in the device's buffer: half a second. A large buffer adds no delay, because samples are
  /// read as soon as they arrive. It prevents overruns while this process is not scheduled.
  static let periods = 50

  /// The sample rate in Hz.
  let rate: Int
  /// The number of channels that the device delivers.
  let channels: Int
  /// The sample format, as an index into `formats`.
  let formatIndex: Int
  /// The number of sample frames in a period.
  let periodFrames: Int
  /// The number of sample frames in the device's buffer.
  let bufferFrames: Int

  /// ALSA's name of the sample format, such as "S16_LE".
  var formatName: String { CaptureSetup.formats[formatIndex].name }
  /// FFmpeg's value of the sample format.
  var samples: AVSampleFormat { CaptureSetup.formats[formatIndex].samples }
  /// Bytes of one sample of one channel.
  var bytesPerSample: Int { CaptureSetup.formats[formatIndex].bytes }
  /// Bytes of one sample frame with all channels of the device.
  var bytesPerFrame: Int { bytesPerSample * channels }

  /// Configures `pcm` as near to 48 kHz and two channels as it supports.
  @unsafe init(configuring pcm: OpaquePointer, name: String) throws(MicrophoneTrouble) {
    func check(_ result: Int32, _ call: String) throws(MicrophoneTrouble) {
      guard result < 0 else { return }
      throw .of(result, call: call, pcm: name, isOpen: true)
    }
    var room: OpaquePointer?
    unsafe snd_pcm_hw_params_malloc(&room)
    guard let hardware = unsafe room else {
      throw .failed(pcm: name, call: "hw_params", errno: ENOMEM)
    }
    defer { unsafe snd_pcm_hw_params_free(hardware) }
    try check(unsafe snd_pcm_hw_params_any(pcm, hardware), "hw_params_any")
    // ALSA's "plug" must not resample, because OnAir resamples itself.
    unsafe snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
    guard
      unsafe snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) >= 0,
      let format = CaptureSetup.formats.firstIndex(where: {
        unsafe snd_pcm_hw_params_test_format(pcm, hardware, $0.alsa) >= 0
      }),
      unsafe snd_pcm_hw_params_set_format(pcm, hardware, CaptureSetup.formats[format].alsa) >= 0
    else { throw .noUsableFormat(pcm: name) }

    var channels: UInt32 = 2
    try check(unsafe snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "channels")
    var rate: UInt32 = 48_000
    try check(unsafe snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "rate")
    var period = snd_pcm_uframes_t(max(1, Int(rate) / CaptureSetup.periodsPerSecond))
    try check(
      unsafe snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "period_size")
    var buffer = period * UInt(CaptureSetup.periods)
    try check(
      unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer_size")
    try check(unsafe snd_pcm_hw_params(pcm, hardware), "hw_params")

    unsafe snd_pcm_sw_params_malloc(&room)
    guard let software = unsafe room else {
      throw .failed(pcm: name, call: "sw_params", errno: ENOMEM)
    }
    defer { unsafe snd_pcm_sw_params_free(software) }
    try check(unsafe snd_pcm_sw_params_current(pcm, software), "sw_params_current")
    try check(unsafe snd_pcm_sw_params_set_avail_min(pcm, software, period), "avail_min")
    // Ask for timestamps by CLOCK_MONOTONIC. If this fails, the time of reading is used instead of a timestamp.
    unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE)
    unsafe snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try check(unsafe snd_pcm_sw_params(pcm, software), "sw_params")

    self.rate = Int(rate)
    self.channels = Int(channels)
    formatIndex = format
    periodFrames = Int(period)
    bufferFrames = Int(buffer)
  }
}
