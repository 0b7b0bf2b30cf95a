// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux
internal import Posix

extension RecordingFolder {
  /// Finishes the recordings that a power cut or a pulled disk has left unfinished: cuts each off after its last whole
  /// fragment, and gives it its index. Removes files in which nothing is whole, and leaves those that are too large. To
  /// be called when the program starts and when a disk comes, on a thread of its own: a recording of an hour takes
  /// seconds.
  /// - Returns: the recordings that were finished.
  public func mend() throws(RecordingError) -> [Recording] {
    var mended: Set<String> = []
    try use { (folder) throws(SystemError) in
      if !folder.isAbsent(RecordingName.next) { try folder.remove(RecordingName.next) }
      // On FAT, a cut during the renaming leaves an empty file.
      for name in folder.isFAT ? try folder.names(most: Self.mostNames) : []
      where RecordingName.isMade(name) && folder.entry(name)?.size == 0 {
        try folder.remove(name)
      }
    }
    for recording in try list() where !recording.isRunning && recording.seconds == nil {
      let isMended = try use { (folder) throws(SystemError) in
        try Self.mend(recording.name, in: folder)
      }
      if isMended { mended.insert(recording.name) }
    }
    return mended.isEmpty ? [] : try list().filter { mended.contains($0.name) }
  }

  /// Finishes one recording.
  /// - Returns: whether it was unfinished and is finished now.
  private static func mend(_ name: String, in folder: OpenFolder) throws(SystemError) -> Bool {
    let file = try folder.open(name, forWriting: true)
    switch try MovieScan.verdict(size: try file.status().size, file.read) {
    case .finished, .tooLarge: return false
    case .nothing:
      try folder.remove(name)
      return false
    case .unfinished(let movie):
      try MovieEnding.write(movie, to: file)
      return true
    }
  }
}

/// Turns a file of fragments into an ordinary movie.
enum MovieEnding {
  /// Appends the index, and flushes it before the file's beginning says that it is there. After a power cut between any
  /// two steps, the fragments are whole, and `MovieScan` finds them.
  static func write(_ movie: MovieWriter, to file: any RecordingFile) throws(SystemError) {
    let ending = movie.ending()
    try file.truncate(to: movie.size)
    try file.write(ending, at: movie.size)
    try file.flush()
    try file.write(movie.mediaHeader(), at: MovieWriter.mediaHeaderOffset)
    try file.flush()
    try file.truncate(to: movie.size + ending.count)
  }
}
