// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Overlay
package import Posix
package import Settings

/// Why a media file cannot be uploaded or removed.
package enum MediaFilesError: UploadError {
  /// Another upload is under way.
  case busy
  /// A media file cannot have this name.
  case unfitName
  /// The file has more than `MediaFiles.maxBytes`.
  case tooLong
  /// The disk has room for no more than this many bytes.
  case noRoom(Int)
  /// The folder has `MediaFiles.maxFiles` files already.
  case tooMany
  /// There is no file of this name.
  case unknown
  /// The file is in use: these settings name it.
  case inUse([String])
  /// The file cannot be written to the disk, or removed from it.
  case notSaved(SystemError)
  /// The file name has the extension of a font (ttf, otf, ttc), but texts cannot use the file. The values are the name
  /// and the reason.
  case unfitFont(String, reason: String)
}

/// Keeps the files that people upload to show or play them to viewers, in a folder of the state directory. A setting
/// names such a file as `media/NAME`.
///
/// A file is written under a hidden name, flushed, and then renamed: after a power cut it is complete, or not there.
package final class MediaFiles: Sendable {
  /// The uploaded files, as `GET /api/media` writes them. The names of the fields are a contract.
  package struct List: Encodable, Sendable {
    /// The files, in alphabetical order.
    var files: [Entry]
    /// The bytes that are free for further files.
    var freeBytes: Int
  }

  /// An uploaded file in the list.
  struct Entry: Encodable, Sendable {
    var name: String
    var bytes: Int
    var kind: Kind
    /// The keys of the settings that name the file.
    var usedBy: [String]
    /// For a font, the name of its family, by which settings refer to it; otherwise `nil`.
    var family: String?
  }

  /// The kind of a file, told by the extension of its name.
  enum Kind: String, Encodable, Sendable {
    case image, video, audio, font, sticker, text, other

    private static let endings: [Kind: Set<String>] = [
      .image: ["png", "jpg", "jpeg"],
      .video: [
        "mp4", "m4v", "mov", "mkv", "webm", "ts", "m2ts", "mts", "avi", "flv", "mpg", "mpeg", "ogv",
        "3gp",
      ],
      .audio: ["wav", "mp3", "m4a", "aac", "ogg", "oga", "opus", "flac"],
      .font: ["ttf", "otf", "ttc"],
      .sticker: ["zip", "apng"],
      .text: ["txt"],
    ]

    init(name: String) {
      let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
      self = Kind.endings.first { $0.value.contains(ending) }?.key ?? .other
    }
  }

  /// The most bytes of a file. A larger file would not arrive within the time limit of an upload.
  package static let maxBytes = 4 << 30
  /// Bytes of the disk that uploads leave free: an update takes 400 MB of them, and settings, passwords and the journal
  /// need some.
  static let reservedBytes = 512 << 20
  /// The most files in the folder, so that a person can keep track of them.
  static let maxFiles = 200
  /// The hidden name of the file that is being uploaded.
  private static let uploadName = ".upload"

  /// The path of the folder with the uploaded files.
  private let folder: String
  /// Returns the free bytes of the file system that a folder is in; `nil` if they are not known.
  private let room: @Sendable (_ directory: String) -> Int?
  /// Allows one upload at a time.
  private let slot = UploadSlot()

  /// - Parameters:
  ///   - directory: the state directory.
  ///   - room: returns the free bytes of the file system that a folder is in; `nil` if they are not known.
  package init(
    directory: String,
    room: @escaping @Sendable (_ directory: String) -> Int? = { File.freeBytes(in: $0) }
  ) {
    folder = "\(directory)/\(MediaFolder.directoryName)"
    self.room = room
    // Remove what is left of an upload that a power cut ended.
    File.unlink("\(folder)/\(Self.uploadName)")
  }

  /// The list of the uploaded files.
  package func list(_ configuration: Configuration) -> List {
    let files = names.sorted().compactMap { name in
      size(of: name).map {
        Entry(
          name: name, bytes: $0, kind: Kind(name: name),
          usedBy: configuration.settings(naming: name),
          family: FontFile.hasFontExtension(name) ? FontFile.cachedFamily("\(folder)/\(name)") : nil
        )
      }
    }
    return List(files: files, freeBytes: freeBytes)
  }

  /// The names of the uploaded files, in any order.
  private var names: [String] { File.names(in: folder).filter(MediaFolder.isName) }

  /// The size of an uploaded file in bytes; `nil` if there is no file of this name.
  private func size(of name: String) -> Int? { File.size("\(folder)/\(name)") }

  /// The number of bytes that further files may take. Reading it makes the folder if the folder does not exist.
  private var freeBytes: Int {
    File.makePrivateFolder(folder)
    return max(0, (room(folder) ?? 0) - Self.reservedBytes)
  }

  /// Returns the path of an uploaded file; `nil` if there is none of this name.
  package func path(of name: String) -> String? {
    guard MediaFolder.isName(name), size(of: name) != nil else { return nil }
    return "\(folder)/\(name)"
  }

  /// A file that is being uploaded. It is removed unless `finish` is called.
  package final class Upload: Sendable {
    private let file: FileUpload<MediaFilesError>

    fileprivate init(_ files: MediaFiles, room: Int) throws(MediaFilesError) {
      file = try FileUpload(
        "\(files.folder)/\(MediaFiles.uploadName)", limit: min(room, MediaFiles.maxBytes),
        tooLong: room < MediaFiles.maxBytes ? .noRoom(room) : .tooLong, slot: files.slot)
    }

    package func write(_ bytes: [UInt8]) throws(MediaFilesError) { try file.write(bytes) }

    /// Flushes the file and gives it its final name. An older file of that name is replaced. A font that texts cannot
    /// use is refused and removed: otherwise the fault would show only in the picture.
    package func finish(_ name: String) throws(MediaFilesError) {
      if FontFile.hasFontExtension(name) {
        do throws(FontError) { _ = try FontFile.family(file.path) } catch {
          file.end()
          throw .unfitFont(name, reason: error.sentence)
        }
      }
      try file.keep(as: name)
    }
  }

  /// Begins an upload.
  /// - Parameter bytes: the length of the file; `nil` if the client has not told it.
  package func beginUpload(_ name: String, bytes: Int?) throws(MediaFilesError) -> Upload {
    guard MediaFolder.isName(name) else { throw .unfitName }
    return try slot.beginUpload { () throws(MediaFilesError) in
      let free = freeBytes
      guard bytes ?? 0 <= Self.maxBytes else { throw .tooLong }
      guard max(1, bytes ?? 0) <= free else { throw .noRoom(free) }
      let names = names
      guard names.count < Self.maxFiles || names.contains(name) else { throw .tooMany }
      return try Upload(self, room: free)
    }
  }

  /// Removes an uploaded file that no setting names.
  /// - Parameter configuration: the settings in force, which must not change during the call.
  package func remove(_ name: String, _ configuration: Configuration) throws(MediaFilesError) {
    guard path(of: name) != nil else { throw .unknown }
    let uses = configuration.settings(naming: name)
    guard uses.isEmpty else { throw .inUse(uses) }
    do throws(SystemError) {
      try File.remove(name, in: folder)
    } catch {
      throw .notSaved(error)
    }
  }
}

