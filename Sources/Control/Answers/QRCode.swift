// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CQRencode

/// A QR code (ISO/IEC 18004) of a text, such as the address where people watch.
struct QRCode {
  /// Width of the white margin around the code, in modules, as the standard requires it.
  private static let quietZone = 4

  /// The number of modules along one side of the code.
  let width: Int
  /// The modules row by row, one byte each; bit 0 is set for a dark one.
  private let modules: [UInt8]

  /// - Returns: `nil` if the text is too long for a QR code, or memory is short.
  init?(_ text: String) {
    // Version 0 lets libqrencode choose the size. Level M has enough redundancy for a screen that is not clean.
    guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { unsafe QRcode_free(code) }
    width = unsafe Int(code.pointee.width)
    modules = unsafe Array(
      UnsafeBufferPointer(start: code.pointee.data, count: width * width))
  }

  /// Whether the module in a column and a row is dark.
  func isDark(_ column: Int, _ row: Int) -> Bool { modules[row * width + column] & 1 == 1 }

  /// The code as an SVG image, black on white even on a dark page: some phones cannot read an inverted code.
  var svg: String {
    let side = width + 2 * Self.quietZone
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        guard isDark(column, row) else {
          column += 1
          continue
        }
        let start = column
        while column < width, isDark(column, row) { column += 1 }
        path +=
          "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1h-\(column - start)z"
      }
    }
    let white = "<path fill='#fff' d='M0 0h\(side)v\(side)h-\(side)z'/>"
    return
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 \(side) \(side)' shape-rendering='crispEdges'>"
      + white + "<path d='\(path)'/></svg>\n"
  }
}
