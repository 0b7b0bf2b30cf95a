// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media
internal import Synchronization

/// A piece of music as people see it.
struct MusicPiece: Sendable, Equatable {
  /// The file name or the address.
  var name: String
  /// The title that the file, the list or the station states; `nil` if none does.
  var title: String?
  /// Nanoseconds; `nil` if it is not known, as of a station.
  var duration: Int64?
}

/// The decoded music between the thread that decodes and the one that plays: a ring of stereo samples at 48 kHz, with
/// marks where pieces begin.
///
/// If the samples run out, it plays silence until enough have come again. Both fade, so that nothing clicks.
@safe final class MusicBuffer: @unchecked Sendable {
  static let channels = 2
  /// Sample frames of a fade at a gap: 20 ms.
  private static let fadeFrames = 960

  /// What a call of `read` has found.
  enum Outcome: Equatable {
    case sound
    /// The samples have run out; more are expected.
    case gap
    /// All has been played, and no more will come.
    case over
  }

  private struct Mark {
    /// The number of the piece's first sample frame.
    var start: Int
    /// From which sample frame on the mark counts: the title of a station changes in the middle of its piece.
    var since: Int
    var piece: MusicPiece
  }

  private struct State {
    /// The number of the next sample frame to be read, and of the next one to be written.
    var read = 0
    var written = 0
    /// Sample frames from `written` on that still contain the faded end of the last piece.
    var overlap = 0
    var overlapLength = 0
    var marks: [Mark] = []
    var isComplete = false
    /// Sample frames that have to be in hand before music begins, or goes on after a gap.
    var resumeFrames: Int
    /// Whether silence is played until `resumeFrames` have come.
    var isFilling = true
    /// Sample frames of a fade-in that are left.
    var fadeIn = 0
    var gaps = 0
  }

  private let capacity: Int
  private let samples: UnsafeMutablePointer<Float>
  private let state: Mutex<State>

  /// - Parameters:
  ///   - seconds: the length of the ring.
  ///   - resumeNanos: how much has to be in hand before music begins, or goes on after a gap.
  init(seconds: Int, resumeNanos: Int64) {
    capacity = seconds * PCM.sampleRate
    state = Mutex(State(resumeFrames: PCM.frames(nanos: resumeNanos)))
    unsafe samples = .allocate(capacity: capacity * MusicBuffer.channels)
    unsafe samples.initialize(repeating: 0, count: capacity * MusicBuffer.channels)
  }

  deinit { unsafe samples.deallocate() }

  /// Sample frames that have been written and not read.
  var frames: Int { state.withLock { $0.written - $0.read } }
  /// Whether enough is in hand to begin.
  var isReady: Bool {
    state.withLock { $0.isComplete || $0.written - $0.read >= $0.resumeFrames }
  }
  /// Whether all has been played.
  var isOver: Bool { state.withLock { $0.isComplete && $0.written == $0.read } }
  /// How often the samples have run out.
  var gaps: Int { state.withLock { $0.gaps } }
  /// Whether silence is played until more samples have come.
  var isFilling: Bool { state.withLock { $0.isFilling && !$0.isComplete } }

  /// The piece that is heard now, and the nanoseconds since its start; `nil` before the first.
  var present: (piece: MusicPiece, position: Int64)? {
    state.withLock { state in
      state.marks.last { $0.since <= state.read }.map {
        ($0.piece, PCM.nanos(frames: max(0, state.read - $0.start)))
      }
    }
  }

  // MARK: Writing

  /// Sets how much has to be in hand before music begins, or goes on after a gap.
  func wait(for nanos: Int64) { state.withLock { $0.resumeFrames = PCM.frames(nanos: nanos) } }

  /// Notes that the next sample belongs to another piece.
  func begin(_ piece: MusicPiece) {
    state.withLock { state in
      forgetMarks(&state)
      state.marks.append(Mark(start: state.written, since: state.written, piece: piece))
    }
  }

  /// Notes that from the next sample on the piece has another title.
  func change(title: String) {
    state.withLock { state in
      guard var mark = state.marks.last, mark.piece.title != title else { return }
      forgetMarks(&state)
      mark.piece.title = title
      mark.since = state.written
      state.marks.append(mark)
    }
  }

  private func forgetMarks(_ state: inout State) {
    while state.marks.count > 1, state.marks[1].since <= state.read { state.marks.removeFirst() }
    // A station may send a new title with each block.
    if state.marks.count > 64 { state.marks.removeFirst() }
  }

