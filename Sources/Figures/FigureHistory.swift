// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Studio

/// The figures of the last two hours for charts: a value for each five seconds. Its memory grows with time, up to 81
/// kB. Pure: the caller passes the time.
package struct FigureHistory {
  /// The lists that are kept. The names are a contract.
  enum Column: String, CaseIterable {
    case cpuPercent = "cpu_percent"
    case ownCpuPercent = "own_cpu_percent"
    case temperatureC = "temperature_c"
    case memoryMb = "memory_mb"
    case fps
    case encodedKbps = "encoded_kbps"
    case sentKbps = "sent_kbps"
    case targetKbps = "target_kbps"
    case behindMs = "behind_ms"
    /// The sum of the next two.
    case dropped
    case droppedLate = "dropped_late"
    case droppedNetwork = "dropped_network"
    case roundTripMs = "round_trip_ms"
    case encodeMs = "encode_ms"

    /// Whether it counts, and an interval's value is a sum and not a mean.
    var isSum: Bool {
      switch self {
      case .dropped, .droppedLate, .droppedNetwork: true
      default: false
      }
    }
  }

  /// Seconds from value to value.
  static let interval = 5
  /// The most values of a column: two hours.
  static let longest = 1_440

  /// A ring for each column. NaN where nothing was known.
  private var columns = [[Float]](repeating: [], count: Column.allCases.count)
  /// Where the oldest value is.
  private var head = 0
  /// Sums of the present interval, and of how many figures.
  private var sums = [Double](repeating: 0, count: Column.allCases.count)
  private var counts = [Int](repeating: 0, count: Column.allCases.count)
  /// The number of the present interval, counted from the clock's beginning.
  private var present: Int64?
  /// The time of the newest figures, in milliseconds since 1970, and of those of the newest value.
  private var newest: Int64 = 0
  private(set) var end: Int64?

  /// Values that are kept.
  var count: Int { columns[0].count }

  /// Adds figures. Those of an interval give one value when the next one begins: their mean, but the sum of what was
  /// dropped.
  /// - Parameters:
  ///   - value: of a column; `nil` where nothing is known.
  ///   - wallClock: milliseconds since 1970.
  mutating func take(at now: MediaTime, wallClock: Int64, _ value: (Column) -> Double?) {
    let number = now.nanos / .seconds(Int64(FigureHistory.interval))
    if let present, number > present {
      end = newest
      finish()
      // While the supervising thread was held up nothing was measured.
      let missed = number - present - 1
      for _ in 0..<min(missed, Int64(FigureHistory.longest)) { finish() }
      if missed > 0 { end = newest + missed * Int64(FigureHistory.interval) * 1_000 }
    }
    present = number
    newest = wallClock
    for (index, column) in Column.allCases.enumerated() {
      guard let value = value(column) else { continue }
      sums[index] += value
      counts[index] += 1
    }
  }

  private mutating func finish() {
    let isFull = count == FigureHistory.longest
    for (index, column) in Column.allCases.enumerated() {
      let count = counts[index]
      let value =
        count == 0
        ? Float.nan : Float(column.isSum ? sums[index] : sums[index] / Double(count))
      if isFull { columns[index][head] = value } else { columns[index].append(value) }
      (sums[index], counts[index]) = (0, 0)
    }
    if isFull { head = (head + 1) % FigureHistory.longest }
  }

  /// The newest values of a column, the oldest first; `nil` where nothing was known.
  func values(_ column: Column, seconds: Int) -> [Float?] {
    guard let index = Column.allCases.firstIndex(of: column) else { return [] }
    let wanted = (max(1, seconds) - 1) / FigureHistory.interval + 1
    return (max(0, count - wanted)..<count).map { number in
      let value = columns[index][(head + number) % count]
      return value.isNaN ? nil : value
    }
  }

  /// As `GET /api/history` writes them.
  /// - Parameters:
  ///   - seconds: how far to go back.
  ///   - wallClock: the present time in milliseconds since 1970, for a history without values.
  package func json(seconds: Int, wallClock: Int64) -> [UInt8] {
    var text = "{\"end\":\"\(WallClock.text(end ?? wallClock))\","
    text += "\"interval\":\(FigureHistory.interval),\"columns\":{"
    for (index, column) in Column.allCases.enumerated() {
      text += "\(index > 0 ? "," : "")\"\(column.rawValue)\":["
      var isFirst = true
      for value in values(column, seconds: seconds) {
        if !isFirst { text += "," }
        isFirst = false
        text += value.map(FigureHistory.text) ?? "null"
      }
      text += "]"
    }
    return Array((text + "}}").utf8)
  }

  /// A number with at most two decimals.
  private static func text(_ value: Float) -> String {
    let hundredths = Int((Double(value) * 100).rounded())
    return hundredths.isMultiple(of: 100) ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
  }
}

extension Figures {
  /// The value of a column of the history.
  /// - Parameter losses: since the figures before; `nil` if not known.
  func value(_ column: FigureHistory.Column, losses: FigureReading.Losses?) -> Double? {
    let main = destinations.first { $0.name == BroadcastTarget.main }
    return switch column {
    case .cpuPercent: machine.cpuPercent
    case .ownCpuPercent: machine.ownCpuPercent
    case .temperatureC: machine.temperatureC
    case .memoryMb: machine.memoryMb
    case .fps: video?.fps
    case .encodedKbps: video?.kbps ?? audio?.kbps
    case .sentKbps: main?.sentKbps
    case .targetKbps: video.map { Double($0.targetKbps) }
    case .behindMs: main?.behindMs
    case .dropped: losses.map { Double($0.late + $0.network) }
    case .droppedLate: losses.map { Double($0.late) }
    case .droppedNetwork: losses.map { Double($0.network) }
    case .roundTripMs: main?.roundTripMs
    case .encodeMs: video?.encodeMs
    }
  }
}

extension Figures.Destination {
  /// How far the server is behind the capture; `nil` while it does not take the stream.
  fileprivate var behindMs: Double? {
    // When nothing moves any more, the newest packet that has arrived tells nothing. What waits then grows older.
    (captureToAcknowledgedMs ?? captureToSentMs).map { max($0, queueMs ?? 0) }
  }
}
