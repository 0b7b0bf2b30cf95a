// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Posix
internal import Synchronization

/// Keeps a media file from ending the program again and again, by an error in a decoder or by its hunger for memory.
///
/// How often each file has been opened is on the disk until it has played for a while, or was closed. What is found there
/// at a start was opened by a program that died soon afterwards.
public final class FileOpenings: Sendable {
  /// A file that was opened this often in a row, each time shortly before the program died, is not opened any more.
  public static let most = 3
  /// Time that a file must play to be harmless.
  static let harmlessAfterNanos: Int64 = .seconds(10)
  private static let fileName = "media-openings"
  private static let longest = 1 << 16

  private struct State {
    /// Openings in a row that did not end well, by `name`.
    var counts: [String: Int] = [:]
    /// Files that are open and not harmless yet, by `name`: by how many sources.
    var open: [String: Int] = [:]
    var harmless: Set<String> = []
  }

  private let directory: String?
  private let state: Mutex<State>

  /// - Parameter directory: a folder that only this user can write; `nil` to allow all files.
  public init(directory: String? = nil) {
    self.directory = directory
    var start = State()
    let bytes = directory.flatMap {
      try? File.readPrivate(Self.fileName, in: $0, limit: Self.longest)
    }
    for line in String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2, let count = Int(parts[0]) { start.counts[String(parts[1])] = count }
    }
    state = Mutex(start)
  }

  /// A file is about to be opened. Follow it by `end`, even if opening fails.
  func begin(_ path: String, _ stamp: FileStamp?) throws(FileTrouble) {
    guard directory != nil, let name = Self.name(path, stamp) else { return }
    let isRefused = state.withLock { state in
      if state.counts[name, default: 0] >= Self.most { return true }
      guard !state.harmless.contains(name) else { return false }
      state.open[name, default: 0] += 1
      guard state.open[name] == 1 else { return false }
      state.counts[name, default: 0] += 1
      save(state)
      return false
    }
    if isRefused { throw .endsProgram(path: path) }
  }

  /// A file has been closed, or has played for `harmlessAfterNanos`.
  func end(_ path: String, _ stamp: FileStamp?) {
    guard directory != nil, let name = Self.name(path, stamp) else { return }
    state.withLock { state in
      guard let users = state.open[name] else { return }
      state.open[name] = users > 1 ? users - 1 : nil
      guard users == 1 else { return }
      state.harmless.insert(name)
      state.counts[name] = nil
      save(state)
    }
  }

  /// A file that is changed gets another name, and is tried again.
  private static func name(_ path: String, _ stamp: FileStamp?) -> String? {
    guard let stamp, !path.contains("\n") else { return nil }
    return "\(stamp.text) \(path)"
  }

  /// If the disk is full or read-only, the file is opened all the same.
  private func save(_ state: State) {
    guard let directory else { return }
    if state.counts.isEmpty {
      try? File.remove(Self.fileName, in: directory)
    } else {
      let lines = state.counts.map { "\($0.value) \($0.key)\n" }.sorted()
      try? File.replace(Self.fileName, in: directory, with: Array(lines.joined().utf8))
    }
  }
}
