// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import FoundationEssentials
import Testing

@testable import Figures

@Suite struct FigureHistoryTests {
  private struct Answer: Decodable {
    var end: String
    var interval: Int
    var columns: [String: [Double?]]
  }

  /// Figures in these seconds: their number is the value of `fps`, and one frame is dropped in each.
  private func history(_ seconds: some Sequence<Int>) -> FigureHistory {
    var history = FigureHistory()
    for second in seconds { take(second, &history) }
    return history
  }

  private func take(_ second: Int, _ history: inout FigureHistory) {
    history.add(
      at: FigureSamples.start + .seconds(Int64(second)),
      wallClock: FigureSamples.wallClock + Int64(second) * 1_000
    ) { column in
      switch column {
      case .fps: Double(second)
      case .dropped, .droppedLate, .droppedNetwork: 1
      default: nil
      }
    }
  }

  private func answer(_ history: FigureHistory, seconds: Int = 7_200) throws -> Answer {
    try JSONDecoder().decode(
      Answer.self,
      from: Data(history.json(seconds: seconds, wallClock: FigureSamples.wallClock)))
  }

  @Test func fiveSecondsGiveOneValue() throws {
    let history = history(0...10)
    #expect(history.count == 2, "the third interval has just begun")
    let answer = try answer(history)
    #expect(answer.interval == 5)
    #expect(answer.end == "2026-01-31T12:00:09.000Z")
    #expect(answer.columns["fps"] == [2, 7])
    for name in ["dropped", "dropped_late", "dropped_network"] {
      #expect(answer.columns[name] == [5, 5])
    }
    #expect(answer.columns["encode_ms"] == [nil, nil])
    #expect(
      Set(answer.columns.keys) == [
        "cpu_percent", "own_cpu_percent", "temperature_c", "memory_mb", "fps", "encoded_kbps",
        "sent_kbps", "target_kbps", "behind_ms", "dropped", "dropped_late",
        "dropped_network", "round_trip_ms", "encode_ms",
      ])
  }

  @Test func anEmptyHistoryEndsNow() throws {
    let answer = try answer(FigureHistory())
    #expect(answer.end == "2026-01-31T12:00:00.000Z")
    #expect(answer.columns.count == 14 && answer.columns.values.allSatisfy(\.isEmpty))
  }

  @Test func theNewestSecondsCanBeAskedFor() throws {
    let history = history(0...100)
    #expect(try answer(history, seconds: 1).columns["fps"] == [97])
    #expect(try answer(history, seconds: 5).columns["fps"] == [97])
    #expect(try answer(history, seconds: 6).columns["fps"] == [92, 97])
    #expect(try answer(history, seconds: 0).columns["fps"] == [97])
  }

  /// The thread that measures was held up for half a minute.
  @Test func aGapIsUnknown() throws {
    let history = history(Array(0...4) + Array(31...40))
    let answer = try answer(history)
    #expect(answer.columns["fps"] == [2, nil, nil, nil, nil, nil, 32.5, 37])
    #expect(answer.end == "2026-01-31T12:00:39.000Z")
  }

  @Test func afterTwoHoursTheOldestValuesGo() throws {
    let longest = 7_200
    var history = history(0..<longest + 23)
    #expect(history.count == 1_440)
    let values = history.values(.fps, seconds: longest)
    #expect(values.count == 1_440)
    #expect(values.first == 22 && values.last == 7_217)
    #expect(zip(values, values.dropFirst()).allSatisfy { ($1 ?? 0) - ($0 ?? 0) == 5 })
    // A whole day without any.
    take(86_400 * 2, &history)
    #expect(history.count == 1_440)
    #expect(history.values(.fps, seconds: longest).allSatisfy { $0 == nil })
  }

  @Test func numbersHaveAtMostTwoDecimals() throws {
    var history = FigureHistory()
    for (second, value) in [(0, 1.0 / 3), (5, -0.125), (10, 1_234_567)] {
      history.add(at: FigureSamples.start + .seconds(Int64(second)), wallClock: 0) { _ in value }
    }
    history.add(at: FigureSamples.start + .seconds(15), wallClock: 0) { _ in nil }
    let text = String(decoding: history.json(seconds: 60, wallClock: 0), as: UTF8.self)
    #expect(text.contains(#""fps":[0.33,-0.13,1234567]"#))
  }

  /// What the columns show of figures.
  @Test func columnsAreTakenFromFigures() {
    let figures = Figures(FigureSamples.reading(7), since: FigureSamples.reading(6))
    let values = FigureHistory.Column.allCases.map {
      figures.value($0, losses: .init(late: 1, network: 2))
    }
    #expect(values == [35, 15.5, 61.3, 76.5, 30, 2_000, 2_040, 2_000, 131, 3, 1, 2, 23.5, 8])
    var stuck = figures
    stuck.destinations[0].queueMs = 900
    #expect(stuck.value(.behindMs, losses: nil) == 900)
    stuck.destinations[0].captureToAcknowledgedMs = nil
    stuck.destinations[0].captureToSentMs = nil
    #expect(stuck.value(.behindMs, losses: nil) == nil, "there is no connection")
    let log = FigureLog()
    for second in 0...10 { log.add(FigureSamples.reading(second), isOnAir: true) }
    // In each second a late frame and two packets; before the first reading nothing is known.
    #expect(log.history.values(.dropped, seconds: 10) == [12, 15])
    #expect(log.history.values(.droppedLate, seconds: 10) == [4, 5])
    #expect(log.history.values(.droppedNetwork, seconds: 10) == [8, 10])
  }
}
