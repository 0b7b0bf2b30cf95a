// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How the value of a setting names a file. It decides what may be named from elsewhere than the box.
public struct FileReference: Sendable, Equatable {
  public enum Use: Sendable {
    /// A file or folder of the box itself, such as a stream key: it is never named from elsewhere.
    case own
    /// An image, a film or a sound, for viewers. From elsewhere only a file of the media folder is named.
    case media
    /// The device of a camera.
    case camera
  }

  public let use: Use
  /// What stands before the path: "file:", or nothing.
  public let prefix: String

  init(_ use: Use, after prefix: String = "") {
    self.use = use
    self.prefix = prefix
  }

  /// The path in a value; `nil` if the value names no file in this way.
  public func path(in text: String) -> String? {
    guard text.hasPrefix(prefix) else { return nil }
    let path = text.dropFirst(prefix.count)
    return path.isEmpty ? nil : String(path)
  }

  /// Whether a path is one that the kernel or udev gives to a camera: /dev/video0, /dev/v4l/by-id/NAME,
  /// /dev/v4l/by-path/NAME. To open another device may have an effect, as with a watchdog.
  static func isCamera(_ path: String) -> Bool {
    let video = "/dev/video"
    if path.hasPrefix(video) { return isNumber(path.dropFirst(video.count), digits: 5) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5
      && ["/dev/v4l/by-id", "/dev/v4l/by-path"].contains(
        parts.prefix(4).joined(separator: "/"))
      && !["", ".", ".."].contains(parts[4])
  }
}

/// Files for viewers that are uploaded: in a folder of the state directory.
public enum MediaFolder {
  /// The folder in the state directory, and the first part of such a path in a setting: "media/clip.mp4".
  public static let directoryName = "media"
  /// Bytes of a name at most: file systems take 255, and a file that is being uploaded has a longer one.
  static let longestName = 200

  /// Whether a file may have this name: it has no folder in it, is not hidden, and can be printed and typed.
  public static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && !name.utf8.contains(UInt8(ascii: "/"))
      && name.utf8.first != UInt8(ascii: ".") && !name.hasHiddenCharacters
  }

  /// The name in "media/NAME"; `nil` for all other paths.
  public static func name(inPath path: String) -> String? {
    let start = Array("\(directoryName)/".utf8)
    guard path.utf8.starts(with: start) else { return nil }
    let name = String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self)
    return isName(name) ? name : nil
  }
}
