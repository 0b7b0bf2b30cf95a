// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import Synchronization

/// The last error that FFmpeg has logged. Its functions return little more than "I/O error"; the log says that it was
/// the certificate.
enum GuestLog {
  /// The longest text, in bytes.
  static let maxBytes = 200
  private static let line = Mutex<[UInt8]>([])

  /// The text of the last error, in printable ASCII.
  static var last: String { String(decoding: line.withLock { $0 }, as: UTF8.self) }

  /// Begins to listen, for the life of the process, and forgets the last error.
  static func listen() {
    line.withLock { $0 = [] }
    av_log_set_level(AV_LOG_ERROR)
    unsafe av_log_set_callback { _, level, format, arguments in
      guard level <= AV_LOG_ERROR, let format = unsafe format,
        let arguments = unsafe arguments
      else { return }
      var text = [CChar](repeating: 0, count: GuestLog.maxBytes + 1)
      guard unsafe vsnprintf(&text, text.count, format, arguments) > 0 else { return }
      let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let shown = GuestLog.printable(bytes)
      if !shown.isEmpty { GuestLog.line.withLock { $0 = shown } }
    }
  }

  /// The text of an error number, with the last line of the log.
  static func detail(_ error: Int32) -> String {
    var text = [CChar](repeating: 0, count: 64)
    _ = unsafe av_strerror(error, &text, text.count)
    let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let said = last
    return String(
      decoding: printable(Array((said.isEmpty ? name : "\(name): \(said)").utf8)), as: UTF8.self)
  }

  /// At most `maxBytes` of printable ASCII; what a stranger has written may contain anything.
  static func printable(_ bytes: [UInt8]) -> [UInt8] {
    let line = bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x20 }
    return Array(line.drop { $0 == 0x20 }.prefix(maxBytes))
  }
}
