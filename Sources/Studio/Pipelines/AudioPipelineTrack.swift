// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Media
internal import Synchronization

extension AudioPipeline {
  /// The audio of one source, and what is done to it.
  final class Track: @unchecked Sendable {
    let name: String
    /// Has the pipeline's `arrival` and channels.
    let queue: PCMQueue
    /// Used by the thread of the pipeline alone.
    let filters: [any AudioFilter]
    /// Whether the source delivers audio.
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

    /// Changes gain and delay from the next chunk on. A longer delay begins with silence; for a shorter one, samples are
    /// left out.
    func adjust(_ adjustment: Adjustment) { self.adjustment.withLock { $0 = adjustment } }

    var present: Adjustment { adjustment.withLock { $0 } }
  }

  /// What can be changed while a track is heard. The thread takes it as a whole.
  struct Adjustment: Sendable, Equatable {
    var gainDB = 0.0
    /// Added to the time of every sample; may be negative.
    var delayNanos: Int64 = 0
  }
}
