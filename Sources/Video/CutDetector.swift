// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Detects cuts, at which the picture changes to another shot, by the luma of successive frames at the points of a
/// coarse grid. This takes some microseconds per frame.
package struct CutDetector {
  /// The distance from one point of the grid to the next, in pixels.
  private static let gridSpacing = 32
  /// The least mean change of luma per point, from one frame to the next, that can be a cut. Luma is from 0 to 255.
  private static let leastChange = 10.0
  /// The least factor by which the change of luma at a cut exceeds the usual change from frame to frame, which motion
  /// causes.
  private static let leastRatio = 2.5
  /// The weight of the newest frame in the running mean `usualChange`.
  private static let newestWeight = 1.0 / 8

  /// The luma of the last frame at the points of the grid, row by row.
  private var points: [UInt8] = []
  /// The running mean of the change of luma per point from frame to frame.
  private var usualChange = 0.0
  /// Whether the last picture was the first of a shot.
  private var wasCut = true

  package init() {}

  /// Compares a picture with the picture that was passed to the last call.
  /// - Returns: whether there is a cut between the two pictures. `true` for the first picture, and for a picture of
  ///   another size. `false` for the picture after a cut: how much it differs only shows the motion of the new shot.
  package mutating func isCut(_ picture: PlanarPicture) -> Bool {
    let (columns, rows) = unsafe (
      picture.size.width / CutDetector.gridSpacing, picture.size.height / CutDetector.gridSpacing
    )
    guard points.count == columns * rows else {
      points = Array(repeating: 0, count: columns * rows)
      unsafe _ = replacePoints(picture, columns, rows)
      wasCut = true
      return true
    }
    guard !points.isEmpty else { return false }
    let mean = unsafe Double(replacePoints(picture, columns, rows)) / Double(points.count)
    guard !wasCut else {
      usualChange = mean
      wasCut = false
      return false
    }
    wasCut = mean > max(CutDetector.leastChange, usualChange * CutDetector.leastRatio)
    usualChange += (mean - usualChange) * CutDetector.newestWeight
    return wasCut
  }

  /// Replaces the stored luma of all points by that of a picture.
  /// - Returns: the sum of the absolute differences between the stored luma and the new luma.
  @unsafe private mutating func replacePoints(
    _ picture: PlanarPicture, _ columns: Int, _ rows: Int
  ) -> Int {
    var sum = 0
    var index = 0
    for row in 0..<rows {
      let line =
        unsafe picture.y
        + (row * CutDetector.gridSpacing + CutDetector.gridSpacing / 2) * picture.yStride
      for column in 0..<columns {
        let point = unsafe line[column * CutDetector.gridSpacing + CutDetector.gridSpacing / 2]
        sum += abs(Int(point) - Int(points[index]))
        points[index] = point
        index += 1
      }
    }
    return sum
  }
}
