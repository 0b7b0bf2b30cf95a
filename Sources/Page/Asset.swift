// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import CEmbedded

/// A file of the page, part of the program.
public struct Asset: Sendable {
  /// "app.js".
  public let name: String
  public let bytes: [UInt8]
  /// Media type (RFC 9110, section 8.3).
  public let type: String
  /// Strong entity tag (RFC 9110, section 8.8.3): another one for other bytes.
  public let tag: String

  private init(_ file: onair_file) {
    name = unsafe String(cString: file.name)
    let written = unsafe [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
    let suffix = name.split(separator: ".").last.map(String.init) ?? ""
    bytes = ["js", "css"].contains(suffix) ? Asset.withoutIndentation(written) : written
    type = Asset.types[suffix] ?? "application/octet-stream"
    // FNV-1a (RFC 9923): it has to tell versions apart, not to resist anybody.
    let hash = bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    tag = "\"\(String(hash, radix: 16))\""
  }

  /// A script or style as a browser reads it: a phone loads a twentieth less. No text in them has more than one line.
  static func withoutIndentation(_ written: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(written.count)
    var isIndentation = true
    for byte in written {
      if isIndentation, byte == UInt8(ascii: " ") { continue }
      isIndentation = byte == UInt8(ascii: "\n")
      bytes.append(byte)
    }
    return bytes
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "json": "application/json; charset=utf-8",
    "svg": "image/svg+xml", "yaml": "application/yaml; charset=utf-8",
  ]

  /// The description of the API.
  public static let openAPI = unsafe Asset(onair_openapi)

  /// All files of the page, by name.
  public static let all = unsafe UnsafeBufferPointer(
    start: onair_page_files, count: onair_page_file_count
  ).map { unsafe Asset($0) }
}
