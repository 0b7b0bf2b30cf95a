// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CGuest
internal import Media

/// Puts the blocks of audio of a guest where their times say. Gaps are silence, and the audio fades at their edges.
/// Used by one thread; allocates nothing after its initialiser.
@safe final class GuestSoundMix {
  static let blockFrames = Int(ONAIR_GUEST_BLOCK_FRAMES)
  /// Sample frames of a fade: 5 ms.
  static let fadeFrames = 240
  /// A block that begins so many sample frames before or after the end of the block before follows it without a gap.
  static let joinFrames = 96
  /// A block whose time is further away than this is left out: its time comes from the reader.
  private static let farNanos = UInt64(5_000_000_000)

  /// The last chunk: `PCMQueue.chunkFrames` sample frames.
  var samples: UnsafePointer<Float> { unsafe UnsafePointer(output) }

  private let channels: Int
  /// Stereo, and mono in its first half after `mixDown`.
  private let output: UnsafeMutablePointer<Float>
  /// The samples of one block.
  private let block: UnsafeMutablePointer<Float>
  /// The memory that `next` and `join` are about.
  private var memory: GuestMemory?
  /// The number of the next block.
  private var next: UInt64 = 0
  /// Where the next block begins if it follows the one before without a gap: sample frames after the start of the next
  /// chunk. `nil` if there is no block before.
  private var join: Int?
  /// The last sample frame before the present gap.
  private var lastFrame: (left: Float, right: Float) = (0, 0)
  /// The sample frames since that one, and those that still have to fade in.
  private var (gapFrames, fadeLeft) = (GuestSoundMix.fadeFrames, GuestSoundMix.fadeFrames)

  init(channels: Int) {
    self.channels = channels
    unsafe output = .allocate(capacity: PCMQueue.chunkFrames * 2)
    unsafe output.initialize(repeating: 0, count: PCMQueue.chunkFrames * 2)
    unsafe block = .allocate(capacity: GuestSoundMix.blockFrames * 2)
    unsafe block.initialize(repeating: 0, count: GuestSoundMix.blockFrames * 2)
  }

  deinit {
    unsafe output.deallocate()
    unsafe block.deallocate()
  }

  /// Makes the chunk that begins at `start`. Each chunk begins where the one before has ended, but for a standstill.
  /// - Parameter memory: the memory of the reader that runs; `nil` for silence.
  func fill(from memory: GuestMemory?, at start: MediaTime) {
    if memory !== self.memory { (self.memory, next, join) = (memory, 0, nil) }
    var written = 0
    if let memory {
      // The reader may write any number.
      let newest = min(memory.newestBlock, .max - 1)
      // At the beginning, and when this was late for more blocks than the memory holds.
      if next > newest ? next - newest > 1 : newest - next >= UInt64(ONAIR_GUEST_BLOCKS) {
        next = newest - min(newest, UInt64(ONAIR_GUEST_BLOCKS) - 2)
        join = nil
      }
      while next <= newest {
        guard let found = unsafe memory.copyBlock(next, into: block),
          let offset = offset(of: found.startsAt, from: start)
        else {
          next += 1
          continue
        }
        guard offset < PCMQueue.chunkFrames else { break }
        let end = offset + found.frames
        if end > written {
          fillGap(from: written, to: offset)
          write(from: max(written, offset), to: min(end, PCMQueue.chunkFrames), blockAt: offset)
          written = min(end, PCMQueue.chunkFrames)
        }
        guard end <= PCMQueue.chunkFrames else {
          // The rest belongs to the next chunk.
          join = offset
          break
        }
        join = end
        next += 1
      }
    }
    fillGap(from: written, to: PCMQueue.chunkFrames)
    join = join.map { $0 - PCMQueue.chunkFrames }
    if channels == 1 { mixDown() }
  }

  /// Where a block begins, in sample frames after the start of the chunk; `nil` if that is far away.
  private func offset(of time: MediaTime, from start: MediaTime) -> Int? {
    let (nanos, overflows) = time.nanos.subtractingReportingOverflow(start.nanos)
    guard !overflows, nanos.magnitude < GuestSoundMix.farNanos else { return nil }
    let offset = PCM.frames(nanos: nanos)
    if let join, abs(offset - join) <= GuestSoundMix.joinFrames { return join }
    return offset
  }

  /// Copies sample frames of the block, and lets them fade in after a gap.
  private func write(from first: Int, to end: Int, blockAt offset: Int) {
    for frame in first..<end {
      var share: Float = 1
      if fadeLeft > 0 {
        share = 1 - Float(fadeLeft) / Float(GuestSoundMix.fadeFrames)
        fadeLeft -= 1
      }
      unsafe output[frame * 2] = block[(frame - offset) * 2] * share
      unsafe output[frame * 2 + 1] = block[(frame - offset) * 2 + 1] * share
    }
    guard end > first else { return }
    gapFrames = 0
    lastFrame = unsafe (output[end * 2 - 2], output[end * 2 - 1])
  }

  /// Lets the last sample frame fade out, and writes silence.
  private func fillGap(from first: Int, to end: Int) {
    guard end > first else { return }
    fadeLeft = GuestSoundMix.fadeFrames
    for frame in first..<end {
      gapFrames = min(gapFrames + 1, GuestSoundMix.fadeFrames)
      let share = 1 - Float(gapFrames) / Float(GuestSoundMix.fadeFrames)
      unsafe output[frame * 2] = lastFrame.left * share
      unsafe output[frame * 2 + 1] = lastFrame.right * share
    }
  }

  private func mixDown() {
    for frame in 0..<PCMQueue.chunkFrames {
      unsafe output[frame] = (output[frame * 2] + output[frame * 2 + 1]) / 2
    }
  }
}
