// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CALSA
internal import Glibc

/// An open ALSA capture device with 10 ms periods, read without blocking. Used by one thread.
@safe final class CapturePCM {
  /// Why a call of `wait` ended.
  enum Event {
    /// Samples can be read, or the device reports an error.
    case ready
    case stopped
    case timedOut
  }

  /// How many samples can be read now, and when they were captured.
  struct Reading {
    /// The number of sample frames that can be read.
    var frames: Int
    /// When the first of these sample frames was captured.
    var captured: MediaTime
  }

  /// A gap in the samples from which the device can recover.
  enum Interruption {
    /// The buffer overran, and samples were lost (EPIPE).
    case overrun
    /// The machine was suspended (ESTRPIPE).
    case suspended
  }

  /// ALSA's name of the device, with the prefix "plug" if ALSA converts its samples.
  let name: String
  /// The hardware parameters that were negotiated with the device.
  let setup: CaptureSetup
  /// The number of sample frames that fit into `samples`.
  let bufferFrames: Int
  /// The buffer that `read` fills, with `setup.channels` interleaved channels.
  let samples: UnsafeMutableRawPointer

  /// The clock for deadlines and capture times.
  private let clock: MediaClock
  /// ALSA's handle of the open device (snd_pcm_t).
  private let pcm: OpaquePointer
  /// The memory into which ALSA writes the device's status (snd_pcm_status_t).
  private let status: OpaquePointer
  /// The descriptors for poll(2): those of ALSA, and after them the worker's waker.
  private let descriptors: UnsafeMutableBufferPointer<pollfd>

  /// Opens and configures the device `name`. If the device supports none of OnAir's sample formats, ALSA's "plug"
  /// converts the samples.
  /// - Parameter worker: the worker on whose thread the device is read. A request to stop this worker ends `wait`.
  convenience init(opening name: String, worker: Worker) throws(MicrophoneTrouble) {
    onair_alsa_be_quiet()
    do {
      try self.init(name: name, worker: worker)
    } catch MicrophoneTrouble.noUsableFormat where name.hasPrefix("hw:") {
      // Let ALSA's "plug" convert the samples, most often those of a USB audio interface with 24 bits in 3 bytes.
      do throws(MicrophoneTrouble) {
        try self.init(name: "plug" + name, worker: worker)
      } catch {
        throw error.code == "no_usable_format" ? .noUsableFormat(pcm: name) : error
      }
    } catch let trouble {
      throw trouble
    }
  }

  private init(name: String, worker: Worker) throws(MicrophoneTrouble) {
    var opened: OpaquePointer?
    // Without NONBLOCK, snd_pcm_open would wait for a device that another program uses.
    let result = unsafe snd_pcm_open(
      &opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
    guard result >= 0, let pcm = unsafe opened else {
      let trouble = MicrophoneTrouble.of(result, call: "open", pcm: name, isOpen: false)
      throw trouble.code == "missing" && AudioDevices.areForbidden
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
    clock = worker.clock
    unsafe self.pcm = pcm
    unsafe self.status = status
    bufferFrames = setup.bufferFrames
    unsafe samples = .allocate(byteCount: bufferFrames * setup.bytesPerFrame, alignment: 64)
    unsafe descriptors = .allocate(capacity: count + 1)
    unsafe descriptors.initialize(repeating: pollfd())
    unsafe snd_pcm_poll_descriptors(pcm, descriptors.baseAddress, UInt32(count))
    unsafe descriptors[count] = pollfd(
      fd: worker.waker.descriptor, events: Int16(POLLIN), revents: 0)
  }

  deinit {
    // Discards the samples in the buffer; draining would block.
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_close(pcm)
    unsafe snd_pcm_status_free(status)
    unsafe descriptors.deallocate()
    unsafe samples.deallocate()
  }

  /// Starts capturing.
  func start() throws(MicrophoneTrouble) {
    try check(unsafe snd_pcm_start(pcm), "start")
  }

  /// Waits until a period of samples can be read, the worker is asked to stop, or `deadline` passes.
  func wait(until deadline: MediaTime) -> Event {
    let count = unsafe descriptors.count
    while true {
      guard clock.now < deadline else { return .timedOut }
      let timeout = clock.pollTimeout(until: deadline)
      let ready = unsafe poll(descriptors.baseAddress, nfds_t(count), timeout)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      if unsafe descriptors[count - 1].revents != 0 { return .stopped }
      var events: UInt16 = 0
      unsafe snd_pcm_poll_descriptors_revents(
        pcm, descriptors.baseAddress, UInt32(count - 1), &events)
      // An error counts as `.ready`: the next call of `available` finds out which error it is.
      if events != 0 { return .ready }
    }
  }

  /// Finds out how many samples can be read now, or from which interruption the device has to recover. One of the two
  /// is `nil`.
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
    // The delay includes samples that are captured but not yet in the buffer. The delay is limited, because ALSA's
    // plugins may report any value.
    let reported = unsafe min(Int(snd_pcm_status_get_delay(status)), 2 * Int(setup.rate))
    let delay = max(available, reported)
    var time = snd_htimestamp_t()
    unsafe snd_pcm_status_get_htstamp(status, &time)
    var stamp = MediaTime(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    let now = clock.now
    // Some of ALSA's plugins use another clock for timestamps, or give no timestamps.
    if now - stamp > .seconds(2) { stamp = now }
    // A capture time cannot be later than now.
    stamp = min(stamp, now)
    let captured = stamp - Int64(delay) * 1_000_000_000 / Int64(setup.rate)
    return (Reading(frames: min(available, bufferFrames), captured: captured), nil)
  }

  /// Reads up to this many sample frames into `samples`.
  /// - Returns: how many were read, and the interruption from which the device has to recover, if there is one.
  func read(
    frames: Int
  ) throws(MicrophoneTrouble) -> (frames: Int, interruption: Interruption?) {
    let count = unsafe snd_pcm_readi(pcm, samples, UInt(frames))
    switch -count {
    case ...0: return (count, nil)
    case Int(EAGAIN), Int(EINTR): return (0, nil)
    case Int(EPIPE): return (0, .overrun)
    case Int(ESTRPIPE): return (0, .suspended)
    default: throw .of(Int32(count), call: "read", pcm: name, isOpen: true)
    }
  }

  /// Restarts the device after an interruption.
  /// - Returns: `false` while the device is not ready: `recover` has to be called again.
  func recover(from interruption: Interruption) throws(MicrophoneTrouble) -> Bool {
    if interruption == .suspended {
      let result = unsafe snd_pcm_resume(pcm)
      if result == -EAGAIN { return false }
      if result >= 0 { return true }
      // A device that cannot resume is restarted.
    }
    try check(unsafe snd_pcm_prepare(pcm), "prepare")
    try start()
    return true
  }

  /// Throws if a call of ALSA has failed.
  /// - Parameters: the result of the call, negative if it has failed; and the name of the call.
  private func check(_ result: Int32, _ call: String) throws(MicrophoneTrouble) {
    guard result < 0 else { return }
    throw .of(result, call: call, pcm: name, isOpen: true)
  }
}
