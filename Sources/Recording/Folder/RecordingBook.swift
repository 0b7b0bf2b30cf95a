// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Posix

/// What is known about the recordings of a folder beyond their files: a file of JSON lines in the folder itself, so
/// that it goes with a stick. A later line about a recording replaces the earlier ones. What is missing is read from
/// the recordings again, and costs nothing but time; only marks and what is to be kept are nowhere else.
struct RecordingBook {
  /// One line of the book.
  struct Line: Codable, Equatable {
    /// The name of the file.
    var name: String
    /// The size of the file for which the line holds; 0 while it is being written.
    var bytes = 0
    /// The length in seconds; `nil` if the file cannot be read.
    var seconds: Double?
    /// The picture size.
    var width: Int?
    var height: Int?
    /// Whether this is somebody else's file, which is not listed and never touched.
    var isForeign: Bool?
    /// Whether the recording is never removed to make room.
    var isKept: Bool?
    var marks: [RecordingMark]?
  }

  /// Most bytes that are read: those of 50,000 recordings. What is beyond is forgotten.
  private static let mostBytes = 16 << 20
  /// Most bytes of a line.
  private static let mostLineBytes = 1 << 18

  /// The newest line about each name.
  private(set) var lines: [String: Line] = [:]
  /// The lines in the file, with those that were replaced.
  private var written = 0
  /// The size of the file.
  private var size = 0

  /// Reads the book of a folder. What is damaged is left out.
  init(_ folder: OpenFolder) {
    guard let file = try? folder.open(RecordingName.book), let status = try? file.status(),
      let bytes = try? file.read(at: 0, count: min(status.size, RecordingBook.mostBytes))
    else { return }
    size = bytes.count
    let decoder = JSONDecoder()
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.count <= Self.mostLineBytes {
      written += 1
      if let read = try? decoder.decode(Line.self, from: Data(line)) { lines[read.name] = read }
    }
  }

  /// Adds lines, and writes them to the end of the file.
  mutating func note(_ new: [Line], in folder: OpenFolder) throws(SystemError) {
    for line in new { lines[line.name] = line }
    written += new.count
    guard !new.isEmpty else { return }
    if written > 1_000, written > lines.count * 2 { return try rewrite(folder) }
    try append(new, in: folder)
  }

  /// Forgets recordings that are no longer there, and writes the file anew.
  mutating func retain(_ isThere: (String) -> Bool, in folder: OpenFolder) throws(SystemError) {
    let before = lines.count
    lines = lines.filter { isThere($0.key) }
    if lines.count < before { try rewrite(folder) }
  }

  private mutating func append(_ new: [Line], in folder: OpenFolder) throws(SystemError) {
    let name = RecordingName.book
    let file =
      folder.isAbsent(name)
      ? try folder.create(name) : try folder.open(name, forWriting: true)
    // A power cut may have left a line without its end.
    let bytes = [UInt8(ascii: "\n")] + Self.bytes(of: new)
    size = try file.status().size
    try file.write(bytes, at: size)
    size += bytes.count
    try file.flush()
  }

  private mutating func rewrite(_ folder: OpenFolder) throws(SystemError) {
    let name = RecordingName.book + ".new"
    if !folder.isAbsent(name) { try folder.remove(name) }
    let bytes = Self.bytes(of: lines.values.sorted { $0.name < $1.name })
    let file = try folder.create(name)
    try file.write(bytes, at: 0)
    try file.flush()
    try folder.replace(RecordingName.book, by: name)
    try folder.flush()
    (written, size) = (lines.count, bytes.count)
  }

  private static func bytes(of lines: [Line]) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return lines.flatMap { line in
      (try? encoder.encode(line)).map { Array($0) + [UInt8(ascii: "\n")] } ?? []
    }
  }
}
