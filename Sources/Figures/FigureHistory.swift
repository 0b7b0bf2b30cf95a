// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Studio

/// The figures of the last two hours for the page's charts: one value per column for every five seconds. The memory
/// grows with the running time, up to 81 kB.
///
/// Reads no clock and does no I/O: the time is passed in.
package struct FigureHistory {
  /// The figures that are kept, each as a column of values. Clients rely on the raw values, so they must not change.
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
    /// The sum of `droppedLate` and `droppedNetwork`.
    case dropped
    /// The number of video frames and audio blocks dropped because this machine was too slow.
    case droppedLate = "dropped_late"
    /// The number of packets to the main destination dropped because the link was too slow.
    case droppedNetwork = "dropped_network"
    case roundTripMs = "round_trip_ms"
    case encodeMs = "encode_ms"

    /// Whether the value of an interval is the sum of the figures in it; otherwise it is their mean.
    var isSum: Bool {
      switch self {
      case .dropped, .droppedLate, .droppedNetwork: true
      default: false
      }
    }
  }

  /// The length of the interval for which one value is kept, in seconds.
  static let interval = 5
  /// The most values in a column: those of two hours.
  static let maxCount = 1_440

  /// The values of each column as a ring buffer. NaN stands for an interval without a figure.
  private var columns = [[Float]](repeating: [], count: Column.allCases.count)
  /// The index of the oldest value in each ring, once the rings are full; 0 before that.
  private var head = 0
  /// The sum of the figures in the present interval, for each column.
  private var sums = [Double](repeating: 0, count: Column.allCases.count)
  /// The number of figures in the present interval, for each column.
  private var counts = [Int](repeating: 0, count: Column.allCases.count)
  /// The number of the present interval: the `MediaTime` of its figures divided by the interval's length. `nil` before
  /// the first figures.
  private var presentInterval: Int64?
  /// The time of the newest figures, in milliseconds since 1970.
  private var newestAt: Int64 = 0
  /// The end of the newest complete interval, in milliseconds since 1970; `nil` before the first one.
  private(set) var end: Int64?

  /// The number of values in each column.
  var count: Int { columns[0].count }

  /// Adds the figures of one moment. When the next interval begins, the figures of the present one become a value:
  /// their mean, or their sum for a column with `isSum`.
  /// - Parameters:
  ///   - value: returns the figure of a column; `nil` if it is not known.
  ///   - wallClock: the same moment in milliseconds since 1970.
  mutating func add(at now: MediaTime, wallClock: Int64, _ value: (Column) -> Double?) {
    let number = now.nanos / .seconds(Int64(FigureHistory.interval))
    if let presentInterval, number > presentInterval {
      end = newestAt
      finish()
      // Add an unknown value for each interval without figures, in which the measuring thread was held up.
      let missed = number - presentInterval - 1
      for _ in 0..<min(missed, Int64(FigureHistory.maxCount)) { finish() }
      if missed > 0 { end = newestAt + missed * Int64(FigureHistory.interval) * 1_000 }
    }
    presentInterval = number
    newestAt = wallClock
    for (index, column) in Column.allCases.enumerated() {
      guard let value = value(column) else { continue }
      sums[index] += value
      counts[index] += 1
    }
  }

  /// Ends the present interval: adds its value to each column.
  private mutating func finish() {
    let isFull = count == FigureHistory.maxCount
    for (index, column) in Column.allCases.enumerated() {
      let count = counts[index]
      let value =
        count == 0
        ? Float.nan : Float(column.isSum ? sums[index] : sums[index] / Double(count))
      if isFull { columns[index][head] = value } else { columns[index].append(value) }
      (sums[index], counts[index]) = (0, 0)
    }
    if isFull { head = (head + 1) % FigureHistory.maxCount }
  }

  /// The values of a column for the last `seconds`, from the oldest to the newest; `nil` for an interval without a
  /// figure.
  func values(_ column: Column, seconds: Int) -> [Float?] {
    guard let index = Column.allCases.firstIndex(of: column) else { return [] }
    let wanted = (max(1, seconds) - 1) / FigureHistory.interval + 1
    return (max(0, count - wanted)..<count).map { number in
      let value = columns[index][(head + number) % count]
      return value.isNaN ? nil : value
    }
  }

  /// The history as JSON: the answer to `GET /api/history`.
  /// - Parameters:
  ///   - seconds: the length of the time span, which ends with the newest value.
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

  /// A number as text with at most two decimals.
  private static func text(_ value: Float) -> String {
    let hundredths = Int((Double(value) * 100).rounded())
    return hundredths.isMultiple(of: 100) ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
  }
}

extension Figures {
  /// The figure of this second for a column of the history; `nil` if it is not known.
  /// - Parameter losses: the losses since the previous reading; `nil` at the first reading.
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
  /// The time from the capture of a frame to its arrival at the server or, if longer, the time for which the oldest
  /// queued packet has waited, in milliseconds; `nil` while the server does not accept the stream.
  fileprivate var behindMs: Double? {
    // When the connection stalls, no further packet arrives and the measured times stay as they are. The age of the
    // oldest queued packet then shows the growing delay.
    (captureToAcknowledgedMs ?? captureToSentMs).map { max($0, queueMs ?? 0) }
  }
}
