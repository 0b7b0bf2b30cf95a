// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Audio
internal import Base
internal import Media
internal import Synchronization

extension AudioPipeline {
  /// A track of the audio pipeline: the samples of one source, with their filters, gain and delay.
  final class Track: @unchecked Sendable {
    /// What is measured of a track.
    struct Reading: Sendable, Equatable {
      var alarms: AudioAlarmSet = []
      var hum: Hum?
    }

    let name: String
    /// The source's chunks that wait for the pipeline. The queue shares the pipeline's `arrival` signal, and has the
    /// same number of channels as the pipeline.
    let queue: PCMQueue
    let role: AudioTrack.Role
    /// Beats with each chunk from the source, and thereby shows whether the source still delivers.
    let sourcePulse = Pulse()
    /// Sample frames that came too late to be heard.
    let late = Counter()
    /// The level of the track in the programme, with its filters and its gain.
    let levels = LevelMeter()
    /// Watches the samples as the source delivers them. Used only by the pipeline's thread.
    let alarms: AudioAlarms
    private let adjustment: Mutex<Adjustment>
    /// The track whose gain, delay and filters this one has, too; `nil` for its own.
    private let original: Mutex<Track?>
    private let lastReading = Mutex(Reading())
    /// Whether the next chunk is of another source.
    private let hasOtherSource = Atomic(false)

    init(
      name: String, queue: PCMQueue, adjustment: Adjustment = Adjustment(),
      role: AudioTrack.Role = .other
    ) {
      self.name = name
      self.queue = queue
      self.role = role
      original = Mutex(nil)
      self.adjustment = Mutex(adjustment)
      alarms = AudioAlarms(channels: queue.channels)
      alarms.silenceSeconds = Double(adjustment.silenceSeconds)
    }

    /// A track with the gain, the delay and the filters that another one has now and will have.
    /// - Parameter queue: gets copies of the other's chunks.
    init(copyOf original: Track, queue: PCMQueue, role: AudioTrack.Role = .other) {
      name = original.name
      self.queue = queue
      self.role = role
      self.original = Mutex(original)
      adjustment = Mutex(Adjustment())
      alarms = AudioAlarms(channels: queue.channels)
    }

    /// Changes gain, delay and filters from the next chunk on. To lengthen the delay, silence is inserted; to shorten
    /// it, samples are dropped.
    func adjust(_ adjustment: Adjustment) { self.adjustment.withLock { $0 = adjustment } }

    /// The present gain, delay and filters.
    var present: Adjustment {
      original.withLock { $0 }?.present ?? adjustment.withLock { $0 }
    }

    /// Has the gain, the delay and the filters of another track from now on.
    func follow(_ other: Track) { original.withLock { $0 = other } }

    /// The alarms and the hum of the source's samples.
    var reading: Reading { lastReading.withLock { $0 } }

    /// Forgets what was measured, because another source begins.
    func beginSource() {
      hasOtherSource.store(true, ordering: .relaxed)
      lastReading.withLock { $0 = Reading() }
    }

    /// Watches a chunk as the source has delivered it.
    func watch(_ samples: UnsafePointer<Float>, frames: Int) {
      if hasOtherSource.exchange(false, ordering: .relaxed) { alarms.reset() }
      guard unsafe alarms.note(samples, frames: frames) else { return }
      lastReading.withLock { $0 = Reading(alarms: alarms.raised, hum: alarms.hum) }
    }
  }

  /// What is asked of the sum of the tracks.
  struct SumAdjustment: Sendable, Equatable {
    /// By how many decibels music is lowered while somebody speaks.
    var duckDB = Ducking().depthDB
    /// The loudness to which the sum is slowly brought; `nil` for none.
    var targetLUFS: Int?
  }

  /// The gain, the delay and the filters of a track, which can be changed while the track is heard. The pipeline's
  /// thread applies all of them together.
  struct Adjustment: Sendable, Equatable {
    var gain = TrackGain()
    /// Nanoseconds added to the time of every sample; may be negative.
    var delayNanos: Int64 = 0
    /// The filters, applied in this order and before the gain.
    var filters: [AudioFilterPlan] = []
    /// Where a filter that removes hum comes among `filters`, once hum is found; `nil` if hum is not to be removed.
    var humFilterIndex: Int?
    /// How many seconds of silence are an alarm; 0 for never.
    var silenceSeconds = 10

    /// The filters, with one that removes hum if there is any.
    func filters(removing hum: Hum?) -> [AudioFilterPlan] {
      guard let hum, let humFilterIndex else { return filters }
      var plans = filters
      plans.insert(.humFilter(hertz: hum.tones), at: humFilterIndex)
      return plans
    }
  }
}
