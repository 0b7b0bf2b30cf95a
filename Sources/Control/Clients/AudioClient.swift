// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Box

// The sound, for the command line.

extension ControlClient {
  package static func audio(directory: String) throws(ControlError) -> AudioReply {
    try decode(AudioReply.self, request(.GET, "/api/audio", directory: directory))
  }

  /// Sets how loud voice and music are, 0 to 100 each; `nil` changes nothing.
  package static func setVolumes(
    voice: Int?, music: Int?, directory: String
  ) throws(ControlError) -> ControlReply {
    struct Volumes: Encodable { var voice: Int?, music: Int? }
    return try post("volumes", Volumes(voice: voice, music: music), directory: directory)
  }
}
