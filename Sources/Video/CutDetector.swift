// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Tells whether a frame shows another scene than the one before, by the luma at the points of a coarse grid. It takes some
/// microseconds.
package struct CutDetector {
  /// Pixels from point to point.
  private static let grid = 32
  /// The mean difference of a point that is a cut: at least so much, and so many times the usual one, which motion makes.
  private static let least = 10.0
  private static let ratio = 2.5
  private static let gain = 1.0 / 8

  private var points: [UInt8] = []
  private var usual = 0.0
  private var wasCut = true

  package init() {}

  /// - Returns: `true` for the first picture, and for one of another size. Never for the one after a cut: its difference
  ///   shows how the new scene moves.
  package mutating func isCut(_ picture: PlanarPicture) -> Bool {
    let (columns, rows) = unsafe (
      picture.size.width / CutDetector.grid, picture.size.height / CutDetector.grid
    )
    guard points.count == columns * rows else {
      points = Array(repeating: 0, count: columns * rows)
      unsafe _ = difference(picture, columns, rows)
      wasCut = true
      return true
    }
    guard !points.isEmpty else { return false }
    let mean = unsafe Double(difference(picture, columns, rows)) / Double(points.count)
    guard !wasCut else {
      usual = mean
      wasCut = false
      return false
    }
    wasCut = mean > max(CutDetector.least, usual * CutDetector.ratio)
    usual += (mean - usual) * CutDetector.gain
    return wasCut
  }

  /// Replaces the points by those of a picture.
  /// - Returns: the sum of their differences.
  @unsafe private mutating func difference(
    _ picture: PlanarPicture, _ columns: Int, _ rows: Int
  ) -> Int {
    var sum = 0
    var index = 0
    for row in 0..<rows {
      let line =
        unsafe picture.y + (row * CutDetector.grid + CutDetector.grid / 2) * picture.yStride
      for column in 0..<columns {
        let point = unsafe line[column * CutDetector.grid + CutDetector.grid / 2]
        sum += abs(Int(point) - Int(points[index]))
        points[index] = point
        index += 1
      }
    }
    return sum
  }
}
