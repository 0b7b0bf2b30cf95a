// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What is asked of a camera. Each is a wish but `path`: the nearest that the device has is taken.
public struct CameraRequest: Sendable, Equatable {
  /// Which layout is wished for.
  public enum Format: Sendable, Hashable {
    /// The cheapest that costs neither size nor rate.
    case automatic
    /// This one, where the device has it.
    case straight(PixelFormat)
    /// One that goes through libv4lconvert, where the device has such.
    case other
  }

  /// The device node, or a link to it such as those in /dev/v4l/by-id; `nil`: the first usable camera.
  public var path: String?
  /// Pixels.
  public var size: PictureSize
  /// 1 or more.
  public var framesPerSecond: Int
  /// The layout.
  public var format: Format

  /// A request with what is asked for most often.
  public init(
    path: String? = nil, size: PictureSize = PictureSize(width: 1280, height: 720),
    framesPerSecond: Int = 30, format: Format = .automatic
  ) {
    self.path = path
    self.size = size
    self.framesPerSecond = max(1, framesPerSecond)
    self.format = format
  }
}

/// The camera that is in use, and how.
public struct CameraSelection: Sendable, Equatable {
  /// What the device calls itself.
  public var name: String
  /// The node, or the link to it, that was opened.
  public var path: String
  /// Pixels.
  public var size: PictureSize
  /// The format's four characters, as the device sends it: "YUYV", "MJPG", "RGB3".
  public var format: String
  /// `nil` when the driver does not tell.
  public var framesPerSecond: Double?
  /// In what it falls short of or differs from what was asked ("1280x720 was asked for"); `nil`: in
  /// nothing.
  public var difference: String?

  /// "640x480 YUYV at 30/s; 1280x720 was asked for".
  public var summary: String {
    let rate = framesPerSecond.map { " at \(rateText($0))/s" } ?? ""
    return "\(size) \(format)\(rate)" + (difference.map { "; \($0)" } ?? "")
  }
}

/// A rate with at most two decimals: "30", "29.97", "7.5".
func rateText(_ rate: Double) -> String {
  let hundredths = Int((rate * 100).rounded())
  let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
  if rest == 0 { return "\(whole)" }
  if rest % 10 == 0 { return "\(whole).\(rest / 10)" }
  return rest < 10 ? "\(whole).0\(rest)" : "\(whole).\(rest)"
}
