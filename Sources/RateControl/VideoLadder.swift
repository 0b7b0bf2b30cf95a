// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// The video sizes to choose from, and the bit rates that suit them.
public enum VideoLadder {
  /// A picture size to which video may be reduced.
  public struct Rung: Equatable, Sendable {
    public let width: Int
    public let height: Int
    /// The video bit rate at which the size looks good, in kbit/s.
    public let kbps: Int
  }

  /// The sizes, from large to small.
  // swift-format-ignore
  public static let rungs = [
    Rung(width: 1920, height: 1080, kbps: 6_000),
    Rung(width: 1280, height: 720,  kbps: 2_000),
    Rung(width: 854,  height: 480,  kbps: 800),
    Rung(width: 640,  height: 360,  kbps: 400),
  ]

  /// For each size, its default lowest bit rate, and its default bit rate at the start as a share of the target.
  // swift-format-ignore
  private static let floors: [(pixels: Int, floorKbps: Int, initialShare: Double)] = [
    (1920 * 1080, 2_000, 0.8),
    (1280 * 720,  600,   0.8),
    (960 * 540,   400,   0.75),
    (854 * 480,   300,   0.7),
    (640 * 360,   200,   0.75),
  ]

  /// The entry of `floors` for a number of pixels, which may be up to 10 % fewer than those of the entry's size.
  private static func floor(pixels: Int) -> (pixels: Int, floorKbps: Int, initialShare: Double) {
    floors.first { pixels >= $0.pixels * 9 / 10 } ?? floors[floors.count - 1]
  }

  /// The default lowest video bit rate of a size, in kbit/s: at most half of the target.
  /// - Parameter allowsResize: whether the size may be reduced. If so, the floor is that of the ladder's smallest size.
  public static func floorKbps(
    width: Int, height: Int, targetKbps: Int, allowsResize: Bool = false
  ) -> Int {
    min(floor(pixels: allowsResize ? 0 : width * height).floorKbps, targetKbps / 2)
  }

  /// The default video bit rate at the start, in kbit/s.
  public static func initialKbps(width: Int, height: Int, targetKbps: Int) -> Int {
    Int(Double(targetKbps) * floor(pixels: width * height).initialShare)
  }

  /// The video bit rate, in kbit/s, at which a size looks good, by its number of pixels.
  static func goodKbps(width: Int, height: Int) -> Double {
    let pixels = width * height
    let rung = rungs.first { pixels >= $0.width * $0.height * 9 / 10 } ?? rungs[rungs.count - 1]
    return Double(rung.kbps) * Double(pixels) / Double(rung.width * rung.height)
  }
}
