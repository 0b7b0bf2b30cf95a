// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Control
internal import Events
internal import Glibc
public import Logging
public import Settings
internal import Synchronization

/// Applies a changed `log.level` to the log.
struct LogLevelFollower: SettingsFollower {
  func change(_ settings: Settings) { StandardErrorLog.level = Logger.Level(settings.log.level) }
}

/// Writes log lines to standard error. Each line begins with its syslog priority if the journal reads the log
/// (sd-daemon(3)), or else with the time of day.
public struct StandardErrorLog: LogHandler {
  public var metadata: Logger.Metadata = [:]
  /// The level of the least important messages that are logged, shared by all loggers.
  private static let sharedLevel = Mutex(Logger.Level.info)
  /// The level of the least important messages that are logged. It applies to all loggers.
  public static var level: Logger.Level {
    get { sharedLevel.withLock { $0 } }
    set { sharedLevel.withLock { $0 = newValue } }
  }
  public var logLevel: Logger.Level {
    get { StandardErrorLog.level }
    set { StandardErrorLog.level = newValue }
  }
  /// The newest log lines, for the page.
  static let tail = LogTail()
  /// Whether the journal reads the lines, so that they begin with a syslog priority instead of the time.
  private let forJournal: Bool
  private let writer: LogWriter

  /// Maximum length of a line in bytes, with its line end. This is PIPE_BUF: a write of at most this size to a pipe is
  /// atomic.
  static let longestLine = 4_096

  public init(environment: [String: String]) {
    self.init(environment: environment, descriptor: STDERR_FILENO)
  }

  /// - Parameter descriptor: the file descriptor that the lines are written to.
  init(environment: [String: String], descriptor: Int32) {
    let forJournal =
      environment["JOURNAL_STREAM"].map {
        $0 == StandardErrorLog.identity(of: descriptor)
      } ?? false
    self.forJournal = forJournal
    writer = LogWriter(descriptor: descriptor) { count in
      StandardErrorLog.line(
        .warning, "Messages that were lost here, since the log was not read in time: \(count).",
        forJournal: forJournal)
    }
  }

  /// Waits until all messages that were logged before are written or dropped.
  /// - Parameter deadline: when to stop waiting, on the system clock: the reader of the log may have stopped reading.
  /// - Returns: `false` when the deadline passed first.
  @discardableResult func flush(by deadline: MediaTime) -> Bool { writer.flush(by: deadline) }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Queues a message to be written. Never waits for the reader, since media threads log, too.
  public func log(event: LogEvent) {
    let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " [\($0): \($1)]" }
    StandardErrorLog.tail.add(event.level, "\(event.message)".onOneLine)
    writer.add(
      StandardErrorLog.line(
        event.level, "\(event.message)\(facts.joined())", forJournal: forJournal))
  }

  /// Formats a message as one line of at most `longestLine` bytes.
  private static func line(_ level: Logger.Level, _ text: String, forJournal: Bool) -> [UInt8] {
    let prefix = forJournal ? "<\(level.priority)>" : "\(time()) \(level.word)"
    var line = Array("\(prefix)\(text)".onOneLine.utf8)
    if line.count >= longestLine {
      let more = Array("…".utf8)
      var end = longestLine - more.count - 1
      // Do not cut the line within a UTF-8 character.
      while line[end] & 0xC0 == 0x80 { end -= 1 }
      line.replaceSubrange(end..., with: more)
    }
    return line + [UInt8(ascii: "\n")]
  }

  /// The file that a descriptor refers to, as "DEVICE:INODE", to compare with JOURNAL_STREAM (systemd.exec(5)).
  private static func identity(of descriptor: Int32) -> String? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// The local time of day: "18:05:09".
  private static func time() -> String {
    var now = Glibc.time(nil)
    var local = unsafe tm()
    unsafe localtime_r(&now, &local)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(two(local.tm_hour)):\(two(local.tm_min)):\(two(local.tm_sec))"
  }
}

extension Logger.Level {
  /// The level as a priority of syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// The level before a message for people; empty for an ordinary message.
  fileprivate var word: String { self == .info || self == .notice ? "" : "\(rawValue): " }
}

extension Logger.Level {
  public init(_ level: LogLevel) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
