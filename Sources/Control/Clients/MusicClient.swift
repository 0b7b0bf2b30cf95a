// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box

// Music, for the command line.

extension ControlClient {
  package static func music(directory: String) throws(ControlError) -> MusicReply {
    try decode(MusicReply.self, request(.GET, "/api/music", directory: directory))
  }

  /// Plays music.
  /// - Parameters:
  ///   - source: as in `music.source`; `nil` for the one of the settings.
  ///   - loops: `nil` as the settings say.
  package static func startMusic(
    _ source: String?, loops: Bool?, volume: Int?, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Music: Encodable { var source: String?, loop: Bool?, volume: Int? }
    return try post(
      "music", Music(source: source, loop: loops, volume: volume), directory: directory)
  }

  /// - Parameter word: "pause", "resume" or "stop".
  package static func music(
    _ word: String, directory: String
  ) throws(ControlError) -> ControlReply {
    try decode(ControlReply.self, request(.POST, "/api/music/\(word)", directory: directory))
  }
}
