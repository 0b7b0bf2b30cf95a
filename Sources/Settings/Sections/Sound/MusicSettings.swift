// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What music is played: the value of `music.source`, or of a command.
public enum MusicChoice: Sendable, Equatable {
  case none
  /// A sound, or a playlist of sounds.
  case file(path: String)
  /// All sounds of a folder.
  case folder(path: String, isShuffled: Bool)
  /// An http or https address: a sound, a station or a playlist.
  case address(String)

  /// The choice as it is written in settings.
  public var text: String {
    switch self {
    case .none: ""
    case .file(let path): "file:\(path)"
    case .folder(let path, let isShuffled): (isShuffled ? "shuffle:" : "folder:") + path
    case .address(let address): address
    }
  }

  /// The most bytes of an address.
  private static let maxAddress = 2_000

  /// Parses a choice.
  /// - Returns: `nil` if the text is none.
  public init?(_ text: String) {
    if text.isEmpty {
      self = .none
      return
    }
    for (prefix, make) in MusicChoice.prefixes where text.hasPrefix(prefix) {
      let path = String(text.dropFirst(prefix.count))
      guard isPath(path) else { return nil }
      self = make(path)
      return
    }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://"),
      text.utf8.count <= MusicChoice.maxAddress, text.utf8.count > scheme.count + 3,
      text.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else { return nil }
    // A password in an address would be shown in status, events and log.
    let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    self = .address(text)
  }

  private static let prefixes: [(String, @Sendable (String) -> MusicChoice)] = [
    ("file:", { .file(path: $0) }), ("folder:", { .folder(path: $0, isShuffled: false) }),
    ("shuffle:", { .folder(path: $0, isShuffled: true) }),
  ]

  /// This choice with the full path of a file in the media folder, or of that folder.
  /// - Parameter folder: the full path of the media folder.
  public func inMediaFolder(_ folder: String) -> MusicChoice {
    for file in MusicChoice.files {
      guard let whole = file.path(in: text).flatMap({ file.wholePath(of: $0, folder) }) else {
        continue
      }
      return MusicChoice(file.prefix + whole) ?? self
    }
    return self
  }

  /// The choice as people write it: a file of the media folder, or that folder, without its path.
  /// - Parameter folder: the full path of the media folder; `nil` if there is none.
  public func shown(mediaFolder folder: String?) -> String {
    guard let folder else { return text }
    for file in MusicChoice.files {
      guard let path = file.path(in: text), path == folder || path.hasPrefix(folder + "/") else {
        continue
      }
      let name = folder.split(separator: "/").last.map(String.init) ?? folder
      return file.prefix + name + String(path.dropFirst(folder.count))
    }
    return text
  }

  static let files = [
    FileReference(.media, after: "file:"), FileReference(.mediaFolder, after: "folder:"),
    FileReference(.mediaFolder, after: "shuffle:"),
  ]
  /// The allowed texts, as a continuation of "must be".
  public static let allowed =
    #"empty, "file:PATH", "folder:PATH", "shuffle:PATH", or an address with http:// or https:// and without a user"#
}

/// `[music]`: what is played beside the voice.
public struct MusicSettings: Sendable, Equatable {
  public let source: MusicChoice
  /// Whether the music begins with each broadcast.
  public let autostart: Bool
  /// Whether the music begins again when it has ended.
  public let loops: Bool
  /// 0 to 100; 50 changes nothing.
  public let volume: Int
  /// By how many decibels music is lowered while somebody speaks, 0 to 40.
  public let duckDb: Double
  /// Seconds within which a server has to answer, 2 to 60.
  public let timeoutSeconds: Int

  init(_ form: inout Form) {
    source = form.value(
      "music.source", .music, default: .none,
      help: """
        The music that "onair music start" plays beside the voice: "file:PATH" is a sound or a \
        playlist (m3u, pls), "folder:PATH" all sounds of a folder, "shuffle:PATH" the same in \
        random order; "file:media/NAME" is a file that was uploaded, "folder:media" all of \
        them. An address with http:// or https:// is a station, a playlist or a sound. One piece \
        fades over into the next within 3 seconds. While music plays, a change plays the new one.
        """)
    autostart = form.value(
      "music.autostart", .flag, default: false,
      help: """
        Plays music.source from the beginning of each broadcast.
        """)
    loops = form.value(
      "music.loop", .flag, default: false,
      help: """
        Plays the music again and again. A station goes on in any case.
        """)
    volume = form.value(
      "music.volume", .wholeNumber(0...100), default: 50,
      help: """
        How loud the music is: 50 is as loud as it was recorded, 100 twice, 0 silent.
        """)
    duckDb = form.value(
      "music.duck_db", .number(0...40), default: 12, unit: "dB",
      help: """
        By how much the music is lowered while somebody speaks. 0 leaves it as it is.
        """)
    timeoutSeconds = form.value(
      "music.timeout_seconds", .wholeNumber(2...60), default: 10, unit: "seconds",
      help: """
        How long a station may take to answer. After that OnAir says so, and tries again.
        """)
  }
}

extension Kind where Value == MusicChoice {
  fileprivate static var music: Kind {
    .text(
      MusicChoice.allowed, files: MusicChoice.files, read: { MusicChoice($0) }, show: \.text)
  }
}
