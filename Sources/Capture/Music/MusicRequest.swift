// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What is to be played.
public enum MusicSource: Sendable, Equatable {
  /// A file, or a playlist of files, by its path.
  case file(path: String)
  /// All sounds of a folder, in natural order or shuffled.
  case folder(path: String, isShuffled: Bool)
  /// A file, a station or a playlist on the network.
  case address(MusicAddress)
}

/// A request to play music.
public struct MusicRequest: Sendable, Equatable {
  public var source: MusicSource
  /// Whether the music begins again when it has ended.
  public var loops: Bool
  /// The source as people wrote it, for status and sentences.
  public var name: String

  public init(source: MusicSource, loops: Bool, name: String) {
    self.source = source
    self.loops = loops
    self.name = name
  }

  /// A path in the source as people write it: "media/song.mp3" and not the whole path, if the name is "folder:media".
  public func shown(_ path: String) -> String {
    let given = name.drop { $0 != ":" }.dropFirst()
    guard let whole = source.path, !given.isEmpty, whole.hasSuffix(given) else { return path }
    let start = whole.dropLast(given.count)
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }
}

extension MusicSource {
  /// The path of a file or folder of the box.
  fileprivate var path: String? {
    switch self {
    case .file(let path), .folder(let path, _): path
    case .address: nil
    }
  }
}

/// What has happened to the music, besides what commands have done to it.
public enum MusicReport: Sendable, Equatable {
  /// Music is heard: for the first time after a start, or again after a trouble. `isBack` tells which.
  case started(name: String, title: String?, isBack: Bool)
  /// All has been played.
  case completed(name: String)
  /// A piece cannot be played, and the next one follows.
  case skipped(MusicTrouble)
  /// Nothing comes from the network. OnAir keeps trying.
  case interrupted(MusicTrouble)
  /// The music has ended because it cannot be played.
  case failed(MusicTrouble)
}

/// The state of the music.
public struct MusicStatus: Sendable, Equatable {
  public enum State: String, Sendable {
    case stopped
    /// Wanted, but nothing is heard yet, or for a moment.
    case starting
    case playing
    case paused
    /// Wanted, but neither a broadcast nor a preview needs sound now.
    case waiting
  }

  public var state = State.stopped
  /// The source as people wrote it; `nil` if there is none.
  public var source: String?
  /// The name of the piece that is heard.
  public var piece: String?
  public var title: String?
  /// Nanoseconds since the start of the piece.
  public var position: Int64?
  /// The duration of the piece in nanoseconds; `nil` if it is not known.
  public var duration: Int64?
  public var loops = false
  /// Why nothing is heard; `nil` for no trouble.
  public var trouble: MusicTrouble?

  public init() {}
}

/// Why a command is refused.
public enum MusicCommandError: Error, Sendable {
  /// Only music that plays can be paused.
  case notPlaying
  /// Only music that is paused can be resumed.
  case notPaused
}
