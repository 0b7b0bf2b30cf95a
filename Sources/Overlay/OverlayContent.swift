// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
public import Video

/// What an overlay shows.
public enum OverlayContent: Hashable, Sendable {
  /// A PNG or JPEG file.
  case image(path: String)
  /// A text with variables, in a style.
  case text(String, TextStyle)
  /// An animated PNG, or a zip or a folder of images and a config.json.
  case sticker(path: String)

  /// The file whose change changes what is seen; `nil` for a text.
  var path: String? {
    switch self {
    case .image(let path), .sticker(let path): path
    case .text: nil
    }
  }

  /// Tells that file, or what is in that folder, as it is now from what it was before; `nil` without one.
  var stamp: OverlayStamp? {
    guard let path, let itself = FileStamp(path: path) else { return nil }
    var stamp = OverlayStamp(itself: itself)
    if case .sticker = self, FileStamp(path: "\(path)/config.json") != nil {
      for name in File.names(in: path) { stamp.files[name] = FileStamp(path: "\(path)/\(name)") }
    }
    return stamp
  }
}

/// The stamps of what an overlay shows.
struct OverlayStamp: Equatable {
  /// Of the file or folder itself.
  let itself: FileStamp
  /// Of the files in a sticker's folder, by their names.
  var files: [String: FileStamp] = [:]
}

/// Why an overlay is not shown as a person expects.
public enum OverlayTrouble: Error, Equatable {
  case image(StillError)
  case sticker(StickerError)
  /// No font has some of its characters, which belong to these scripts.
  case missingCharacters([String])
  /// A text file that a variable names cannot be shown: its name, and the rest of a sentence about it.
  case textFile(String, String)
  /// A line that moves needs too much memory.
  case tooLong
  /// A line that moves needs so many bytes, for which other moving overlays leave no room now.
  case noRoom(Int)
  /// There is not enough memory.
  case notDrawn

  /// The bytes that it needs and that others have now; `nil` if that is not what is wrong.
  var missingBytes: Int? {
    switch self {
    case .noRoom(let bytes), .sticker(.noRoom(let bytes)): bytes
    default: nil
    }
  }

  /// The setting of the overlay that is to be changed.
  public var field: String {
    switch self {
    case .image, .sticker: "file"
    case .missingCharacters, .textFile, .tooLong, .noRoom: "text"
    case .notDrawn: "size"
    }
  }

  /// To be read after the name of that setting.
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
