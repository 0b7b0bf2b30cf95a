// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Media

/// Passes the music of a `MusicPlayer` on to an audio pipeline: 20 ms every 20 ms, and silence while there is no music.
/// It never waits for a file or a network.
final class MusicFeed: Source {
  static let chunkFrames = PCMQueue.chunkFrames
  /// After a stall of more than this many nanoseconds, as when the process was stopped, the missed time is skipped.
  private static let maxStallNanos: Int64 = .milliseconds(200)

  private let player: MusicPlayer
  private let queue: PCMQueue
  private let worker: Worker

  init(player: MusicPlayer, queue: PCMQueue) {
    self.player = player
    self.queue = queue
    worker = Worker(name: "music-feed", urgency: .device, clock: player.clock)
  }

  func start() { worker.start { [self] in run() } }

  func requestStop() { worker.requestStop() }

  @discardableResult func stop(by deadline: MediaTime) -> Bool { worker.stop(by: deadline) }

  private func run() {
    player.attach()
    defer { player.detach() }
    let mix = MusicMix(channels: queue.channels)
    var timeline = AudioTimeline(startsAt: worker.clock.now)
    while true {
      let startsAt = timeline.next
      timeline.advance(frames: MusicFeed.chunkFrames)
      guard worker.sleep(until: timeline.next) else { return }
      let wanted = player.wanted
      let outcome = mix.fill(wanted)
      unsafe queue.put(mix.samples, frames: MusicFeed.chunkFrames, startsAt: startsAt)
      if let outcome, let wanted { player.note(outcome, of: wanted) }
      let now = worker.clock.now
      if now - timeline.next > MusicFeed.maxStallNanos {
        timeline = AudioTimeline(startsAt: now)
      }
    }
  }
}

/// Fades from one piece of music to another, and in and out at a pause. Used by one thread; allocates nothing after its
/// initialiser.
@safe final class MusicMix {
  /// Sample frames of a fade: 50 ms.
  static let fadeFrames = 2_400

  /// The last chunk: `MusicFeed.chunkFrames` sample frames.
  var samples: UnsafePointer<Float> { unsafe UnsafePointer(output) }

  private let channels: Int
  private let output: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>
  /// The share of the music that begins, for each sample frame of a fade.
  private let curve: [Float]
  private var sounding: MusicReader?
  /// The music that fades out.
  private var outgoing: MusicReader?
  private var fadeLeft = 0

  init(channels: Int) {
    self.channels = channels
    let frames = MusicFeed.chunkFrames * MusicBuffer.channels
    unsafe output = .allocate(capacity: frames)
    unsafe output.initialize(repeating: 0, count: frames)
    unsafe scratch = .allocate(capacity: frames)
    unsafe scratch.initialize(repeating: 0, count: frames)
    // Equal power: the squares of both shares add up to 1.
    curve = (0...MusicMix.fadeFrames).map {
      sin(Float($0) / Float(MusicMix.fadeFrames) * .pi / 2)
    }
  }

  deinit {
    unsafe output.deallocate()
    unsafe scratch.deallocate()
  }

  /// Makes the next chunk.
  /// - Parameter wanted: the music that is to be heard; `nil` for silence.
  /// - Returns: what was found in the buffer of `wanted`; `nil` if it is not heard yet.
  func fill(_ wanted: MusicReader?) -> MusicBuffer.Outcome? {
    if fadeLeft == 0, wanted !== sounding {
      let mayWait = wanted.map { !$0.buffer.isReady } ?? false
      // The music before plays on until the next is ready.
      if !mayWait || sounding?.buffer.isFilling ?? true {
        outgoing = sounding
        sounding = wanted
        fadeLeft = MusicMix.fadeFrames
      }
    }
    let frames = MusicFeed.chunkFrames
    let before = fadeLeft
    unsafe output.update(repeating: 0, count: frames * MusicBuffer.channels)
    var outcome: MusicBuffer.Outcome?
    if let outgoing {
      _ = unsafe outgoing.buffer.read(into: scratch, frames: frames)
      add { before > $0 ? curve[before - $0] : 0 }
    }
    if let sounding {
      let found = unsafe sounding.buffer.read(into: scratch, frames: frames)
      if sounding === wanted { outcome = found }
      add { before > $0 ? curve[MusicMix.fadeFrames - (before - $0)] : 1 }
    }
    fadeLeft = max(0, before - frames)
    if fadeLeft == 0 { outgoing = nil }
    if channels == 1 { mixDown() }
    return outcome
  }

  private func add(_ share: (Int) -> Float) {
    for frame in 0..<MusicFeed.chunkFrames {
      let share = share(frame)
      unsafe output[frame * 2] += scratch[frame * 2] * share
      unsafe output[frame * 2 + 1] += scratch[frame * 2 + 1] * share
    }
  }

  private func mixDown() {
    for frame in 0..<MusicFeed.chunkFrames {
      unsafe output[frame] = (output[frame * 2] + output[frame * 2 + 1]) / 2
    }
  }
}
