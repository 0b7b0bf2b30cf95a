// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
internal import Glibc

/// Derives the default video bit rate from the size and the frame rate (`video.bitrate_kbps = 0`).
enum VideoBitrate {
  /// The allowed video bit rates in kbit/s.
  static let allowed = 100...12_000
  /// Default bit rates in kbit/s for 24 to 30 frames per second, in ascending order of the number of pixels.
  private static let table: [(name: String, pixels: Double, kbps: Double)] = [
    ("360p", 640 * 360, 800), ("480p", 854 * 480, 1_000), ("540p", 960 * 540, 1_200),
    ("720p", 1_280 * 720, 2_000), ("1080p", 1_920 * 1_080, 4_500),
  ]

  /// The table in words, for the help text: "800 at 360p, 1000 at 480p, …".
  static let tableText = table.map { "\(Int($0.kbps)) at \($0.name)" }.joined(separator: ", ")

  /// The default bit rate in kbit/s. Between two sizes of the table, the bit rate rises linearly with the number of
  /// pixels; outside of the table, with the number of pixels to the power of 0.75. Above 30 and below 24 frames per
  /// second, twice the frame rate needs 1.5 times the bit rate, since successive frames differ less.
  static func kbps(_ size: PictureSize, framesPerSecond: Int) -> Int {
    let pixels = Double(size.width * size.height)
    let base: Double
    if let next = table.firstIndex(where: { pixels <= $0.pixels }), next > 0 {
      let (low, high) = (table[next - 1], table[next])
      base = low.kbps + (high.kbps - low.kbps) * (pixels - low.pixels) / (high.pixels - low.pixels)
    } else {
      let end = pixels <= table[0].pixels ? table[0] : table[table.count - 1]
      base = end.kbps * pow(pixels / end.pixels, 0.75)
    }
    let rate = Double(framesPerSecond)
    let excess = rate > 30 ? rate / 30 : rate < 24 ? rate / 24 : 1
    let kbps = base * pow(excess, log2(1.5))
    return min(max(Int((kbps / 50).rounded()) * 50, allowed.lowerBound), allowed.upperBound)
  }
}

extension VideoSettings {
  /// The video bit rate on a good link in kbit/s: `bitrateKbps`, or the default for the size and the frame rate if
  /// `bitrateKbps` is 0.
  public var targetKbps: Int {
    bitrateKbps > 0 ? bitrateKbps : defaultKbps(size)
  }

  /// The default bit rate for a size at the frame rate `fps`, in kbit/s.
  public func defaultKbps(_ size: PictureSize) -> Int {
    VideoBitrate.kbps(size, framesPerSecond: fps)
  }

  /// The default bit rate for a size and a frame rate, in kbit/s.
  public static func defaultKbps(_ size: PictureSize, framesPerSecond: Int) -> Int {
    VideoBitrate.kbps(size, framesPerSecond: framesPerSecond)
  }

  /// The bit rate in kbit/s above which a video of this size hardly looks better.
  public func ampleKbps(_ size: PictureSize) -> Int {
    min(2 * defaultKbps(size), VideoBitrate.allowed.upperBound)
  }
}

extension Kind where Value == Int {
  /// The kind of a setting whose value is 0 or a whole number in `range`.
  static func zeroOr(_ range: ClosedRange<Int>) -> Kind {
    Kind(
      type: .wholeNumber,
      allowed: "a whole number, \(range.lowerBound) to \(range.upperBound), or 0",
      range: Double(min(0, range.lowerBound))...Double(max(0, range.upperBound)),
      read: { raw throws(ValueError) in
        guard let number = raw.asInteger, number == 0 || range.contains(number) else {
          throw .notAllowed
        }
        return number
      },
      show: { "\($0)" })
  }
}
