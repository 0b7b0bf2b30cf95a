// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CALSA
internal import Glibc
internal import Media

/// An open ALSA playback device at 48 kHz, with periods of 5 ms, written without blocking. Used by one thread.
@safe final class PlaybackPCM: PlaybackDevice {
  private static let periodFrames: snd_pcm_uframes_t = 240
  /// 400 ms: with the smallest audio profile the sound of the programme comes 128 ms at once. A large buffer adds no
  /// delay, since `MonitorPlayer` decides how much is in it.
  static let bufferFrames: snd_pcm_uframes_t = 80 * periodFrames

  /// ALSA's name of the device, with the prefix "plug" if ALSA converts its samples.
  let name: String
  /// The channels of the device that are written to: the first two, or a single one.
  let channels: Int
  /// All sample frames that have been written.
  private(set) var writtenFrames = 0
  private let deviceChannels: Int
  /// The sample format, as an index into `CaptureSetup.formats`.
  private let format: Int
  private let pcm: OpaquePointer
  private let converted: UnsafeMutableRawBufferPointer

  /// Opens and configures the device `name`. If it takes none of OnAir's sample formats at 48 kHz, ALSA's "plug"
  /// converts.
  convenience init(opening name: String) throws(MonitorTrouble) {
    onair_alsa_be_quiet()
    do {
      try self.init(name: name, asked: name)
    } catch MonitorTrouble.noUsableFormat where name.hasPrefix("hw:") {
      try self.init(name: "plug" + name, asked: name)
    } catch let trouble {
      throw trouble
    }
  }

  /// - Parameter asked: the name that the settings have, for sentences.
  private init(name: String, asked: String) throws(MonitorTrouble) {
    var opened: OpaquePointer?
    // Without NONBLOCK, open waits for a device that another program uses.
    let result = unsafe snd_pcm_open(
      &opened, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard result >= 0, let pcm = unsafe opened else {
      let trouble = MonitorTrouble.of(result, call: "open", pcm: asked, isOpen: false)
      throw trouble.code == "missing" && AudioDevices.areForbidden
        ? .forbidden(pcm: asked) : trouble
    }
    guard unsafe !HDMIScreen.isMissing(for: pcm) else {
      unsafe snd_pcm_close(pcm)
      throw .noScreen(pcm: asked)
    }
    do throws(MonitorTrouble) {
      (format, deviceChannels) = try unsafe PlaybackPCM.configure(pcm, asked)
    } catch {
      unsafe snd_pcm_close(pcm)
      throw error
    }
    self.name = name
    channels = min(2, deviceChannels)
    unsafe self.pcm = pcm
    unsafe converted = .allocate(
      byteCount: Int(PlaybackPCM.bufferFrames) * deviceChannels
        * CaptureSetup.formats[format].bytes, alignment: 64)
  }

  deinit {
    // Discards the samples in the buffer; draining would block.
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_close(pcm)
    unsafe converted.deallocate()
  }

  private static func configure(
    _ pcm: OpaquePointer, _ name: String
  ) throws(MonitorTrouble) -> (format: Int, channels: Int) {
    func check(_ result: Int32, _ call: String) throws(MonitorTrouble) {
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
    guard
      unsafe snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) >= 0,
      unsafe snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(PCM.sampleRate), 0) >= 0,
      let format = CaptureSetup.formats.firstIndex(where: {
        unsafe snd_pcm_hw_params_test_format(pcm, hardware, $0.alsa) >= 0
      }),
      unsafe snd_pcm_hw_params_set_format(pcm, hardware, CaptureSetup.formats[format].alsa) >= 0
    else { throw .noUsableFormat(pcm: name) }
    var channels: UInt32 = 2
    try check(unsafe snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "channels")
    var period = periodFrames
    try check(
      unsafe snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, nil), "period_size")
    var buffer = bufferFrames
    try check(
      unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer_size")
    try check(unsafe snd_pcm_hw_params(pcm, hardware), "hw_params")

    unsafe snd_pcm_sw_params_malloc(&room)
    guard let software = unsafe room else {
      throw .failed(pcm: name, call: "sw_params", errno: ENOMEM)
    }
    defer { unsafe snd_pcm_sw_params_free(software) }
    try check(unsafe snd_pcm_sw_params_current(pcm, software), "sw_params_current")
    // It starts with the first samples.
    try check(unsafe snd_pcm_sw_params_set_start_threshold(pcm, software, 1), "start_threshold")
    try check(unsafe snd_pcm_sw_params(pcm, software), "sw_params")
    return (format, Int(channels))
  }

  func queuedFrames() throws(MonitorTrouble) -> Int? {
    switch unsafe snd_pcm_state(pcm) {
    case SND_PCM_STATE_PREPARED, SND_PCM_STATE_RUNNING: break
    case SND_PCM_STATE_DISCONNECTED: throw .lost(pcm: name)
    default:
      // It has run empty, or the machine was suspended: it begins anew.
      try check(unsafe snd_pcm_prepare(pcm), "prepare")
      return nil
    }
    var delay: snd_pcm_sframes_t = 0
    let result = unsafe snd_pcm_delay(pcm, &delay)
    if result == -EPIPE || result == -ESTRPIPE {
      try check(unsafe snd_pcm_prepare(pcm), "prepare")
      return nil
    }
    try check(result, "delay")
    return max(0, min(Int(delay), PCM.sampleRate))
  }

  @unsafe func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(MonitorTrouble) -> Int {
    let frames = min(frames, Int(PlaybackPCM.bufferFrames))
    unsafe convert(samples, frames)
    let count = unsafe snd_pcm_writei(pcm, converted.baseAddress, UInt(frames))
    switch -count {
    case ...0:
      writtenFrames += count
      return count
    case Int(EAGAIN), Int(EINTR): return 0
    case Int(EPIPE), Int(ESTRPIPE):
      try check(unsafe snd_pcm_prepare(pcm), "prepare")
      return 0
    default: throw .of(Int32(count), call: "write", pcm: name, isOpen: true)
    }
  }

  /// Converts samples to the device's format. Further channels of the device are silent.
  private func convert(_ samples: UnsafePointer<Float>, _ frames: Int) {
    let count = frames * deviceChannels
    func source(_ index: Int) -> Float {
      let (frame, channel) = index.quotientAndRemainder(dividingBy: deviceChannels)
      return channel < channels ? unsafe samples[frame * channels + channel] : 0
    }
    switch CaptureSetup.formats[format].alsa {
    case SND_PCM_FORMAT_FLOAT_LE:
      let out = unsafe converted.bindMemory(to: Float.self)
      for index in 0..<count { unsafe out[index] = source(index) }
    case SND_PCM_FORMAT_S16_LE:
      let out = unsafe converted.bindMemory(to: Int16.self)
      for index in 0..<count { unsafe out[index] = Int16((source(index) * 32_767).rounded()) }
    default:
      let out = unsafe converted.bindMemory(to: Int32.self)
      for index in 0..<count {
        unsafe out[index] = Int32((Double(source(index)) * 2_147_483_647).rounded())
      }
    }
  }

  private func check(_ result: Int32, _ call: String) throws(MonitorTrouble) {
    guard result < 0 else { return }
    throw .of(result, call: call, pcm: name, isOpen: true)
  }
}
