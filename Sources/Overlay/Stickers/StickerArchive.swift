// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import CZip
internal import Glibc
internal import Posix
internal import Video

/// A folder or a zip with the files of a sticker.
protocol StickerArchive {
  /// Reads a file of the sticker.
  /// - Parameter limit: the maximum size of the file in bytes. A larger file is an error.
  /// - Returns: `nil` if there is no such file.
  func read(_ name: String, limit: Int) throws(StickerError) -> [UInt8]?
}

/// A folder on the box with the files of a sticker. Symbolic links in the folder are not followed.
struct FolderArchive: StickerArchive {
  /// The path of the folder.
  let path: String

  /// Reads a file in the folder; `nil` if the folder has no file of this name.
  func read(_ name: String, limit: Int) throws(StickerError) -> [UInt8]? {
    do throws(FileError) {
      return try File.read("\(path)/\(name)", limit: limit, followsLinks: false).bytes
    } catch {
      if error == .missing { return nil }
      throw .image(name, StillError(error))
    }
  }
}

/// A zip file. Its list of entries is checked before anything is unpacked, and a zip with a harmful entry is rejected.
@safe final class ZipArchive: StickerArchive {
  /// The maximum number of entries in the zip.
  static let maxEntries = 1_100
  /// The maximum size of all files in the zip together, unpacked, in bytes.
  static let maxUnpackedBytes = 64 << 20

  /// The open zip.
  private let zip: unzFile
  /// Where each entry is in the zip, and its unpacked size in bytes, by its path in the zip.
  private var entries: [String: (place: unz64_file_pos, size: Int)] = [:]
  /// The folder in the zip that contains config.json, with a slash at its end; empty for the top level.
  private var folder = ""

  init(path: String) throws(StickerError) {
    let descriptor: Int32
    do throws(FileError) { descriptor = try File.openRegular(path) } catch {
      throw .file(StillError(error))
    }
    let size = onair_zip_judge(descriptor, Int32(Self.maxEntries), off_t(2 * Self.maxUnpackedBytes))
    guard size == onair_zip_small else {
      close(descriptor)
      throw size == onair_zip_many_entries ? .tooManyEntries : .tooManyBytes
    }
    guard let zip = unsafe onair_zip_open(descriptor) else { throw .broken }
    unsafe self.zip = zip
    try list()
  }

  deinit { unsafe onair_zip_close(zip) }

  /// Reads the list of entries into `entries`, checks it, and finds `folder`.
  private func list() throws(StickerError) {
    let count = unsafe onair_zip_count(zip)
    guard count <= Self.maxEntries else { throw .tooManyEntries }
    var bytes = 0
    var entry = onair_zip_entry()
    for index in 0..<max(0, count) {
      guard unsafe onair_zip_next(zip, index == 0 ? 1 : 0, &entry) != 0 else { throw .broken }
      // A name that is not UTF-8, as older programs write it, is decoded wrongly. Then `read` does not find the file by
      // the name in config.json.
      let name = unsafe withUnsafeBytes(of: &entry.name) { bytes in
        unsafe String(decoding: bytes.prefix(Int(entry.name_length)), as: UTF8.self)
      }
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard !name.isEmpty, !parts.contains(".."), name.first != "/", !name.contains("\\"),
        name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else { throw .entry(String(name.prefix(80)), .leadsOut) }
      guard entry.is_special == 0 else { throw .entry(name, .link) }
      guard entries[name] == nil else { throw .entry(name, .duplicate) }
      guard entry.size <= UInt64(Self.maxUnpackedBytes) else { throw .tooManyBytes }
      bytes += Int(entry.size)
      guard bytes <= Self.maxUnpackedBytes else { throw .tooManyBytes }
      entries[name] = (entry.place, Int(entry.size))
    }
    // Many zips contain a folder with the files, instead of the files themselves: use the config.json with the shortest
    // path.
    let configs = entries.keys.filter { $0 == "config.json" || $0.hasSuffix("/config.json") }
    let config = configs.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    folder = String((config ?? "").dropLast("config.json".count))
  }

  /// Unpacks a file from the zip's folder with config.json; `nil` if that folder has no file of this name.
  func read(_ name: String, limit: Int) throws(StickerError) -> [UInt8]? {
    guard let (place, size) = entries[folder + name] else { return nil }
    guard size <= limit else { throw .image(name, .tooManyBytes(size)) }
    var bytes = [UInt8](repeating: 0, count: size)
    let isRead = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      unsafe onair_zip_read(zip, place, bytes.baseAddress, UInt64(size)) != 0
    }
    guard isRead else { throw .entry(name, .unreadable) }
    return bytes
  }
}
