// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// What a measured throughput means for a broadcast: the recommended picture size and bit rate, and a sentence.
public struct UplinkVerdict: Equatable, Sendable {
  /// A video size and its bit rates in kbit/s.
  public struct Choice: Equatable, Sendable {
    public var size: PictureSize
    /// The video bit rate at which the size looks good, in kbit/s.
    public var kbps: Int
    /// The highest useful video bit rate, in kbit/s: a higher one is not visibly better.
    public var mostKbps: Int

    public init(size: PictureSize, kbps: Int, mostKbps: Int) {
      self.size = size
      self.kbps = kbps
      self.mostKbps = mostKbps
    }
  }

  /// The share of the throughput that a broadcast may use: the speed of a link varies, and keyframes are bursts.
  public static let usableShare = 0.75
  /// The lowest bit rate that can be set, and the unit to which recommended bit rates are rounded down, in kbit/s.
  private static let unitKbps = 100
  /// Below this usable bit rate, in kbit/s, not even the smallest size is fit to be watched.
  private static let leastKbps = 200

  /// The measured throughput in kbit/s, audio and headers included.
  public var throughputKbps: Int
  /// Whether the link may be even faster: it carried the highest rate that the test tried.
  public var isUnlimited: Bool
  /// The video bit rate to use, in kbit/s.
  public var recommendedKbps: Int
  /// The picture size to use, in pixels.
  public var recommendedSize: PictureSize
  /// The result, and what to do, in plain words.
  public var sentence: String

  /// - Parameters:
  ///   - throughputKbps: the measured throughput, in kbit/s, audio and headers included.
  ///   - isUnlimited: whether the link may be even faster.
  ///   - audioKbps: the bit rate, in kbit/s, of the audio that is sent besides video.
  ///   - asked: the size and the video bit rate, in kbit/s, that the settings ask for.
  ///   - choices: the sizes to choose from, the largest first; not empty.
  public init(
    throughputKbps: Int, isUnlimited: Bool, audioKbps: Int, asked: (size: PictureSize, kbps: Int),
    choices: [Choice]
  ) {
    self.throughputKbps = throughputKbps
    self.isUnlimited = isUnlimited
    let usable = Int(Double(throughputKbps) * UplinkVerdict.usableShare) - audioKbps
    let choice = choices.first { $0.kbps <= usable } ?? choices[choices.count - 1]
    let unit = UplinkVerdict.unitKbps
    recommendedSize = choice.size
    recommendedKbps = max(unit, min(usable, choice.mostKbps) / unit * unit)
    let carries =
      "The connection carries \(isUnlimited ? "at least " : "")\(rateText(throughputKbps))"
    let use = "\(recommendedSize) at \(recommendedKbps) kbit/s"
    if usable >= asked.kbps {
      sentence = "\(carries). \(asked.size) at \(asked.kbps) kbit/s has room to spare."
    } else if usable < UplinkVerdict.leastKbps {
      sentence =
        "\(carries), which is too slow for a broadcast: use a cable or another network. "
        + "\(use) is the most to try."
    } else if recommendedSize == asked.size {
      sentence = "\(carries), which is too slow for \(asked.kbps) kbit/s: use \(use)."
    } else {
      sentence = "\(carries), which is too slow for \(asked.size): use \(use)."
    }
  }
}

/// A bit rate for people: "5.2 Mbit/s", or "300 kbit/s" below one Mbit/s.
private func rateText(_ kbps: Int) -> String {
  guard kbps >= 1_000 else { return "\(kbps) kbit/s" }
  let tenthsOfMbps = (kbps + 50) / 100
  return "\(tenthsOfMbps / 10).\(tenthsOfMbps % 10) Mbit/s"
}
