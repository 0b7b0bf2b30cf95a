// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A playlist of music: M3U (also "extended", with "#EXTINF") or PLS. FFmpeg reads neither. What a list is shows its
/// content: servers give wrong types, and files have wrong endings.
struct Playlist: Equatable {
  /// The most bytes of a list.
  static let maxBytes = 65_536
  /// The most entries that are used of a list.
  static let maxEntries = 200
  /// How many lists may lead to one another: a list in a list in a list.
  static let deepest = 3
  /// The most bytes of an entry's reference.
  private static let maxReference = 4_095

  /// A line of the list that names a piece of music or another list.
  struct Entry: Equatable {
    /// A URL, or a path relative to the list.
    var reference: String
    /// The title that the list gives; `nil` if it gives none.
    var title: String?
  }

  /// What a text is.
  enum Content: Equatable {
    case list(Playlist)
    /// A playlist of HTTP Live Streaming (RFC 8216), which FFmpeg reads.
    case hls
    /// A web page.
    case page
    /// Anything else: music, presumably.
    case other
  }

  var entries: [Entry]

  /// Finds out what the content of a file or a response is.
  /// - Parameter bytes: the whole content, or its first bytes.
  static func content(_ bytes: [UInt8]) -> Content {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
    // A list has no control characters besides line breaks and tabs. Music has some among its first bytes.
    guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) })
    else { return .other }
    let lines = StreamTitle.decode(bytes).split(whereSeparator: \.isNewline)
      .map { trimmed($0) }.filter { !$0.isEmpty }
    guard let first = lines.first else { return .other }
    if first.hasPrefix("<") {
      let start = lines.prefix(20).joined().lowercased()
      return start.contains("<html") || start.contains("<!doctype html") || start.contains("<head")
        ? .page : .other
    }
    if first.lowercased() == "[playlist]" { return .list(pls(lines)) }
    if lines.contains(where: { $0.hasPrefix("#EXT-X-") }) { return .hls }
    if first.uppercased().hasPrefix("#EXTM3U") { return .list(m3u(lines)) }
    // A list without a heading: its first entry tells.
    guard let entry = lines.first(where: { !$0.hasPrefix("#") }), isReference(entry) else {
      return .other
    }
    return .list(m3u(lines))
  }

  private static func m3u(_ lines: [Substring]) -> Playlist {
    var list = Playlist(entries: [])
    var title: String?
    for line in lines where list.entries.count < maxEntries {
      if line.hasPrefix("#EXTINF:") {
        title = line.firstIndex(of: ",").flatMap {
          StreamTitle.shown(String(line[line.index(after: $0)...]))
        }
      } else if !line.hasPrefix("#") {
        if line.utf8.count <= maxReference {
          list.entries.append(Entry(reference: String(line), title: title))
        }
        title = nil
      }
    }
    return list
  }

  private static func pls(_ lines: [Substring]) -> Playlist {
    var references: [Int: String] = [:]
    var titles: [Int: String] = [:]
    for line in lines {
      guard let equals = line.firstIndex(of: "=") else { continue }
      let key = trimmed(line[..<equals]).lowercased()
      let value = trimmed(line[line.index(after: equals)...])
      if key.hasPrefix("file"), let number = number(key.dropFirst(4)) {
        if !value.isEmpty, value.utf8.count <= maxReference {
          references[number] = String(value)
        }
      } else if key.hasPrefix("title"), let number = number(key.dropFirst(5)) {
        titles[number] = StreamTitle.shown(String(value))
      }
    }
    let entries = references.sorted { $0.key < $1.key }.prefix(maxEntries)
    return Playlist(entries: entries.map { Entry(reference: $0.value, title: titles[$0.key]) })
  }

  private static func number(_ text: Substring) -> Int? {
    (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      ? Int(text) : nil
  }

  /// Whether a line looks like an entry: an http URL, or the name of a sound or a list.
  private static func isReference(_ line: Substring) -> Bool {
    let lower = line.lowercased()
    if lower.hasPrefix("http://") || lower.hasPrefix("https://") { return true }
    return line.utf8.count <= maxReference
      && (MusicFolder.isSound(lower) || [".m3u", ".m3u8", ".pls"].contains { lower.hasSuffix($0) })
  }

  private static func trimmed(_ line: Substring) -> Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let last = line.lastIndex(where: { !isBlank($0) }) else { return "" }
    return line[...last].drop(while: isBlank)
  }
}
