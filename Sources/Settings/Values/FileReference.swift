// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// How the value of a setting names a file, and what the file is for. This decides which files a remote client (one
/// that connects over TCP) may name.
public struct FileReference: Sendable, Equatable {
  /// The purpose of a file that a setting names.
  public enum Use: Sendable {
    /// A file or folder of the box itself, such as a key file or a pipe. A remote client may not name it.
    case own
    /// An image, a film or a sound for viewers. A remote client may name only files in the media folder.
    case media
    /// A folder with sounds for viewers. A remote client may name only the media folder itself.
    case mediaFolder
    /// The device of a camera. A remote client may name only such devices.
    case camera
  }

  /// The purpose of the file, which decides whether a remote client may name it.
  public let use: Use
  /// The text before the path in a value, such as "file:"; empty if the value is only the path.
  public let prefix: String

  init(_ use: Use, after prefix: String = "") {
    self.use = use
    self.prefix = prefix
  }

  /// The path in a value; `nil` if the value does not have the prefix, or if nothing follows it.
  public func path(in text: String) -> String? {
    guard text.hasPrefix(prefix) else { return nil }
    let path = text.dropFirst(prefix.count)
    return path.isEmpty ? nil : String(path)
  }

  /// The full path of a file in the media folder, or of that folder; `nil` if `path` names neither.
  /// - Parameter folder: the full path of the media folder.
  func wholePath(of path: String, _ folder: String) -> String? {
    switch use {
    case .media: MediaFolder.name(inPath: path).map { "\(folder)/\($0)" }
    case .mediaFolder: path == MediaFolder.directoryName ? folder : nil
    case .own, .camera: nil
    }
  }

  /// Whether `path` is a path that the kernel or udev gives to a camera: /dev/video0, /dev/v4l/by-id/NAME,
  /// /dev/v4l/by-path/NAME. Opening another device may have side effects: opening a watchdog device, for example, may
  /// restart the machine.
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

/// The folder in the state directory with uploaded images, films and sounds for viewers.
public enum MediaFolder {
  /// The folder's name in the state directory. In settings, the path of a file in the folder begins with this name:
  /// "media/clip.mp4".
  public static let directoryName = "media"
  /// Maximum length of a file name in bytes. File systems allow 255, but a file has a longer name while it is being
  /// uploaded.
  static let maxNameBytes = 200

  /// Whether a file in the folder may have this name: the name contains no slash, does not begin with ".", and can be
  /// printed and typed.
  public static func isName(_ name: String) -> Bool {
    (1...maxNameBytes).contains(name.utf8.count) && !name.utf8.contains(UInt8(ascii: "/"))
      && name.utf8.first != UInt8(ascii: ".") && !name.hasHiddenCharacters
  }

  /// The file name in "media/NAME"; `nil` for all other paths.
  public static func name(inPath path: String) -> String? {
    let start = Array("\(directoryName)/".utf8)
    guard path.utf8.starts(with: start) else { return nil }
    let name = String(decoding: path.utf8.dropFirst(start.count), as: UTF8.self)
    return isName(name) ? name : nil
  }
}
