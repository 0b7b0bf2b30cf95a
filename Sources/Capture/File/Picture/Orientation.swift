// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How a stored picture has to be transformed for display: mirrored top to bottom if `isFlipped`, and then turned
/// clockwise by `degrees`.
struct Orientation: Equatable {
  /// Whether the picture is mirrored top to bottom before it is turned.
  var isFlipped = false
  /// The angle by which the picture is turned clockwise, in degrees: 0, 90, 180 or 270.
  var degrees: UInt32 = 0

  /// The orientation of a picture that needs no transformation.
  static let upright = Orientation()

  init(isFlipped: Bool = false, degrees: UInt32 = 0) {
    self.isFlipped = isFlipped
    self.degrees = degrees
  }

  /// Whether turning exchanges width and height.
  var swapsSides: Bool { degrees % 180 != 0 }

  /// Takes the nearest quarter turn from FFmpeg's display matrix (libavutil/display.h). Row 0 of the matrix says where
  /// a step to the right in the stored picture leads on the display; row 1 says the same of a step down.
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

  /// Takes the orientation from the value of EXIF's tag Orientation (CIPA DC-008), 1 to 8; `nil` for other values.
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
