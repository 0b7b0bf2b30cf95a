// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
package import Studio
internal import Synchronization

/// A store of the newest figures, their history, and the totals of earlier broadcasts. One thread measures and calls
/// `add`; other threads read.
package final class FigureLog: Sendable {
  /// The stored figures, which a mutex protects.
  private struct State {
    /// The totals of earlier broadcasts, and of the present one until its last restart, by the name of the destination.
    var past: [String: DestinationTotals] = [:]
    var reading: FigureReading?
    var figures: Figures?
    var history = FigureHistory()
    var privacy = OffAirPrivacy()
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds the counters of a broadcast to the totals, when the broadcast has ended or is restarted.
  /// - Parameter destinations: the final figures of the broadcast's destinations.
  package func addToTotals(_ destinations: [DestinationFigures]) {
    state.withLock { state in
      for destination in destinations {
        state.past[destination.name, default: DestinationTotals()].add(destination.counters)
      }
    }
  }

  /// The counters of all destinations since the start of the program: those of the present broadcast first, then the
  /// others by name.
  /// - Parameter present: the figures of the present broadcast's destinations; empty off air.
  package func totals(_ present: [DestinationFigures]) -> [FigureReading.Destination] {
    let past = state.withLock { $0.past }
    let names =
      present.map(\.name)
      + past.keys.filter { name in !present.contains { $0.name == name } }.sorted()
    return names.map { name in
      var destination = FigureReading.Destination(name: name)
      destination.totals = past[name] ?? DestinationTotals()
      destination.present = present.first { $0.name == name }?.counters
      if let counters = destination.present { destination.totals.add(counters) }
      return destination
    }
  }

  /// Adds a new reading: derives the figures from it, and adds them to the history. Called once a second.
  package func add(_ reading: FigureReading, isOnAir: Bool) {
    state.withLock { state in
      var reading = reading
      state.privacy.hide(in: &reading.studio, isOnAir: isOnAir)
      let before = state.reading
      let figures = Figures(reading, since: before)
      let losses = before.map { reading.losses(since: $0) }
      state.history.add(at: reading.at, wallClock: reading.wallClock) {
        figures.value($0, losses: losses)
      }
      state.figures = figures
      state.reading = reading
    }
  }

  /// The newest figures; `nil` before the first call of `add`.
  package var figures: Figures? { state.withLock { $0.figures } }

  /// The newest reading; `nil` before the first call of `add`.
  package var reading: FigureReading? { state.withLock { $0.reading } }

  /// A copy of the figures' history.
  package var history: FigureHistory { state.withLock { $0.history } }
}

extension FigureReading {
  /// The frames and the audio that were dropped between two readings, so that viewers missed them.
  struct Losses {
    /// Video frames and audio blocks dropped because this machine was too slow.
    var late: Int
    /// Video and audio packets to the main destination dropped because the link was too slow.
    var network: Int
  }

  /// The frames and the audio that were dropped since the earlier reading `before`.
  fileprivate func losses(since before: FigureReading) -> Losses {
    Losses(
      late: max(0, studio.late - before.studio.late),
      network: max(0, Int(main?.totals.dropped ?? 0) - Int(before.main?.totals.dropped ?? 0)))
  }
}

extension StudioFigures {
  /// Video frames and audio blocks dropped because this machine was too slow.
  fileprivate var late: Int { video.droppedLate + audio.dropped }
}
