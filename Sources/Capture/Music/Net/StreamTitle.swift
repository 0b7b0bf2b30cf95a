// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Reads texts whose encoding nobody states: the titles that stations send, playlists, and tags of files.
enum StreamTitle {
  /// The most characters of a title.
  static let longest = 200

  /// The title in a block of metadata as Shoutcast and Icecast send it: "StreamTitle='…';StreamUrl='…';".
  /// - Returns: `nil` if the block has no title, or an empty one: the last title stays then.
  static func parse(_ block: [UInt8]) -> String? {
    let start = Array("StreamTitle='".utf8)
    guard block.count > start.count,
      let first = (0...(block.count - start.count)).first(where: {
        block[$0...].starts(with: start)
      })
    else { return nil }
    let value = block[(first + start.count)...]
    // A title may contain "'" itself, but hardly "';".
    let end = Array("';".utf8)
    let length = value.indices.first { value[$0...].starts(with: end) }
    return shown(decode(Array(value[..<(length ?? value.endIndex)].prefix { $0 != 0 })))
  }

  /// Text as a title for people: on one line, at most `longest` characters, without blanks around it.
  /// - Returns: `nil` if nothing is left.
  static func shown(_ text: String) -> String? {
    let line = text.onOneLine.prefix(longest)
    guard let first = line.firstIndex(where: { $0 != " " }),
      let last = line.lastIndex(where: { $0 != " " })
    else { return nil }
    return String(line[first...last])
  }

  /// Text in UTF-8 or, if it is not valid as such, in Windows-1252, which contains Latin-1.
  static func decode(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes {
      let code = (0x80...0x9F).contains(byte) ? windows1252[Int(byte) - 0x80] : UInt32(byte)
      text.unicodeScalars.append(Unicode.Scalar(code) ?? "?")
    }
    return text
  }

  /// The characters of Windows-1252 from 0x80 to 0x9F. Five of them are not assigned.
  private static let windows1252: [UInt32] = [
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
  ]
}
