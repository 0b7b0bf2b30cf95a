// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Glibc
internal import Synchronization

/// Records each second how much processor time the program has used, and its encoder's speed if it tells that.
final class Sampler: Companion {
  struct Sample {
    var time: MediaTime
    var processorNanos: Int64
    /// Processor time of this process: the simulated camera and the server.
    var ownNanos: Int64
    var level: Double?
  }

  private struct State {
    var samples: [Sample] = []
    var thread: MediaThread?
  }

  private let state = Mutex(State())
  private let stopping = Atomic(false)
  private let stateFolder: String

  /// - Parameter stateFolder: `state.directory` of the OnAir that is measured.
  init(stateFolder: String) { self.stateFolder = stateFolder }

  var samples: [Sample] { state.withLock { $0.samples } }

  func begin(with child: Child, at begun: MediaTime) {
    let thread = MediaThread(name: "sampler", urgency: .device) { [self] in
      var next = begun
      while !stopping.load(ordering: .relaxed) {
        next.sleepUntil()
        sample(child)
        next = next + .seconds(1)
      }
    }
    state.withLock { $0.thread = thread }
  }

  func end() {
    stopping.store(true, ordering: .relaxed)
    _ = state.withLock { $0.thread }?.join(until: .now() + .seconds(2))
  }

  private func sample(_ child: Child) {
    var own = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own)
    var sample = Sample(
      time: .now(), processorNanos: child.processorNanos,
      ownNanos: MediaTime(seconds: own.tv_sec, nanoseconds: own.tv_nsec).nanos)
    sample.level = EncoderLevel.read(stateFolder: stateFolder)
    state.withLock { $0.samples.append(sample) }
  }
}
