// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// The requested mode of a camera. The nearest one that the device offers is used.
public struct CameraRequest: Sendable, Equatable {
  /// The requested pixel format.
  public enum Format: Sendable, Hashable {
    /// The cheapest format that does not reduce size or frame rate.
    case automatic
    /// This format, if the device offers it.
    case straight(PixelFormat)
    /// A format that libv4lconvert has to convert, if the device offers one.
    case other
  }

  /// The device node or a link to it, for example in /dev/v4l/by-id; `nil` for the first usable camera.
  public var path: String?
  /// Pixels.
  public var size: PictureSize
  /// 1 or more.
  public var framesPerSecond: Int
  public var format: Format

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

/// The camera in use and its mode.
public struct CameraSelection: Sendable, Equatable {
  /// The device's own name.
  public var name: String
  /// The node or link that was opened.
  public var path: String
  /// Pixels.
  public var size: PictureSize
  /// The device's pixel format: "YUYV", "MJPG", "RGB3".
  public var format: String
  /// `nil` if the driver does not report it.
  public var framesPerSecond: Double?
  /// How the mode differs from the request ("1280x720 was requested"); `nil` if it does not.
  public var difference: String?

  /// "640x480 YUYV at 30/s; 1280x720 was requested".
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
