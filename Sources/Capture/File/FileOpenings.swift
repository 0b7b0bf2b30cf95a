// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
internal import Synchronization

/// Refuses media files that have crashed the program at several openings in a row, because of a bug in a decoder or
/// because they used up the memory.
///
/// When a file is opened, its number of openings is stored on the disk. The number is removed when the file is closed,
/// or has played for a while. So if the program finds a number on the disk when it starts, an earlier run has died soon
/// after it had opened that file.
public final class FileOpenings: Sendable {
  /// A file is refused after this many openings in a row, each of which was soon followed by the death of the program.
  public static let maxFailedOpenings = 3
  /// How long a file must play to count as harmless, in nanoseconds.
  static let harmlessAfterNanos: Int64 = .seconds(10)
  /// The name of the file with the numbers of openings.
  private static let fileName = "media-openings"
  /// The maximum size in bytes of the file with the numbers of openings.
  private static let maxFileBytes = 1 << 16

  /// The numbers of openings of all files, and which files have turned out to be harmless.
  private struct State {
    /// For each file, the number of openings in a row that ended with a crash of the program, or that have not ended
    /// yet; keyed by the file's key (size, modification time and path).
    var unfinishedOpenings: [String: Int] = [:]
    /// For each file that does not count as harmless yet, the number of sources that have opened the file; keyed by
    /// the file's key (size, modification time and path).
    var openSources: [String: Int] = [:]
    /// The keys of the files that were closed, or have played long enough to count as harmless.
    var harmless: Set<String> = []
  }

  /// The folder where the numbers of openings are stored; `nil` to allow all files.
  private let directory: String?
  /// The numbers of openings of all files. The threads of several sources use them at the same time.
  private let state: Mutex<State>

  /// Reads the numbers of openings from the disk.
  /// - Parameter directory: the folder where they are stored, which only this user can write to; `nil` to allow all
  ///   files.
  public init(directory: String? = nil) {
    self.directory = directory
    var start = State()
    let bytes = directory.flatMap {
      try? File.readPrivate(Self.fileName, in: $0, limit: Self.maxFileBytes)
    }
    for line in String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2, let count = Int(parts[0]) {
        start.unfinishedOpenings[String(parts[1])] = count
      }
    }
    state = Mutex(start)
  }

  /// Notes that a file is about to be opened, or throws if the file is refused. Each call that does not throw must be
  /// followed by `noteHarmless`, even if opening fails.
  func noteOpening(_ path: String, _ stamp: FileStamp?) throws(FileTrouble) {
    guard directory != nil, let name = Self.key(path, stamp) else { return }
    let isRefused = state.withLock { state in
      if state.unfinishedOpenings[name, default: 0] >= Self.maxFailedOpenings { return true }
      guard !state.harmless.contains(name) else { return false }
      state.openSources[name, default: 0] += 1
      guard state.openSources[name] == 1 else { return false }
      state.unfinishedOpenings[name, default: 0] += 1
      save(state)
      return false
    }
    if isRefused { throw .endsProgram(path: path) }
  }

  /// Notes that a file has turned out to be harmless: it was closed, or has played for `harmlessAfterNanos`.
  func noteHarmless(_ path: String, _ stamp: FileStamp?) {
    guard directory != nil, let name = Self.key(path, stamp) else { return }
    state.withLock { state in
      guard let users = state.openSources[name] else { return }
      state.openSources[name] = users > 1 ? users - 1 : nil
      guard users == 1 else { return }
      state.harmless.insert(name)
      state.unfinishedOpenings[name] = nil
      save(state)
    }
  }

  /// The key of a file in `State`: its size, the time of its last change, and its path. A file that was changed has
  /// another key, and is thus no longer refused. `nil` if there is no file.
  private static func key(_ path: String, _ stamp: FileStamp?) -> String? {
    guard let stamp, !path.contains("\n") else { return nil }
    return "\(stamp.text) \(path)"
  }

  /// Stores the numbers of openings on the disk. If the disk is full or read-only, files are opened all the same.
  private func save(_ state: State) {
    guard let directory else { return }
    if state.unfinishedOpenings.isEmpty {
      try? File.remove(Self.fileName, in: directory)
    } else {
      let lines = state.unfinishedOpenings.map { "\($0.value) \($0.key)\n" }.sorted()
      try? File.replace(Self.fileName, in: directory, with: Array(lines.joined().utf8))
    }
  }
}
