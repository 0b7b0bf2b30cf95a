// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
public import Video

/// The content of an overlay: an image, a text or a sticker.
public enum OverlayContent: Hashable, Sendable {
  /// A PNG or JPEG file, and the image that is shown if that cannot be read.
  case image(path: String, spare: StillImage.BuiltIn? = nil)
  /// A text with variables such as `{time}`, and its style.
  case text(String, TextStyle)
  /// An animated PNG, or a zip or folder with images and a config.json.
  case sticker(path: String)

  /// The path of the file or folder that the overlay shows; `nil` for a text.
  var path: String? {
    switch self {
    case .image(let path, _), .sticker(let path): path
    case .text: nil
    }
  }

  /// Identifies the current version of the file or folder at `path`; `nil` for a text, or if there is no such file.
  var stamp: OverlayStamp? {
    guard let path, let fileOrFolder = FileStamp(path: path) else { return nil }
    var stamp = OverlayStamp(fileOrFolder: fileOrFolder)
    if case .sticker = self, FileStamp(path: "\(path)/config.json") != nil {
      for name in File.names(in: path) { stamp.files[name] = FileStamp(path: "\(path)/\(name)") }
    }
    return stamp
  }
}

/// Identifies a version of the file or folder that an overlay shows.
struct OverlayStamp: Equatable {
  /// The stamp of the file or folder itself.
  let fileOrFolder: FileStamp
  /// The stamps of the files in a sticker's folder, keyed by file name.
  var files: [String: FileStamp] = [:]
}

/// Why an overlay is not shown, or not completely.
public enum OverlayTrouble: Error, Equatable {
  /// An image file cannot be shown, for this reason.
  case image(StillError)
  /// A sticker cannot be shown, for this reason.
  case sticker(StickerError)
  /// The text has characters that no font has. The value names the scripts that these characters belong to.
  case missingCharacters([String])
  /// A text file that a variable names cannot be shown. The values are the file's name, and the reason: the rest of a
  /// sentence that begins with the file's name.
  case textFile(String, String)
  /// A scrolling text needs more memory than one layer may have.
  case tooLong
  /// A scrolling text needs this number of bytes, but other moving overlays have reserved too much of the memory for
  /// overlays.
  case noRoom(Int)
  /// There is not enough memory to draw the overlay.
  case notDrawn

  /// The number of bytes that the overlay needs, if the trouble is that other overlays have reserved too much memory;
  /// `nil` for any other trouble.
  var missingBytes: Int? {
    switch self {
    case .noRoom(let bytes), .sticker(.noRoom(let bytes)): bytes
    default: nil
    }
  }

  /// The name of the overlay's setting that a person has to change.
  public var field: String {
    switch self {
    case .image, .sticker: "file"
    case .missingCharacters, .textFile, .tooLong, .noRoom: "text"
    case .notDrawn: "size"
    }
  }

  /// The cause and the remedy, for people: the rest of a sentence that begins with the name of the setting `field`.
  public var sentence: String {
    switch self {
    case .image(let error): error.sentence
    case .sticker(let error): error.sentence
    case .missingCharacters(let scripts):
      "has characters that no font here has (\(scripts.joined(separator: ", "))): they are shown as boxes. Upload a font "
        + "that has them, and name it as this overlay's font, or write them in other letters"
    case .textFile(let name, let fault): "names the text file \"\(name)\", which \(fault)"
    case .tooLong:
      "is too long to move at this size: shorten it, or choose a smaller size"
    case .noRoom(let bytes):
      "needs \(bytes >> 20) MiB to move, for which stickers and other moving texts leave no room: shorten it, make one of "
        + "them smaller, or switch one off"
    case .notDrawn: "cannot be drawn, because there is not enough memory. Make the overlay smaller"
    }
  }
}
