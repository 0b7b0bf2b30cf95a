// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDrawing
internal import Glibc
internal import Posix
internal import Synchronization

/// Why a file cannot be used as a font.
public enum FontError: Error, Equatable, Sendable {
  /// The file has more bytes than `FontFile.maxBytes`; the value is their number.
  case tooLong(Int)
  /// The file is neither TrueType nor OpenType.
  case notAFont
  /// The file is truncated or damaged.
  case broken

  /// The cause and the remedy, for people: the rest of a sentence that begins with the file's name.
  public var sentence: String {
    switch self {
    case .tooLong(let count):
      "has \(count >> 20) MiB, but a font may have \(FontFile.maxBytes >> 20) MiB: take one with fewer characters"
    case .notAFont: "is not a TrueType or OpenType font: save it as one of them, .ttf or .otf"
    case .broken: "is damaged or incomplete: copy it again"
    }
  }
}

/// Reads font files that the owner of the box has uploaded.
public enum FontFile {
  /// The maximum size of a font file in bytes.
  static let maxBytes = 32 << 20
  /// The most families in `cache`; a full cache is emptied. At most 200 files can be uploaded at a time.
  private static let maxCachedFamilies = 400

  /// The font family that was read from a file. It is valid as long as the stamp of the file equals `stamp`.
  private struct CachedFamily {
    var stamp: FileStamp
    /// The name of the font's family; `nil` for a file that is no font.
    var family: String?
  }

  /// The families of the files that were read, keyed by path.
  private static let cache = Mutex<[String: CachedFamily]>([:])

  /// Whether a file name has the extension of a font: ttf, otf or ttc.
  public static func hasFontExtension(_ name: String) -> Bool {
    let ending = name.split(separator: ".").last?.lowercased() ?? ""
    return ["ttf", "otf", "ttc"].contains(ending)
  }

  /// The name of the font's family; `nil` for a file that is no font. Reads the file only if it is not cached or has
  /// changed, because a font may have many megabytes.
  public static func cachedFamily(_ path: String) -> String? {
    guard let stamp = FileStamp(path: path) else { return nil }
    if let known = cache.withLock({ $0[path] }), known.stamp == stamp { return known.family }
    let new = CachedFamily(stamp: stamp, family: try? family(path))
    cache.withLock { cache in
      if cache.count >= maxCachedFamilies { cache = [:] }
      cache[path] = new
    }
    return new.family
  }

  /// The name of the font's family, which the settings use as the name of the font. Always reads the file.
  public static func family(_ path: String) throws(FontError) -> String {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path, limit: maxBytes).bytes } catch {
      if case .tooLong(let count) = error { throw .tooLong(count) }
      throw .broken
    }
    try checkTables(bytes)
    var name = [CChar](repeating: 0, count: 256)
    guard unsafe onair_font_family(path, &name, name.count) != 0 else { throw .broken }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Throws `.notAFont` if a file is neither TrueType nor OpenType, and `.broken` if a table of the font extends beyond
  /// the end of the file. FreeType would accept such a truncated font, and draw texts without some letters.
  private static func checkTables(_ bytes: [UInt8]) throws(FontError) {
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset + count <= bytes.count else { return nil }
      return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func check(_ start: Int) throws(FontError) {
      // The font's table directory, as the OpenType specification describes it.
      guard let count = number(start + 4, 2), (1...512).contains(count) else { throw .broken }
      for table in 0..<count {
        guard let offset = number(start + 12 + table * 16 + 8, 4),
          let length = number(start + 12 + table * 16 + 12, 4), offset + length <= bytes.count
        else { throw .broken }
      }
    }
    switch number(0, 4) {
    case 0x0001_0000, 0x4F54_544F, 0x7472_7565: try check(0)  // "OTTO", "true"
    case 0x7474_6366:  // "ttcf": a collection
      guard let count = number(8, 4), (1...64).contains(count) else { throw .broken }
      for index in 0..<count {
        guard let start = number(12 + index * 4, 4) else { throw .broken }
        try check(start)
      }
    default: throw .notAFont
    }
  }
}

/// The uploaded fonts, which texts can use in addition to the fonts of the system.
final class FontFiles: Sendable {
  /// A font file in the folder. `stamp` identifies the version of the file; `nil` if the file was removed after the
  /// folder had been listed.
  private struct FoundFont: Equatable {
    var path: String
    var stamp: FileStamp?
  }

  /// The font files that are registered with fontconfig, keyed by folder. They are shared, because fontconfig has one
  /// list of fonts per process.
  private static let inUse = Mutex<[String: [FoundFont]]>([:])

  /// The folder of uploaded files; `nil` without one.
  private let folder: String?

  init(folder: String?) { self.folder = folder }

  /// Registers the fonts that the folder contains now with fontconfig, so that texts can use them.
  /// - Returns: whether the registered fonts have changed.
  func refresh() -> Bool {
    guard let folder else { return false }
    let found = File.names(in: folder).filter(FontFile.hasFontExtension).sorted().map { name in
      FoundFont(path: "\(folder)/\(name)", stamp: FileStamp(path: "\(folder)/\(name)"))
    }
    return Self.inUse.withLock { inUse in
      guard found != inUse[folder] ?? [] else { return false }
      var all = inUse
      all[folder] = found
      let paths = all.values.joined().map(\.path)
      guard FontFiles.register(paths.filter { FontFile.cachedFamily($0) != nil }) else {
        return false
      }
      inUse = all
      return true
    }
  }

  /// Replaces the uploaded fonts that are registered with fontconfig. Returns `false` if memory has run out.
  private static func register(_ paths: [String]) -> Bool {
    let copies = unsafe paths.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    return unsafe onair_fonts_use(pointers, Int32(pointers.count)) != 0
  }
}
