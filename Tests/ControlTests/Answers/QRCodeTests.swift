// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Control

@Suite struct QRCodeTests {
  /// A scanner finds the three squares, and the size tells the version.
  @Test func aCodeHasItsThreeSquares() throws {
    let code = try #require(QRCode("https://www.youtube.com/watch?v=dQw4w9WgXcQ"))
    #expect((code.width - 17) % 4 == 0 && (21...177).contains(code.width))
    let far = code.width - 7
    for (left, top) in [(0, 0), (far, 0), (0, far)] {
      for row in 0..<7 {
        for column in 0..<7 {
          let ring = max(abs(row - 3), abs(column - 3))
          #expect(code.isDark(left + column, top + row) == (ring != 2))
        }
      }
    }
  }

  @Test func theImageHasWhiteAroundIt() throws {
    let code = try #require(QRCode("https://example.org/"))
    let side = code.width + 8
    #expect(code.svg.contains("viewBox='0 0 \(side) \(side)'"))
    // The upper edge of the first square, behind four modules of white.
    #expect(code.svg.contains("<path d='M4 4h7v1h-7z"))
    #expect(QRCode(String(repeating: "a", count: 500)) != nil)
    #expect(QRCode(String(repeating: "a", count: 5_000)) == nil)
  }
}
