// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Media

/// Decodes a guest's audio, resamples it to 48 kHz stereo, and stretches it so that it follows the timeline. Used by
/// one thread.
@safe final class GuestSound {
  /// How long before it is heard audio is delivered, in nanoseconds, if it has come in time.
  static let leadNanos: Int64 = .milliseconds(80)
  /// Audio that is this many nanoseconds late is dropped.
  static let maxLateNanos: Int64 = .milliseconds(20)
  /// A timestamp that differs by more than this many nanoseconds is not followed by stretching: there is a gap, or
  /// samples are dropped.
  static let toleranceNanos: Int64 = .milliseconds(40)
  /// Nor is a jump of the timeline by more than this many nanoseconds.
  static let jumpNanos: Int64 = .milliseconds(10)
  /// The most sample frames of a block.
  private static let blockFrames = 480
  /// The fraction of a difference from the timeline that is corrected in a second, and the largest correction.
  private static let correctionRate = 0.3
  private static let correctionLimit = 0.005
  /// The share of each new difference in the mean of the last ones, since timestamps are rounded.
  private static let newShare = 0.1

  private let buffer: GuestBuffer
  private let output: any GuestOutput
  private let clock: MediaClock
  /// Called with the sample rate and the number of channels, when they are known or change.
  private let note: (_ rate: Int, _ channels: Int) -> Void
  private var format = (rate: 0, channels: 0)
  private let resampler = FileResampler(channels: 2, isAdjustable: true)
  private var decoder: GuestDecoder?
  /// The mean difference of the timeline from the placed audio, in seconds.
  private var difference = 0.0
  /// The time of the next frame if it has no timestamp of its own; `nil` before the first frame.
  private var nextTime: Int64?
  /// The jumps of the timeline that were followed, in nanoseconds.
  private var followed: Int64 = 0
  /// The end of what was delivered.
  private var end = MediaTime.distantPast
  /// The number of frames that were decoded.
  private(set) var decodedFrames = 0

  init(
    _ buffer: GuestBuffer, output: any GuestOutput, clock: MediaClock,
    note: @escaping (_ rate: Int, _ channels: Int) -> Void
  ) {
    self.note = note
    self.buffer = buffer
    self.output = output
    self.clock = clock
  }

  /// Does the next piece of work: decodes one packet.
  /// - Returns: when there is more to do; `.distantFuture` if a packet has to come first.
  func step() -> MediaTime {
    let now = clock.now
    guard let item = buffer.take(.audio, now: now, lead: GuestSound.leadNanos) else {
      return buffer.nextDue(.audio).map { $0 - GuestSound.leadNanos } ?? .distantFuture
    }
    switch item {
    case .track(let track):
      put(resampler.drain())
      decoder = GuestDecoder(track)
      nextTime = nil
    case .packet(let packet):
      guard output.wants.sound else {
        resampler.reset()
        nextTime = nil
        break
      }
      decoder?.send(packet)
      if packet.isStamped { nextTime = nil }
      // Of several frames in a packet, or packets in a piece of MPEG-TS, the first alone may have a timestamp.
      while let decoder, decoder.receive() {
        let time = nextTime ?? decoder.time ?? packet.time
        play(decoder, at: time)
        nextTime = unsafe time + GuestSound.duration(decoder.frame)
      }
    }
    return now
  }

  private static func duration(_ frame: UnsafePointer<AVFrame>) -> Int64 {
    let rate = unsafe Int64(max(1, frame.pointee.sample_rate))
    return unsafe Int64(frame.pointee.nb_samples) * 1_000_000_000 / rate
  }

  /// Delivers a decoded frame.
  private func play(_ decoder: GuestDecoder, at time: Int64) {
    let frame = unsafe decoder.frame
    guard unsafe MediaFile.sampleRates.contains(frame.pointee.sample_rate) else { return }
    decodedFrames += 1
    let found = unsafe (
      rate: Int(frame.pointee.sample_rate), channels: Int(frame.pointee.ch_layout.nb_channels)
    )
    if found != format {
      format = found
      note(found.rate, found.channels)
    }
    let due = buffer.due(time)
    guard clock.now - due <= GuestSound.maxLateNanos else { return resampler.reset() }
    let (rate, jumped) = buffer.advance(to: clock.now)
    let isApart = unsafe resampler.mustRestart(
      at: due, for: frame, tolerance: GuestSound.toleranceNanos)
    if isApart || abs(jumped - followed) > GuestSound.jumpNanos {
      followed = jumped
      put(resampler.drain())
    }
    if let next = resampler.next {
      difference += (Double(due - next) / 1e9 - difference) * GuestSound.newShare
    } else {
      difference = 0
    }
    guard let audio = unsafe try? resampler.convert(frame, due: due) else { return }
    put(audio)
    let limit = GuestSound.correctionLimit
    let correction = max(-limit, min(limit, difference * GuestSound.correctionRate))
    resampler.stretch(ppm: (rate + correction) * 1e6)
  }

  /// Delivers samples in blocks, without those that overlap with what was delivered.
  private func put(_ audio: FileResampler.Audio) {
    guard let samples = unsafe audio.samples, audio.frames > 0 else { return }
    var timeline = AudioTimeline(startsAt: audio.startsAt)
    // An overlap of up to 1 µs is a rounding error.
    let overlap = end - audio.startsAt
    var done =
      overlap > 1000 ? min(audio.frames, PCM.frames(nanos: min(overlap, .seconds(10))) + 1) : 0
    timeline.advance(frames: done)
    while done < audio.frames {
      let count = min(GuestSound.blockFrames, audio.frames - done)
      unsafe output.put(samples + done * 2, frames: count, startsAt: timeline.next)
      done += count
      timeline.advance(frames: count)
    }
    end = max(end, timeline.next)
  }
}
