// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CEmbedded

/// A file of the web page, which is built into the program. The contents are prepared for sending only when a browser
/// requests the file, so that a page that nobody opens takes no memory.
@safe public struct Asset: @unchecked Sendable {
  /// The file's name, for example "app.js".
  public let name: String
  /// The media type (RFC 9110, section 8.3).
  public let type: String
  /// The bytes of the source file, before it is shortened. They are part of the program's constant data.
  private let written: UnsafeBufferPointer<UInt8>

  /// The contents of a file in the form in which they are sent.
  public struct Contents {
    public let bytes: [UInt8]
    /// The strong entity tag (RFC 9110, section 8.8.3): it changes with the bytes.
    public let tag: String

    fileprivate init(_ bytes: [UInt8]) {
      self.bytes = bytes
      // FNV-1a (RFC 9923): the tag only has to tell versions apart, so the hash need not be cryptographic.
      let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      tag = "\"\(String(hash, radix: 16))\""
    }
  }

  private init(_ file: onair_file) {
    name = unsafe String(cString: file.name)
    type = Asset.types[Asset.suffix(name)] ?? "application/octet-stream"
    unsafe written = UnsafeBufferPointer(start: file.bytes, count: file.count)
  }

  /// The contents as they are sent. They are made anew at each call, in less than 1 ms.
  public var contents: Contents {
    let written = unsafe [UInt8](written)
    return switch Asset.suffix(name) {
    case "js": Contents(Asset.shortened(written))
    case "css": Contents(Asset.shortened(written, isStyle: true))
    // Line breaks can be removed: a JSON string never contains one.
    case "json": Contents(written.filter { $0 != UInt8(ascii: "\n") })
    default: Contents(written)
    }
  }

  /// The part of a file name after its last dot.
  private static func suffix(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? ""
  }

  /// A script or style sheet without indentation, comments on lines of their own, and spaces beside punctuation, so
  /// that a phone loads a fifth less. Comment lines become empty lines, so that line numbers in a browser's messages
  /// stay right. No string literal in these files has more than one line, so no string literal is changed.
  static func shortened(_ written: [UInt8], isStyle: Bool = false) -> [UInt8] {
    var lines = written.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { $0.drop { $0 == UInt8(ascii: " ") } }
    var next = 0
    while next < lines.count {
      let end = endOfComment(lines, from: next)
      for line in next..<end { lines[line] = [] }
      next = max(end, next + 1)
    }
    lines = lines.map(isStyle ? dense : denseScript)
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  /// A line of a style sheet without the spaces beside its braces, commas, colons and semicolons. No string literal in
  /// these files has such a space, so no string literal is changed. The licence line stays as it is.
  private static func dense(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard !line.starts(with: "SPDX-".utf8) else { return line }
    let (before, after) = ("{;,:".utf8, "{}".utf8)
    return line.indices.filter { index in
      line[index] != UInt8(ascii: " ")
        || !(index > line.startIndex && before.contains(line[index - 1]))
          && !(index + 1 < line.endIndex && after.contains(line[index + 1]))
    }.map { line[$0] }[...]
  }

  /// A line of a script without the spaces beside its punctuation. Strings in double quotes stay as they are. A line
  /// with a backslash, slash, single quote, backtick or odd number of double quotes stays unchanged as a whole.
  private static func denseScript(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let (quote, others, punctuation) = (UInt8(ascii: "\""), "`'/\\".utf8, ",;:{}()=?&|<>[]".utf8)
    guard !line.contains(where: { others.contains($0) }),
      line.count(where: { $0 == quote }).isMultiple(of: 2)
    else { return line }
    var isInString = false
    return line.indices.filter { index in
      if line[index] == quote { isInString.toggle() }
      return line[index] != UInt8(ascii: " ") || isInString
        || !(index > line.startIndex && punctuation.contains(line[index - 1]))
          && !(index + 1 < line.endIndex && punctuation.contains(line[index + 1]))
    }.map { line[$0] }[...]
  }

  /// The index of the line after the comment that begins with the line `first`; `first` if no comment begins with that
  /// line, or if the comment is the licence.
  private static func endOfComment(_ lines: [ArraySlice<UInt8>], from first: Int) -> Int {
    let (line, mark) = (lines[first], "*/".utf8)
    if line.starts(with: "// SPDX-".utf8) { return first }
    if line.starts(with: "//".utf8) { return first + 1 }
    guard line.starts(with: "/*".utf8) else { return first }
    var (last, inner) = (first, line.dropFirst(2))
    // A comment of several lines that begins with "/*" alone is the licence's.
    while !inner.contains(mark) {
      guard line.starts(with: "/**".utf8), last + 1 < lines.count else { return first }
      last += 1
      inner = lines[last]
    }
    let isAlone = inner.suffix(2).elementsEqual(mark) && !inner.dropLast(2).contains(mark)
    return isAlone ? last + 1 : first
  }

  /// The media types by the part of the file name after its last dot.
  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml", "yaml": "application/yaml; charset=utf-8",
  ]

  /// The OpenAPI description of the HTTP API.
  public static let openAPI = unsafe Asset(onair_openapi)

  /// All files of the page.
  public static let all = unsafe UnsafeBufferPointer(
    start: onair_page_files, count: onair_page_file_count
  ).map { unsafe Asset($0) }
}
