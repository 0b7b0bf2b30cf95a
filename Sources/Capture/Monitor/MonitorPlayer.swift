// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc
internal import Media

/// A playback device as the monitor uses it: 48,000 sample frames a second of its own clock, written without waiting.
protocol PlaybackDevice: AnyObject {
  /// The number of channels that `write` takes, 1 or 2.
  var channels: Int { get }
  /// The sample frames that have been written and are not heard yet; `nil` after an interruption, from which the device
  /// has recovered with an empty buffer.
  func queuedFrames() throws(MonitorTrouble) -> Int?
  /// Writes interleaved samples.
  /// - Returns: the sample frames for which there was room.
  @unsafe func write(_ samples: UnsafePointer<Float>, frames: Int) throws(MonitorTrouble) -> Int
}

/// Plays audio on a device whose clock differs from CLOCK_MONOTONIC, so that it is heard a constant time after it was
/// captured: `ClockFollower` compares when samples will be heard with when they should be, and the resampler stretches.
///
/// That time, the delay, follows from the first samples: how long after their capture they have come, and a reserve. It
/// is lengthened where samples come too late again and again. Reads no clock: the times are passed in. Used by one
/// thread.
@safe final class MonitorPlayer<Device: PlaybackDevice> {
  /// What is in the device when samples arrive, in nanoseconds: the time for which this thread may be late.
  private let reserveNanos: Int64
  /// How much longer the delay gets where the device has run empty three times in a minute, in nanoseconds.
  private let stepNanos: Int64 = .milliseconds(10)
  private let maxReserveNanos: Int64 = .milliseconds(80)
  /// Silence of this many sample frames is written where no samples have come.
  private let fillFrames = 240
  /// A hole between two chunks that is longer than this is played as silence, in nanoseconds.
  private let holeNanos: Int64 = .milliseconds(2)

  private let device: Device
  private let inputChannels: Int
  private let resampler: Resampler
  private let output: UnsafeMutableBufferPointer<Float>
  private let silence: [Float]
  /// Samples for which the device had no room, before those that come next. More than `maxWaiting` samples are dropped.
  private var waiting: [Float] = []
  private let maxWaiting: Int
  private var follower = ClockFollower()
  /// The delay from capture to the ear, in nanoseconds; `nil` before the first samples.
  private(set) var delayNanos: Int64?
  private var extraNanos: Int64 = 0
  /// When the samples that have come end, by their own times; `nil` before the first.
  private var end: MediaTime?
  /// Whether silence has been written since the last samples.
  private var isFilled = false
  /// Sample frames that are left out, since they would be heard too late.
  private var owed = 0
  private var emptied: [MediaTime] = []
  /// The factor on the samples' amplitude, and the one that has been reached.
  private var (gain, presentGain): (Float, Float) = (1, 1)

