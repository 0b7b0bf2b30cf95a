// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[[track]]`: a further sound in the broadcast, mixed with that of `[audio]`. Outside of the settings file, the keys
/// of its settings are "track.NAME.source" and so on.
public struct TrackSettings: Sendable, Equatable, NamedSection {
  public static let list = NamedList(
    "track", of: TrackSettings.self, maxEntries: 3, reserved: ["main", "music"],
    essential: "source",
    operable: ["volume", "mute"],
    words: NamedList.Words(
      example: "\"microphone:hw:2,0\"", missing: "write where the sound comes from",
      excess: "tracks: remove one (onair set track.NAME.removed=true)"),
    codes: NamedList.Codes(excess: .tooManyTracks))

  /// The track's name: 1 to 32 letters, digits, "-" and "_".
  public let name: String
  public let source: AudioSource
  public let strip: ChannelStrip
  public let enabled: Bool

  init(_ form: inout Form, _ entry: ListEntry) {
    name = entry.name
    source = form.value(
      entry.key("source"), .audioSource, default: .none,
      help: """
        Where the sound comes from, as audio.source: "microphone:PCM" is the microphone or the line input that ALSA calls \
        PCM, "file:media/NAME" an uploaded file in a loop.
        """)
    enabled = form.value(
      entry.key("enabled"), .flag, default: true,
      help: """
        Whether its source is open. A track that is not enabled has no sound and no meter.
        """)
    strip = ChannelStrip(&form) { entry.key($0) }
  }
}