  /// Appends samples.
  /// - Returns: how many sample frames were appended; fewer than `frames` if the ring is full.
  @unsafe func write(_ source: UnsafePointer<Float>, frames: Int, gain: Float = 1) -> Int {
    state.withLock { state in
      let count = min(frames, capacity - (state.written - state.read))
      for frame in 0..<count {
        let place = (state.written + frame) % capacity * MusicBuffer.channels
        if frame < state.overlap {
          let done = state.overlapLength - state.overlap + frame
          let share = sin(Float(done) / Float(state.overlapLength) * .pi / 2) * gain
          unsafe samples[place] += source[frame * 2] * share
          unsafe samples[place + 1] += source[frame * 2 + 1] * share
        } else {
          unsafe samples[place] = source[frame * 2] * gain
          unsafe samples[place + 1] = source[frame * 2 + 1] * gain
        }
      }
      state.written += count
      state.overlap = max(0, state.overlap - count)
      return count
    }
  }

  /// Lets the next piece begin before the end of the present one: its end fades out, and what is written from now on
  /// fades in over it, with equal power.
  /// - Parameter frames: the most sample frames; half a second always stays in hand before them.
  func overlapNext(frames: Int) {
    let (start, count) = state.withLock { state -> (Int, Int) in
      let inHand = state.written - state.read
      let count = min(frames, inHand - PCM.sampleRate / 2)
      guard count > 0, state.overlap == 0 else { return (0, 0) }
      state.written -= count
      (state.overlap, state.overlapLength) = (count, count)
      return (state.written, count)
    }
    // What is not written yet belongs to the writing thread: the reading one does not wait for these cosines.
    for frame in 0..<count {
      let place = (start + frame) % capacity * MusicBuffer.channels
      let share = cos(Float(frame) / Float(count) * .pi / 2)
      unsafe samples[place] *= share
      unsafe samples[place + 1] *= share
    }
  }

  /// Keeps the faded end of the piece before, which a very short piece has not covered completely.
  func endOverlap() {
    state.withLock { state in
      state.written += state.overlap
      state.overlap = 0
    }
  }

  /// Drops the oldest samples, so that `frames` are in hand.
  func drop(keeping frames: Int) {
    state.withLock { state in
      let read = state.written - frames
      guard read > state.read else { return }
      // Blend over the break.
      let blend = min(MusicBuffer.fadeFrames, frames, read - state.read)
      for frame in 0..<blend {
        let share = Float(frame) / Float(blend)
        let old = (state.read + frame) % capacity * MusicBuffer.channels
        let new = (read + frame) % capacity * MusicBuffer.channels
        for channel in 0..<MusicBuffer.channels {
          let value = unsafe samples[new + channel] * share + samples[old + channel] * (1 - share)
          unsafe samples[new + channel] = value
        }
      }
      state.read = read
    }
  }

  /// Notes that no more samples will be written.
  func complete() {
    state.withLock { state in
      state.written += state.overlap
      state.overlap = 0
      state.isComplete = true
    }
  }

  // MARK: Reading

  /// Reads sample frames; silence takes the place of those that are missing.
  @unsafe func read(into target: UnsafeMutablePointer<Float>, frames: Int) -> Outcome {
    state.withLock { state in
      unsafe target.update(repeating: 0, count: frames * MusicBuffer.channels)
      let inHand = state.written - state.read
      if state.isFilling {
        guard state.isComplete || inHand >= state.resumeFrames else { return .gap }
        state.isFilling = false
        state.fadeIn = MusicBuffer.fadeFrames
      }
      if inHand == 0, state.isComplete { return .over }
      let count = min(frames, inHand)
      // The next call would find too little: fade out now.
      let isLast = !state.isComplete && inHand < 2 * frames
      for frame in 0..<count {
        let place = (state.read + frame) % capacity * MusicBuffer.channels
        var share: Float = isLast ? Float(count - frame) / Float(count + 1) : 1
        if state.fadeIn > 0 {
          share *= 1 - Float(state.fadeIn) / Float(MusicBuffer.fadeFrames)
          state.fadeIn -= 1
        }
        unsafe target[frame * 2] = samples[place] * share
        unsafe target[frame * 2 + 1] = samples[place + 1] * share
      }
      state.read += count
      if isLast {
        state.isFilling = true
        state.gaps += 1
      }
      return .sound
    }
  }
}
