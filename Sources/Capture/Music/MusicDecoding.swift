// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CFFmpeg
internal import Glibc
internal import Media

// How the thread of a `MusicReader` decodes a piece.

extension MusicReading {
  /// Decodes a piece into the buffer.
  /// - Parameters:
  ///   - isStation: whether the source gives the pace: its clock is followed, and what is too much is dropped.
  ///   - note: called with the number of sample frames of the piece so far.
  func decode(
    _ file: MediaFile, _ piece: MusicPiece, isStation: Bool, note: (Int) -> Void
  ) -> End {
    let resampler = FileResampler(channels: MusicBuffer.channels, isAdjustable: isStation)
    var pace = StationPace()
    let gain = MusicReading.gain(of: file)
    var frames = 0
    var hasBegun = false
    while case .frame(let time) = file.next() {
      if worker.isStopping { return .stopped }
      let due = MediaTime(nanos: time)
      if unsafe resampler.mustRestart(at: due, for: file.frame) {
        guard write(resampler.drain(), gain, isStation, &frames) else { return .stopped }
      }
      guard let audio = unsafe try? resampler.convert(file.frame, due: due) else {
        return .failed(.notMusic(of: piece.name))
      }
      if !hasBegun {
        hasBegun = true
        begin(piece)
        if isStation { pace = StationPace(now: worker.clock.now, inHand: reader.buffer.frames) }
      }
      if isStation,
        let ppm = pace.observe(inHand: reader.buffer.frames, now: worker.clock.now)
      {
        resampler.stretch(ppm: ppm)
      }
      let before = frames
      guard write(audio, gain, isStation, &frames) else { return .stopped }
      note(frames)
      noteSound(PCM.nanos(frames: frames - before))
    }
    if worker.isStopping { return .stopped }
    guard write(resampler.drain(), gain, isStation, &frames) else { return .stopped }
    reader.buffer.endOverlap()
    guard hasBegun else {
      return .failed(
        file.isStream
          ? .notMusic(of: piece.name)
          : .file(.broken(path: piece.name, what: MediaFile.Kind.audio.word)))
    }
    last = isStation ? nil : (piece.name, frames)
    return .finished
  }

  private func begin(_ piece: MusicPiece) {
    // A piece that is repeated is heard to its end.
    if let last, last.name != piece.name {
      let length = piece.duration.map { PCM.frames(nanos: $0) } ?? MusicReader.crossFadeFrames * 2
      reader.buffer.overlapNext(
        frames: min(MusicReader.crossFadeFrames, last.frames / 2, length / 2))
    }
    last = nil
    reader.buffer.begin(piece)
  }

  private func noteSound(_ nanos: Int64) {
    hasSound = true
    turnNanos += nanos
    backoff.noteSound(nanos)
    reader.trouble.withLock { if $0 != nil { $0 = nil } }
  }

  /// Writes samples into the buffer. Waits for room if the pace is OnAir's, and drops the oldest if it is the
  /// station's.
  /// - Returns: `false` if the reader is stopped.
  private func write(
    _ audio: FileResampler.Audio, _ gain: Float, _ isStation: Bool, _ frames: inout Int
  ) -> Bool {
    guard let samples = unsafe audio.samples else { return true }
    let most = MusicReader.maxSecondsInHand * PCM.sampleRate
    var done = 0
    while done < audio.frames {
      let inHand = reader.buffer.frames
      if inHand >= most {
        if isStation {
          reader.buffer.drop(keeping: PCM.frames(nanos: MusicReader.stationInHand))
        } else {
          let full = PCM.nanos(frames: inHand - most) + .milliseconds(100)
          guard worker.sleep(until: worker.clock.now + full) else { return false }
          continue
        }
      }
      done += unsafe reader.buffer.write(
        samples + done * MusicBuffer.channels,
        frames: min(audio.frames - done, PCM.sampleRate), gain: gain)
    }
    frames += audio.frames
    return true
  }

  /// The gain that the tags of a file ask for (ReplayGain 2, or RFC 7845, section 5.2.1), as a factor; 1 without tags.
  private static func gain(of file: MediaFile) -> Float {
    var decibels = 0.0
    if let text = file.tag("REPLAYGAIN_TRACK_GAIN"), let value = number(text) {
      decibels = value
    } else if let text = file.tag("R128_TRACK_GAIN"), let value = number(text) {
      // In steps of 1/256 dB, towards -23 LUFS instead of ReplayGain's -18.
      decibels = value / 256 + 5
    }
    return Float(pow(10, max(-20, min(12, decibels)) / 20))
  }

  private static func number(_ text: String) -> Double? {
    Double(text.drop { $0 == " " || $0 == "+" }.prefix { "-0123456789.".contains($0) })
  }
}
