// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
package import Logging
internal import Synchronization

/// The newest lines of the log, for the page and the diagnostics file.
package final class LogTail: Sendable {
  /// A line of the log, as the API sends it. The names of the fields are part of the API and must not change.
  package struct Line: Encodable, Equatable {
    /// When the line was written: UTC in ISO 8601.
    var time: String
    /// The log level, such as "warning".
    var level: String
    var line: String
  }

  /// How many of the newest lines are kept.
  package static let maxLines = 500

  /// The newest lines, the oldest of them first.
  private let lines = Mutex<[Line]>([])
  /// The clock of the times of lines.
  private let wallClock: WallClock

  package init(wallClock: WallClock = .system) { self.wallClock = wallClock }

  /// Adds a line that is being written to the log.
  package func add(_ level: Logger.Level, _ line: String) {
    let line = Line(
      time: WallClock.text(wallClock.milliseconds), level: level.rawValue, line: line)
    lines.withLock { lines in
      if lines.count == LogTail.maxLines { lines.removeFirst() }
      lines.append(line)
    }
  }

  /// The newest `count` lines, the oldest of them first.
  package func newest(_ count: Int) -> [Line] { lines.withLock { Array($0.suffix(count)) } }
}
