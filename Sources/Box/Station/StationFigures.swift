// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Figures
internal import Publish
internal import Studio
internal import Synchronization

// The figures of the station: measured each second, and read at any time.

extension Station {
  /// Measures the figures of the last second, and reports outages, heat and a weak power supply. To be called once a
  /// second by the thread that calls `supervise`.
  package func measure(_ now: MediaTime) {
    let broadcast = state.withLock { $0.broadcast }
    let destinations = broadcast?.destinationFigures ?? []
    let wallClock = events.wallClock.milliseconds
    var reading = FigureReading(at: now, wallClock: wallClock)
    reading.startedAt = wallClock - (now - startedAt) / 1_000_000
    reading.machine = machine.withLock { $0.read(now) }
    reading.studio = studio.figures()
    reading.encoderSettings = FigureReading.EncoderSettings(settings)
    reading.destinations = figureLog.totals(destinations)
    reading.start = broadcast?.startTimes
    reading.sound = broadcast == nil ? nil : sound(now)
    reading.recording = recordings.figures
    figureLog.add(reading, isOnAir: broadcast != nil)
    if let main = destinations.first { reportOutage(of: main, now) }
    handle(reading.machine.processor, now)
  }

  /// Reports heat and a weak power supply, and tells the studio which share of the processor's present clock rate it
  /// can expect in the next seconds.
  private func handle(_ health: ProcessorHealth, _ now: MediaTime) {
    let (reports, clockShare) = state.withLock {
      ($0.health.check(health, now: now), $0.health.expectedClockShare)
    }
    studio.expect(clockShare: clockShare)
    for report in reports {
      events.report(
        report.code, level: report.cause == nil ? .notice : .warning, cause: report.cause,
        report.sentence)
    }
  }

  /// Reports that the main server has not accepted the stream for long, or that many attempts have failed in a row.
  private func reportOutage(of main: DestinationFigures, _ now: MediaTime) {
    let counters = main.counters
    let attempts = counters.failuresInRow
    let codes = state.withLock {
      $0.outages.check(
        since: counters.outageSince, failures: attempts,
        longAfter: .seconds(Int64($0.settings.publish.outageAlarmSeconds)), now: now)
    }
    let seconds = Int(counters.outageSince.map { (now - $0) / 1_000_000_000 } ?? 0)
    let hasReachedServer = counters.bytesSent > 0
    // Seconds since attempts to reach the server began to fail, including attempts at an earlier address.
    let failing = Int(counters.failingSince.map { (now - $0) / 1_000_000_000 } ?? 0)
    for code in codes {
      let isViewers = code == .outageLong || hasReachedServer
      events.report(
        code, level: .warning, subject: "\(main.target)", destination: main.name,
        cause: main.trouble?.cause.code,
        attempts: code == .reconnectFailing ? attempts : nil, outageSeconds: seconds,
        code.sentence(
          host: main.target.host, attempts: attempts, outageSeconds: isViewers ? seconds : failing,
          hasReachedServer: hasReachedServer, trouble: main.trouble?.sentence())
      ) { $0.hasWorked = main.trouble?.hasWorked == true ? true : nil }
    }
  }

  /// The figures of the last second; `nil` before the first.
  package var figures: Figures? { figureLog.figures }

  /// The figures of the last `seconds` seconds, at most two hours, as JSON for charts.
  package func history(seconds: Int) -> [UInt8] {
    figureLog.history.json(seconds: seconds, wallClock: events.wallClock.milliseconds)
  }

  /// The figures in Prometheus' text format 0.0.4.
  package var metrics: String { MetricsText.of(figureLog.reading) }
}
