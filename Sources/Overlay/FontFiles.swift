// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDrawing
internal import Glibc
internal import Posix
internal import Synchronization

/// Why a file cannot be used as a font.
public enum FontError: Error, Equatable, Sendable {
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
  static let maxBytes = 32 << 20
  /// The most files of which the family is remembered: there are at most 200 uploaded files.
  private static let mostKnown = 400

  /// What was read from a file. It is valid as long as the file has this stamp.
  private struct Known {
    var stamp: FileStamp
    /// `nil` for a file that is no font.
    var family: String?
  }

  private static let known = Mutex<[String: Known]>([:])

  /// Whether a file of this name is taken for a font.
  public static func isName(_ name: String) -> Bool {
    let ending = name.split(separator: ".").last?.lowercased() ?? ""
    return ["ttf", "otf", "ttc"].contains(ending)
  }

  /// The name of the font's family; `nil` for a file that is no font. Reads the file only if it has changed: fonts have
  /// many megabytes.
  public static func knownFamily(_ path: String) -> String? {
    guard let stamp = FileStamp(path: path) else { return nil }
    if let known = known.withLock({ $0[path] }), known.stamp == stamp { return known.family }
    let new = Known(stamp: stamp, family: try? family(path))
    known.withLock { known in
      if known.count >= mostKnown { known = [:] }
      known[path] = new
    }
    return new.family
  }

  /// The name of the font's family, by which settings name the font. Reads the file in any case.
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

  /// Throws `.broken` if a table of the font ends beyond the file. FreeType would accept such a truncated font, and
  /// leave out letters.
  private static func checkTables(_ bytes: [UInt8]) throws(FontError) {
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset + count <= bytes.count else { return nil }
      return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
    func check(_ start: Int) throws(FontError) {
      // OpenType: "The table directory".
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

/// The fonts among the uploaded files, which texts can name beside those of the system.
final class FontFiles: Sendable {
  private struct Found: Equatable {
    var path: String
    var stamp: FileStamp?
  }

  /// The font files that texts use now, by their folder. The whole process shares its fonts.
  private static let inUse = Mutex<[String: [Found]]>([:])

  private let folder: String?

  init(folder: String?) { self.folder = folder }

  /// Lets texts use the fonts that are there now.
  /// - Returns: whether they are others than before.
  func refresh() -> Bool {
    guard let folder else { return false }
    let found = File.names(in: folder).filter(FontFile.isName).sorted().map { name in
      Found(path: "\(folder)/\(name)", stamp: FileStamp(path: "\(folder)/\(name)"))
    }
    return Self.inUse.withLock { inUse in
      guard found != inUse[folder] ?? [] else { return false }
      var all = inUse
      all[folder] = found
      let paths = all.values.joined().map(\.path)
      guard FontFiles.use(paths.filter { FontFile.knownFamily($0) != nil }) else { return false }
      inUse = all
      return true
    }
  }

  /// - Returns: `false` if fontconfig has no memory for them.
  private static func use(_ paths: [String]) -> Bool {
    let copies = unsafe paths.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    return unsafe onair_fonts_use(pointers, Int32(pointers.count)) != 0
  }
}
