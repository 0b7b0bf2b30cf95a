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
    /// The source's chunks that wait for the pipeline. The queue shares the pipeline's `arrival` signal, and has the
    /// same number of channels as the pipeline.
    let queue: PCMQueue
    /// The filters, applied in this order and before the gain. Used only by the pipeline's thread.
    let filters: [any AudioFilter]
    /// Beats with each chunk from the source, and thereby shows whether the source still delivers.
    let sourcePulse = Pulse()
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

    /// Changes gain and delay from the next chunk on. To lengthen the delay, silence is inserted; to shorten it,
    /// samples are dropped.
    func adjust(_ adjustment: Adjustment) { self.adjustment.withLock { $0 = adjustment } }

    /// The present gain and delay.
    var present: Adjustment { adjustment.withLock { $0 } }
  }

  /// The gain and the delay of a track, which can be changed while the track is heard. The pipeline's thread applies
  /// both together.
  struct Adjustment: Sendable, Equatable {
    var gainDB = 0.0
    /// Nanoseconds added to the time of every sample; may be negative.
    var delayNanos: Int64 = 0
  }
}
