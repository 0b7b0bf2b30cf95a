// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The time series of a measurement as CSV. A cell is empty when there is no value.
enum BudgetSeries {
  static func write(_ run: BudgetRun, folder: String) throws {
    let frames = run.frames.map { frame in
      [
        frame.number.map(String.init) ?? "", cell(frame.captured, 4), cell(frame.delayMs, 3),
        cell(frame.similarity, 6),
      ]
    }
    let seconds = run.seconds.enumerated().map { index, second in
      [
        "\(index)", "\(second.frames)", "\(second.lost)", cell(second.delayMiddleMs, 3),
        cell(second.longestDelayMs, 3), cell(second.similarityDB, 3), cell(second.kbps, 1),
        cell(second.processorPercent, 2), cell(second.level, 3),
      ]
    }
    try write(
      "number,captured_s,delay_ms,ssim", frames, to: "\(folder)/\(run.stem)-frames.csv")
    try write(
      "second,frames,lost,delay_p50_ms,delay_longest_ms,ssim_db,kbps,cpu_percent,level", seconds,
      to: "\(folder)/\(run.stem)-seconds.csv")
  }

  private static func write(_ head: String, _ rows: [[String]], to path: String) throws {
    let lines = [head] + rows.map { $0.joined(separator: ",") }
    guard TextFile.write(lines.joined(separator: "\n") + "\n", to: path) else {
      throw Child.FailedError(description: "cannot write to \(path)")
    }
  }

  private static func cell(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite else { return "" }
    return value.text(decimals)
  }
}
