// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The colour description of Y'CbCr video, in the code points of ITU-T H.273.
///
/// H.264's VUI uses the same code points, so a camera's colour description reaches the viewer unchanged.
public struct Colour: Hashable, Sendable {
  /// The range of sample values. `true`: 0 to 255, as in JPEG. `false`: 16 to 235 for luma, 16 to 240 for chroma.
  public var fullRange: Bool
  /// ColourPrimaries: 1 BT.709 and sRGB, 5 BT.601-625, 6 BT.601-525, 9 BT.2020, 2 unspecified.
  public var primaries: Int32
  /// TransferCharacteristics: 1 BT.709, 6 BT.601, 13 sRGB, 2 unspecified.
  public var transfer: Int32
  /// MatrixCoefficients: 1 BT.709, 5 and 6 BT.601, 9 BT.2020, 2 unspecified.
  public var matrix: Int32

  public init(fullRange: Bool, primaries: Int32, transfer: Int32, matrix: Int32) {
    self.fullRange = fullRange
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
  }

  /// The usual colour of high-definition video: BT.709, limited range.
  public static let bt709 = Colour(fullRange: false, primaries: 1, transfer: 1, matrix: 1)
  /// Uncompressed video of most USB cameras: sRGB primaries and transfer, BT.601 matrix, limited range.
  public static let webcam = Colour(fullRange: false, primaries: 1, transfer: 13, matrix: 6)
  /// The colour of JFIF, and so of motion JPEG: as `webcam`, but full range.
  public static let jpeg = Colour(fullRange: true, primaries: 1, transfer: 13, matrix: 6)
}
