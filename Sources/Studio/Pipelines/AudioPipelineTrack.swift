// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Media
internal import Synchronization

extension AudioPipeline {
  /// A track of the audio pipeline: the samples of one source, with their filters, gain and delay.
  final class Track: @unchecked Sendable {
    let name: String
    /// The chunks of the source. It shares the pipeline's `arrival` signal and has as many channels as the pipeline.
    let queue: PCMQueue
    /// Applied before the gain. Used by the pipeline's thread alone.
    let filters: [any AudioFilter]
    /// Beats with each chunk of the source.
    let source = Pulse()
    /// Sample frames that came too late to be heard.
    let late = Counter()
    private let adjustment: Mutex<Adjustment>

    init(
      name: String, queue: PCMQueue, adjustment: Adjustment = Adjustment(),
      filters: [any AudioFilter] = []
    ) {
      self.name = name
      self.queue = queue
      self.filters = filters
      self.adjustment = Mutex(adjustment)
    }

    /// Changes gain and delay from the next chunk on. A longer delay begins with silence; for a shorter one, samples
    /// are left out.
    func adjust(_ adjustment: Adjustment) { self.adjustment.withLock { $0 = adjustment } }

    var present: Adjustment { adjustment.withLock { $0 } }
  }

  /// The gain and the delay of a track, which can be changed while it is heard. The pipeline's thread takes both at
  /// once.
  struct Adjustment: Sendable, Equatable {
    var gainDB = 0.0
    /// Nanoseconds added to the time of every sample; may be negative.
    var delayNanos: Int64 = 0
  }
}
