// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Publish
package import Studio
internal import Synchronization

/// Keeps the newest figures, their history, and the totals of broadcasts that have ended. One thread measures, others
/// read.
package final class FigureLog: Sendable {
  private struct State {
    /// Totals of the broadcasts that have ended.
    var past: [String: DestinationTotals] = [:]
    var reading: FigureReading?
    var figures: Figures?
    var history = FigureHistory()
    var room = RoomBytes()
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds what a broadcast has sent that is over.
  package func keep(_ destinations: [DestinationFigures]) {
    state.withLock { state in
      for destination in destinations {
        state.past[destination.name, default: DestinationTotals()].add(destination.counters)
      }
    }
  }

  /// The totals of the present broadcast's destinations, then those of others.
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

  /// Takes the readings of a second.
  package func take(_ reading: FigureReading, isOnAir: Bool) {
    state.withLock { state in
      var reading = reading
      state.room.hide(in: &reading.studio, isOnAir: isOnAir)
      let before = state.reading
      let figures = Figures(reading, since: before)
      let losses = before.map { reading.losses(since: $0) }
      state.history.take(at: reading.at, wallClock: reading.wallClock) {
        figures.value($0, losses: losses)
      }
      state.figures = figures
      state.reading = reading
    }
  }

  /// The newest figures; `nil` before the first.
  package var figures: Figures? { state.withLock { $0.figures } }

  /// The newest reading; `nil` before the first.
  package var reading: FigureReading? { state.withLock { $0.reading } }

  /// A copy of the history.
  package var history: FigureHistory { state.withLock { $0.history } }
}

extension FigureReading {
  /// What viewers missed.
  struct Losses {
    /// Frames and blocks of audio for which this machine was too slow.
    var late: Int
    /// Frames and audio packets for which the link was too slow.
    var network: Int
  }

  fileprivate func losses(since before: FigureReading) -> Losses {
    Losses(
      late: max(0, studio.late - before.studio.late),
      network: max(0, Int(main?.totals.dropped ?? 0) - Int(before.main?.totals.dropped ?? 0)))
  }
}

extension StudioFigures {
  fileprivate var late: Int { video.droppedLate + audio.dropped }
}
