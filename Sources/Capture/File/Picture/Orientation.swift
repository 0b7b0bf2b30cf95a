// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How stored rows are turned for display: mirrored top to bottom if `isFlipped`, and then turned clockwise.
struct Orientation: Equatable {
  var isFlipped = false
  /// 0, 90, 180 or 270.
  var degrees: UInt32 = 0

  static let upright = Orientation()

  init(isFlipped: Bool = false, degrees: UInt32 = 0) {
    self.isFlipped = isFlipped
    self.degrees = degrees
  }

  var swapsSides: Bool { degrees % 180 != 0 }

  /// FFmpeg's display matrix (libavutil/display.h): its row 0 says where a step to the right goes, row 1 a step down.
  /// The nearest quarter turn.
  /// - Parameters: the first two elements of the first two rows.
  init(matrix a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) {
    func size(_ value: Int32) -> Int64 { abs(Int64(value)) }
    if size(a) + size(d) >= size(b) + size(c) {
      switch (a < 0, d < 0) {
      case (false, false): self.init()
      case (true, true): self.init(degrees: 180)
      case (true, false): self.init(isFlipped: true, degrees: 180)
      case (false, true): self.init(isFlipped: true)
      }
    } else {
      switch (b < 0, c < 0) {
      case (false, true): self.init(degrees: 90)
      case (true, false): self.init(degrees: 270)
      case (false, false): self.init(isFlipped: true, degrees: 90)
      case (true, true): self.init(isFlipped: true, degrees: 270)
      }
    }
  }

  /// EXIF's tag Orientation (CIPA DC-008). `nil` if it is out of range.
  init?(exif: Int) {
    switch exif {
    case 1: self.init()
    case 2: self.init(isFlipped: true, degrees: 180)
    case 3: self.init(degrees: 180)
    case 4: self.init(isFlipped: true)
    case 5: self.init(isFlipped: true, degrees: 90)
    case 6: self.init(degrees: 90)
    case 7: self.init(isFlipped: true, degrees: 270)
    case 8: self.init(degrees: 270)
    default: return nil
    }
  }
}
