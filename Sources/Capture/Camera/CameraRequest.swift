// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base
public import Media

/// A request for a camera and its mode. The camera uses the mode of the device that is nearest to the request.
public struct CameraRequest: Sendable, Equatable {
  /// A request for a pixel format.
  public enum Format: Sendable, Hashable {
    /// The format that costs the least processor time without reducing the size or the frame rate.
    case automatic
    /// The given format, used without a conversion, if the device offers it; otherwise as `automatic`.
    case straight(PixelFormat)
    /// Any format that libv4lconvert has to convert, if the device offers one; otherwise as `automatic`.
    case other
  }

  /// The path of the device node or of a link to it, for example in /dev/v4l/by-id; `nil` for the first usable camera.
  public var path: String?
  /// The requested picture size in pixels.
  public var size: PictureSize
  /// The requested frame rate; 1 or more.
  public var framesPerSecond: Int
  /// The requested pixel format.
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

/// The camera that is being used, and the mode that its driver has set.
public struct CameraSelection: Sendable, Equatable {
  /// The name of the device, as its driver states it.
  public var name: String
  /// The path of the device node, or of the link to it, that was opened.
  public var path: String
  /// The picture size in pixels that the driver has set.
  public var size: PictureSize
  /// The pixel format in which the device delivers, by its V4L2 name: "YUYV", "MJPG", "RGB3".
  public var format: String
  /// The frame rate that the driver reports; `nil` if it reports none.
  public var framesPerSecond: Double?
  /// How the mode differs from the request, for people ("1280x720 was requested"); `nil` if the mode is as requested.
  public var difference: String?

  /// The mode in words, for people: "640x480 YUYV at 30/s; 1280x720 was requested".
  public var summary: String {
    let rate = framesPerSecond.map { " at \(rateText($0))/s" } ?? ""
    return "\(size) \(format)\(rate)" + (difference.map { "; \($0)" } ?? "")
  }
}

/// A frame rate as text, with at most two decimals: "30", "29.97", "7.5".
func rateText(_ rate: Double) -> String {
  let hundredths = Int((rate * 100).rounded())
  let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
  if rest == 0 { return "\(whole)" }
  if rest % 10 == 0 { return "\(whole).\(rest / 10)" }
  return rest < 10 ? "\(whole).0\(rest)" : "\(whole).\(rest)"
}