  init(
    _ device: Device, inputChannels: Int, reserveNanos: Int64 = .milliseconds(13)
  ) throws(Resampler.Failure) {
    self.device = device
    self.inputChannels = inputChannels
    self.reserveNanos = reserveNanos
    var layout = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&layout, Int32(inputChannels))
    resampler = try unsafe Resampler(
      rate: Int32(PCM.sampleRate), format: AV_SAMPLE_FMT_FLT, layout: layout,
      outputChannels: device.channels, isAdjustable: true)
    unsafe output = .allocate(capacity: (PCMQueue.chunkFrames + 512) * device.channels)
    unsafe output.initialize(repeating: 0)
    silence = Array(repeating: 0, count: fillFrames * device.channels)
    maxWaiting = PCM.sampleRate / 2 * device.channels
    waiting.reserveCapacity(maxWaiting)
  }

  deinit { unsafe output.deallocate() }

  func set(gain: Float) { self.gain = gain }

  /// The drift of the device's clock in millionths: + for one that is fast. `nil` until it is known.
  var driftPPM: Double? { follower.driftPPM.map { -$0 } }

  /// Plays samples that have just come.
  /// - Parameters:
  ///   - samples: `frames` × `inputChannels`.
  ///   - startsAt: when the first of them was captured.
  @unsafe func play(
    _ samples: UnsafePointer<Float>, frames: Int, startsAt: MediaTime, now: MediaTime
  ) throws(MonitorTrouble) {
    let hole = end.map { startsAt - $0 } ?? .max
    end = startsAt + PCM.nanos(frames: frames)
    let queuedFrames = try queued(now)
    let hasRunEmpty = isFilled || queuedFrames == 0
    isFilled = false
    // Nothing is missing: the samples are late.
    if hasRunEmpty, abs(hole) <= holeNanos { noteEmpty(now) }
    if delayNanos == nil { delayNanos = max(0, now - startsAt) + reserveNanos }
    guard let delay = delayNanos else { return }
    let target = startsAt + delay + extraNanos
    let heard = now + PCM.nanos(frames: queuedFrames) + resampler.delayNanos
    if hasRunEmpty || abs(hole) > holeNanos {
      // After silence: the samples begin when they should be heard.
      follower.restart()
      resampler.stretch(ppm: follower.stretchPPM)
      try move(target - heard)
    } else {
      switch follower.observe(placed: heard, captured: target) {
      case .none: break
      case .stretch(let ppm): resampler.stretch(ppm: ppm)
      case .jump(let nanos): try move(nanos)
      }
    }
    let skipped = min(owed, frames)
    owed -= skipped
    guard frames > skipped else { return }
    let made = unsafe resampler.convert(
      samples + skipped * inputChannels, frames: frames - skipped, into: output,
      outputFrames: output.count / device.channels)
    scale(made)
    guard let start = unsafe output.baseAddress else { return }
    try unsafe write(start, frames: made)
  }

  /// Keeps the device from running empty while no samples come. To be called when `wakeTime` has passed without any.
  func fill(now: MediaTime) throws(MonitorTrouble) {
    guard try queued(now) < fillFrames else { return }
    isFilled = true
    owed = 0
    try writeSilence(fillFrames)
  }

  /// When `fill` has to be called if no samples have come by then.
  func wakeTime(now: MediaTime) throws(MonitorTrouble) -> MediaTime {
    let frames = try framesInDevice()
    // What waits is written while the device is still half full.
    return now + PCM.nanos(frames: waiting.isEmpty ? max(0, frames - fillFrames / 2) : frames / 2)
  }

  /// The sample frames that are not heard yet.
  private func queued(_ now: MediaTime) throws(MonitorTrouble) -> Int {
    let frames = try framesInDevice() + waiting.count / device.channels
    try writeWaiting()
    return frames
  }

  private func framesInDevice() throws(MonitorTrouble) -> Int {
    if let frames = try device.queuedFrames() { return frames }
    // It was interrupted: what waits is late.
    waiting.removeAll(keepingCapacity: true)
    return 0
  }

  /// Lets what follows be heard later by silence, or earlier by leaving samples out.
  private func move(_ nanos: Int64) throws(MonitorTrouble) {
    owed = 0
    if nanos >= 0 {
      try writeSilence(PCM.frames(nanos: min(nanos, .milliseconds(500))))
    } else {
      owed = PCM.frames(nanos: min(-nanos, .seconds(1)))
    }
  }

  private func writeSilence(_ frames: Int) throws(MonitorTrouble) {
    var left = frames
    while left > 0 {
      let count = min(left, fillFrames)
      try unsafe write(silence, frames: count)
      left -= count
    }
  }

  /// Writes samples, behind those that wait. What the device has no room for waits.
  private func write(
    _ samples: UnsafePointer<Float>, frames: Int
  ) throws(MonitorTrouble) {
    try writeWaiting()
    let done = try unsafe waiting.isEmpty ? device.write(samples, frames: frames) : 0
    let rest = unsafe UnsafeBufferPointer(
      start: samples + done * device.channels, count: (frames - done) * device.channels)
    if waiting.count + rest.count <= maxWaiting { unsafe waiting.append(contentsOf: rest) }
  }

  private func writeWaiting() throws(MonitorTrouble) {
    guard !waiting.isEmpty else { return }
    let frames = try unsafe device.write(waiting, frames: waiting.count / device.channels)
    waiting.removeFirst(frames * device.channels)
  }

  /// Notes that the device has run empty, and lengthens the delay after the third time in a minute.
  private func noteEmpty(_ now: MediaTime) {
    emptied.removeAll { now - $0 > .seconds(60) }
    emptied.append(now)
    guard emptied.count >= 3, reserveNanos + extraNanos < maxReserveNanos else { return }
    emptied.removeAll(keepingCapacity: true)
    extraNanos += stepNanos
  }

  /// Applies the gain, which changes over the samples, and limits them to full scale.
  private func scale(_ frames: Int) {
    let channels = device.channels
    let step = (gain - presentGain) / Float(max(1, frames))
    for frame in 0..<frames {
      presentGain += step
      for channel in 0..<channels {
        let index = frame * channels + channel
        unsafe output[index] = max(-1, min(1, output[index] * presentGain))
      }
    }
    presentGain = gain
  }

  /// The delay from capture to the ear that is kept now, in nanoseconds; `nil` before the first samples.
  var heardAfterNanos: Int64? { delayNanos.map { $0 + extraNanos } }
}
