// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc
internal import Media

/// An open ALSA capture device: 10 ms periods, interleaved, read without blocking. One thread's.
@safe final class CapturePCM {
  /// What a wait ended with.
  enum Event {
    case ready
    case stopped
    case timedOut
  }

  /// What can be read at an instant.
  struct Reading {
    var frames: Int
    /// When the first of them was caught.
    var caught: MediaTime
  }

  /// Why nothing can be read, when it is no trouble.
  enum Interruption {
    /// Sound was lost since the buffer ran over (EPIPE).
    case overrun
    /// The machine slept (ESTRPIPE).
    case suspended
  }

  /// ALSA's name, with "plug" before it when ALSA converts.
  let name: String
  let setup: CaptureSetup
  /// Sample frames that fit into `samples`.
  let bufferFrames: Int
  /// What `read` fills: `setup.channels` interleaved.
  let samples: UnsafeMutableRawPointer

  private let pcm: OpaquePointer
  private let status: OpaquePointer
  /// ALSA's, and last the waker's.
  private let descriptors: UnsafeMutableBufferPointer<pollfd>

  /// Opens and configures `name`; where the device has none of our formats, ALSA's "plug" of it.
  convenience init(opening name: String, waker: Waker) throws(MicrophoneTrouble) {
    onair_alsa_be_quiet()
    do {
      try self.init(name: name, waker: waker)
    } catch MicrophoneTrouble.noUsableFormat where name.hasPrefix("hw:") {
      // 24 bits in 3 bytes, mostly: common in USB interfaces.
      do throws(MicrophoneTrouble) {
        try self.init(name: "plug" + name, waker: waker)
      } catch {
        throw error.code == "no_usable_format" ? .noUsableFormat(pcm: name) : error
      }
    } catch let trouble {
      throw trouble
    }
  }

  private init(name: String, waker: Waker) throws(MicrophoneTrouble) {
    var opened: OpaquePointer?
    // Without NONBLOCK the kernel waits for a device that another program has open.
    let result = unsafe snd_pcm_open(
      &opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard result >= 0, let pcm = unsafe opened else {
      let trouble = MicrophoneTrouble.of(result, call: "open", pcm: name, open: false)
      throw trouble.code == "missing" && SoundDevices.areForbidden
        ? .forbidden(pcm: name) : trouble
    }
    var room: OpaquePointer?
    unsafe snd_pcm_status_malloc(&room)
    let count = unsafe Int(snd_pcm_poll_descriptors_count(pcm))
    guard let status = unsafe room, count > 0 else {
      unsafe snd_pcm_close(pcm)
      throw .failed(pcm: name, call: "poll_descriptors", errno: ENOMEM)
    }
    do throws(MicrophoneTrouble) {
      setup = try unsafe CaptureSetup(configuring: pcm, name: name)
    } catch {
      unsafe snd_pcm_status_free(status)
      unsafe snd_pcm_close(pcm)
      throw error
    }
    self.name = name
    unsafe self.pcm = pcm
    unsafe self.status = status
    bufferFrames = setup.bufferFrames
    unsafe samples = .allocate(byteCount: bufferFrames * setup.bytesPerFrame, alignment: 64)
    unsafe descriptors = .allocate(capacity: count + 1)
    unsafe descriptors.initialize(repeating: pollfd())
    unsafe snd_pcm_poll_descriptors(pcm, descriptors.baseAddress, UInt32(count))
    unsafe descriptors[count] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
  }

  deinit {
    // Frees what is queued; draining would wait.
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_close(pcm)
    unsafe snd_pcm_status_free(status)
    unsafe descriptors.deallocate()
    unsafe samples.deallocate()
  }

  func start() throws(MicrophoneTrouble) {
    try check(unsafe snd_pcm_start(pcm), "start")
  }

  /// Waits for a period of sound.
  func wait(until deadline: MediaTime) -> Event {
    let count = unsafe descriptors.count
    while true {
      let left = (deadline - MediaTime.now() + 999_999) / 1_000_000
      guard left > 0 else { return .timedOut }
      let ready = unsafe poll(descriptors.baseAddress, nfds_t(count), Int32(clamping: left))
      if ready < 0, errno == EINTR { continue }
      if ready == 0 { return .timedOut }
      if unsafe descriptors[count - 1].revents != 0 { return .stopped }
      var events: UInt16 = 0
      unsafe snd_pcm_poll_descriptors_revents(
        pcm, descriptors.baseAddress, UInt32(count - 1), &events)
      // Errors too are "ready": the status then says which.
      if events != 0 { return .ready }
    }
  }

  /// What can be read now; `nil` with an interruption to recover from.
  func available() throws(MicrophoneTrouble) -> (reading: Reading?, interruption: Interruption?) {
    try check(unsafe snd_pcm_status(pcm, status), "status")
    switch unsafe snd_pcm_status_get_state(status) {
    case SND_PCM_STATE_XRUN: return (nil, .overrun)
    case SND_PCM_STATE_SUSPENDED: return (nil, .suspended)
    case SND_PCM_STATE_DISCONNECTED: throw .lost(pcm: name)
    case SND_PCM_STATE_RUNNING: break
    default: throw .failed(pcm: name, call: "state", errno: EBADFD)
    }
    let available = unsafe Int(snd_pcm_status_get_avail(status))
    // The delay also counts what is caught and not yet in the buffer.
    // A plugin may say anything.
    let told = unsafe min(Int(snd_pcm_status_get_delay(status)), 2 * Int(setup.rate))
    let delay = max(available, told)
    var time = snd_htimestamp_t()
    unsafe snd_pcm_status_get_htstamp(status, &time)
    var stamp = MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    let now = MediaTime.now()
    // Some plugins stamp by another clock, or not at all.
    if now - stamp > .seconds(2) { stamp = now }
    // Nothing was caught after now: what is of a pause must not count as later.
    stamp = min(stamp, now)
    let caught = stamp - Int64(delay) * 1_000_000_000 / Int64(setup.rate)
    return (Reading(frames: min(available, bufferFrames), caught: caught), nil)
  }

  /// Reads into `samples`.
  func read(
    frames: Int
  ) throws(MicrophoneTrouble) -> (frames: Int, interruption: Interruption?) {
    let count = unsafe snd_pcm_readi(pcm, samples, UInt(frames))
    switch -count {
    case ...0: return (count, nil)
    case Int(EAGAIN), Int(EINTR): return (0, nil)
    case Int(EPIPE): return (0, .overrun)
    case Int(ESTRPIPE): return (0, .suspended)
    default: throw .of(Int32(count), call: "read", pcm: name, open: true)
    }
  }

  /// Sets the device going again.
  /// - Returns: `false` while it cannot yet: to be called again.
  func recover(from interruption: Interruption) throws(MicrophoneTrouble) -> Bool {
    if interruption == .suspended {
      let result = unsafe snd_pcm_resume(pcm)
      if result == -EAGAIN { return false }
      if result >= 0 { return true }
      // A device that cannot resume starts afresh.
    }
    try check(unsafe snd_pcm_prepare(pcm), "prepare")
    try start()
    return true
  }

  private func check(_ result: Int32, _ call: String) throws(MicrophoneTrouble) {
    guard result < 0 else { return }
    throw .of(result, call: call, pcm: name, open: true)
  }
}
