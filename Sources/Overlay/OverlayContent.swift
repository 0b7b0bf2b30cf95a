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

  /// The path of the file or folder that the overlay shows; `nil` for a text.
  var path: String? {
    switch self {
    case .image(let path), .sticker(let path): path
    case .text: nil
    }
  }

  /// Identifies the present version of the file at `path`, or of the files in the folder there; `nil` if there is none.
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
  /// The stamp of the file or folder itself.
  let itself: FileStamp
  /// The stamps of the files in a sticker's folder, by their names.
  var files: [String: FileStamp] = [:]
}

/// Why an overlay is not shown as a person expects.
public enum OverlayTrouble: Error, Equatable {
  case image(StillError)
  case sticker(StickerError)
  /// No font has some characters of the text, which belong to these scripts.
  case missingCharacters([String])
  /// A text file that a variable names cannot be shown: the name of the file, and the rest of a sentence that begins
  /// with it.
  case textFile(String, String)
  /// A text that moves needs too much memory.
  case tooLong
  /// A text that moves needs this number of bytes, for which other moving overlays leave no room now.
  case noRoom(Int)
  /// There is not enough memory.
  case notDrawn

  /// The number of bytes that the overlay needs and that other overlays take now; `nil` for any other trouble.
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
