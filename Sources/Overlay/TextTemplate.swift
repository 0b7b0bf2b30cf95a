// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc

/// The values of the variables in texts.
public struct TextVariables: Sendable, Equatable {
  /// `{name}`: the name of the box.
  public var name = ""
  /// The time zone of `{time}`, `{date}` and `{countdown}`.
  public var zone = TimeZoneFile.utc
  /// When the broadcast started, on the monotonic clock; `nil` while off air. `{elapsed}` is the time since then.
  public var startedAt: MediaTime?
  /// The texts of `{api:NAME}`, keyed by NAME.
  public var texts: [String: String] = [:]

  public init() {}
}

/// A text with variables: "On air for {elapsed}". Braces that do not name a variable stay in the text.
struct TextTemplate: Hashable, Sendable {
  /// A part of the text: words that stay as they are, or a variable.
  enum Piece: Hashable, Sendable {
    /// A text that stays as it is.
    case words(String)
    /// The local date or time, in a format of strftime(3).
    case time(String)
    /// The time since the broadcast started.
    case elapsed
    /// The name of the box.
    case name
    /// The time that is left until a time of day, which is given in minutes since midnight.
    case countdown(Int)
    /// The content of a text file, by its name in the folder of uploaded files.
    case file(String)
    /// A text that a program has set through the API; the value is the name of the text.
    case api(String)
  }

  /// The maximum number of Unicode scalars of a text after its variables are filled in.
  static let maxScalars = 2_000
  /// The maximum size of a text file in bytes.
  static let maxFileBytes = 8_000

  /// The parts of the text in their order.
  let pieces: [Piece]

  init(_ text: String) {
    var pieces: [Piece] = []
    var words = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      words += rest[..<open]
      let after = rest.index(after: open)
      if let close = rest[after...].firstIndex(of: "}"),
        let piece = TextTemplate.variable(rest[after..<close])
      {
        if !words.isEmpty { pieces.append(.words(words)) }
        words = ""
        pieces.append(piece)
        rest = rest[rest.index(after: close)...]
      } else {
        words += "{"
        rest = rest[after...]
      }
    }
    words += rest
    if !words.isEmpty { pieces.append(.words(words)) }
    self.pieces = pieces
  }

  /// The variable that the text between two braces names; `nil` if it names none.
  private static func variable(_ text: Substring) -> Piece? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : nil
    switch (parts[0], value) {
    case ("time", nil): return .time("%H:%M")
    case ("time", .some(let format)) where isFormat(format): return .time(format)
    case ("date", nil): return .time("%Y-%m-%d")
    case ("date", .some(let format)) where isFormat(format): return .time(format)
    case ("elapsed", nil): return .elapsed
    case ("name", nil): return .name
    case ("countdown", .some(let time)): return minuteOfDay(time).map { .countdown($0) }
    // Accept only names of files directly in the folder of uploaded files: files elsewhere may be secret.
    case ("file", .some(let name)) where !name.isEmpty && !name.contains("/") && name.first != ".":
      return .file(name)
    case ("api", .some(let name)) where !name.isEmpty: return .api(name)
    default: return nil
    }
  }

  /// Whether a text is a format of strftime(3) that the variables `{time:…}` and `{date:…}` accept.
  private static func isFormat(_ text: String) -> Bool {
    // These formats need the time zone, but the C library is only given the local time.
    let unknown = ["%Z", "%z", "%s", "%+"]
    return !text.isEmpty && text.utf8.count <= 64 && !text.utf8.contains(0)
      && !unknown.contains { text.contains($0) }
  }

  /// The minute of the day, counted from midnight, that a text such as "18:30" names; `nil` if it names none.
  private static func minuteOfDay(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let areNumbers = parts.allSatisfy { part in
      (1...2).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39) ~= $0 }
    }
    guard parts.count == 2, areNumbers,
      let hours = Int(parts[0]), let minutes = Int(parts[1]),
      (0...23).contains(hours), (0...59).contains(minutes)
    else { return nil }
    return hours * 60 + minutes
  }

  /// Whether the text has no variables, so that it never changes.
  var isFixed: Bool {
    pieces.allSatisfy { piece in if case .words = piece { true } else { false } }
  }

  /// Whether the text has a variable that changes as time passes.
  var hasTime: Bool {
    pieces.contains { piece in
      switch piece {
      case .time, .elapsed, .countdown: true
      case .words, .name, .file, .api: false
      }
    }
  }

  /// The names of the files whose content is part of the text.
  var files: [String] {
    pieces.compactMap { piece in if case .file(let name) = piece { name } else { nil } }
  }

  /// The text with its variables filled in.
  /// - Parameters:
  ///   - variables: the values of the variables.
  ///   - wallClock: the current time in seconds since 1970.
  ///   - now: the current time on the monotonic clock.
  ///   - content: returns the content of a text file by its name.
  func text(
    _ variables: TextVariables, wallClock: Int64, now: MediaTime, content: (String) -> String
  ) -> String {
    let local = wallClock + Int64(variables.zone.offset(at: wallClock))
    var text = String.UnicodeScalarView()
    for piece in pieces where text.count < TextTemplate.maxScalars {
      let words =
        switch piece {
        case .words(let words): words
        case .time(let format): TextTemplate.time(local, format)
        case .elapsed:
          TextTemplate.duration(variables.startedAt.map { max(0, now - $0) / 1_000_000_000 } ?? 0)
        case .name: variables.name
        case .countdown(let minute):
          TextTemplate.duration(TextTemplate.seconds(until: minute, from: local))
        case .file(let name): content(name)
        case .api(let name): variables.texts[name] ?? ""
        }
      // Control characters other than line feed and tab are removed: they would be shown as boxes.
      let scalars = words.unicodeScalars.lazy.filter {
        $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
      }
      text.append(contentsOf: scalars.prefix(TextTemplate.maxScalars - text.count))
    }
    return String(text)
  }

  /// The seconds until the local time next reaches a minute of the day. During the hour that begins with this minute,
  /// the result is 0.
  /// - Parameter local: the current local time, as seconds since 1970.
  private static func seconds(until minute: Int, from local: Int64) -> Int64 {
    let day: Int64 = 86_400
    let passed = ((local - Int64(minute) * 60) % day + day) % day
    return passed < 3_600 ? 0 : day - passed
  }

  /// A number of seconds as text: "5:07" or "1:05:07".
  static func duration(_ seconds: Int64) -> String {
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    return hours > 0
      ? "\(hours):\(twoDigits(minutes)):\(twoDigits(rest))" : "\(minutes):\(twoDigits(rest))"
  }

  /// The date or time as text, in a format of strftime(3).
  /// - Parameter local: the local time, as seconds since 1970.
  private static func time(_ local: Int64, _ format: String) -> String {
    var seconds = time_t(local)
    var parts = unsafe tm()
    guard unsafe gmtime_r(&seconds, &parts) != nil else { return "" }
    var bytes = [CChar](repeating: 0, count: 256)
    let count = unsafe strftime(&bytes, bytes.count, format, &parts)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