extension MediaFilesError {
  /// The reply to the request that has failed with this error.
  package var reply: ControlReply {
    switch self {
    case .busy:
      ControlReply(fault: "busy", "Another file is being uploaded: try again afterwards.")
    case .unfitName:
      ControlReply(
        fault: "unfit_file_name",
        "A file's name has 1 to 200 bytes, no \"/\", no control characters, and no dot at its beginning."
      )
    case .tooLong:
      ControlReply(
        fault: "too_long",
        "A file has at most \(MediaFiles.maxBytes >> 30) GB: cut it, or encode it with a lower bit rate."
      )
    case .noRoom(let bytes):
      ControlReply(
        fault: "no_room",
        "There is room for \(bytes >> 20) MB, since \(MediaFiles.reservedBytes >> 20) MB of the disk stay free: delete files that "
          + "are not needed.")
    case .tooMany:
      ControlReply(
        fault: "too_many_files",
        "There are \(MediaFiles.maxFiles) files already: delete one that is not needed.")
    case .unknown: ControlReply(fault: "no_such_file", "There is no such file.")
    case .inUse(let keys):
      ControlReply(
        fault: "in_use",
        "This file is in use (\(keys.joined(separator: ", "))): choose another one there first.")
    case .unfitFont(let name, let reason):
      ControlReply(fault: "unfit_font", "\(name) \(reason).")
    case .notSaved(let error):
      ControlReply(
        fault: "not_saved",
        "The file cannot be changed (\(error)), and nothing has changed: check the disk.")
    }
  }
}
