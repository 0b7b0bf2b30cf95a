// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import Synchronization

/// The last errors that FFmpeg has logged. Its functions return little more than "I/O error"; the log says that it was
/// the certificate.
enum GuestLog {
  /// The longest text, in bytes.
  static let maxBytes = 200
  /// The most lines that are kept. The first is often the cause, and those after it what follows from it.
  private static let maxLines = 4
  private static let lines = Mutex<[[UInt8]]>([])

  /// The last errors, in printable ASCII; the latest is the last.
  static var text: String {
    lines.withLock { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; ") }
  }

  /// Begins to listen, for the life of the process, and forgets all errors.
  static func listen() {
    lines.withLock { $0 = [] }
    unsafe onair_av_listen { text, length in
      guard let text = unsafe text else { return }
      GuestLog.note(unsafe Array(UnsafeRawBufferPointer(start: text, count: length)))
    }
  }

  /// Adds an error.
  static func note(_ text: String) { note(Array(text.utf8)) }

  private static func note(_ text: [UInt8]) {
    let line = printable(text)
    guard !line.isEmpty else { return }
    lines.withLock { lines in
      lines.append(line)
      if lines.count > maxLines { lines.removeFirst() }
    }
  }

  /// The text of an error number, with what the log says.
  static func detail(_ error: Int32) -> String {
    var text = [CChar](repeating: 0, count: 64)
    _ = unsafe av_strerror(error, &text, text.count)
    let name = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return String(decoding: printable(name + Array(": \(GuestLog.text)".utf8)), as: UTF8.self)
  }

  /// At most `maxBytes` of printable ASCII; what a stranger has written may contain anything.
  private static func printable(_ bytes: [UInt8]) -> [UInt8] {
    let line = bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x20 }
    var shown = Array(line.drop { $0 == 0x20 }.prefix(maxBytes))
    while let last = shown.last, last == 0x20 || last == 0x3A { shown.removeLast() }
    return shown
  }
}
