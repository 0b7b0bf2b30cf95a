// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Foundation
internal import Synchronization

/// Plays voices in a loop into named pipes, each at the pace of a sound card of its own, for a program that reads
/// them in place of microphones.
final class SoundFeed: Sendable {
  /// How much faster than the clock each card is, in millionths.
  private static let driftPPM = [120.0, -80, 40, -150]
  private static let frameBytes = 4
  private static let rate = 48_000
  /// Sample frames that a card delivers at once: 10 ms.
  private static let chunkFrames = 480

  private let stopping = Atomic(false)
  private let threads = Mutex<[MediaThread]>([])

  /// - Parameter pipes: the paths of the pipes, which are made, with those of the voices: 16 bits, stereo.
  init(_ pipes: [(pipe: String, voice: String)]) throws {
    for (index, (pipe, voice)) in pipes.enumerated() {
      unsafe unlink(pipe)
      guard unsafe mkfifo(pipe, 0o600) == 0 else {
        throw Child.FailedError(description: "cannot make \(pipe)")
      }
      let samples = try Data(contentsOf: URL(filePath: voice))
      let drift = SoundFeed.driftPPM[index % SoundFeed.driftPPM.count]
      let thread = MediaThread(name: "feed", urgency: .device) { [self] in
        play(samples, into: pipe, framesPerNano: Double(SoundFeed.rate) / 1e9 * (1 + drift / 1e6))
      }
      threads.withLock { $0.append(thread) }
    }
  }

  /// Ends the threads. The program must have ended before, as a full pipe would hold them.
  func stop() {
    stopping.store(true, ordering: .relaxed)
    for thread in threads.withLock({ $0 }) { _ = thread.join(until: .now() + .seconds(2)) }
  }

  private var isStopping: Bool { stopping.load(ordering: .relaxed) }

  private func play(_ samples: Data, into path: String, framesPerNano: Double) {
    // Without a reader, a pipe does not open for writing.
    var pipe: Int32 = -1
    while pipe < 0, !isStopping {
      pipe = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if pipe < 0 { usleep(5_000) }
    }
    guard pipe >= 0 else { return }
    defer { close(pipe) }
    _ = fcntl(pipe, F_SETFL, 0)
    let bytes = SoundFeed.chunkFrames * SoundFeed.frameBytes
    let begun = MediaTime.now()
    var chunk = 0
    while !isStopping {
      let first = chunk * bytes % (samples.count / bytes * bytes)
      guard
        unsafe samples.withUnsafeBytes({
          unsafe Feeder.write(
            UnsafeRawBufferPointer(rebasing: $0[first..<first + bytes]), to: pipe)
        })
      else { return }
      chunk += 1
      (begun + Int64(Double(chunk * SoundFeed.chunkFrames) / framesPerNano)).sleepUntil()
    }
  }
}
