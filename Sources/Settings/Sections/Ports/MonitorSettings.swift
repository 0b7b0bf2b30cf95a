// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the headphones at the box play (`audio.monitor_source`).
public enum MonitorSource: Sendable, Equatable {
  /// What viewers hear.
  case programme
  /// The sound of the track with this name, as its source delivers it.
  case track(String)
}

/// `audio.monitor…`: headphones at the box.
public struct MonitorSettings: Sendable, Equatable {
  /// ALSA's name of the playback device; empty for none.
  public let pcm: String
  public let source: MonitorSource
  /// 0 to 100; 50 leaves the level as it is.
  public let volume: Int

  /// The factor on the amplitude.
  public var gain: Float { Float(volume) / 50 }

  init(_ form: inout Form) {
    pcm = form.value(
      "audio.monitor", .playbackDevice, default: "",
      help: """
        The headphones at the box: the name that Linux's sound system ALSA has for a playback \
        device (hw:1,0). They play while a broadcast runs or somebody looks at the picture. If it \
        is empty, none play.
        """)
    source = form.value(
      "audio.monitor_source", .monitorSource, default: .programme,
      help: """
        What the headphones play: "programme" is what viewers hear, some tenths of a second after it \
        was said; the name of a track is the sound of that source before any processing, within \
        30 ms. "main" is the track of audio.source.
        """)
    volume = form.value(
      "audio.monitor_volume", .wholeNumber(0...100), default: 50,
      help: """
        The volume of the headphones. 50 leaves the sound as it is, 100 is twice the level, 0 is \
        silence. Viewers hear no difference.
        """)
  }
}

extension Kind where Value == String {
  /// ALSA's name of a playback device, or empty.
  static var playbackDevice: Kind {
    .text(
      "the ALSA name of a playback device, or empty",
      read: { text in
        text.isEmpty || isDeviceName(text, kinds: playbackKinds) ? text : nil
      },
      show: { $0 })
  }
}

private let playbackKinds = [
  "hw", "plughw", "sysdefault", "dmix", "default", "front", "hdmi", "iec958", "bluealsa",
]

extension Kind where Value == MonitorSource {
  static var monitorSource: Kind {
    .text(
      #""programme" or the name of a track, 1 to 32 letters, digits, - and _"#,
      choices: ["programme", "main"],
      read: { text in
        if text == "programme" { return .programme }
        guard (1...32).contains(text.utf8.count),
          text.unicodeScalars.allSatisfy({
            $0.isASCII
              && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
          })
        else { return nil }
        return .track(text)
      },
      show: { source in
        switch source {
        case .programme: "programme"
        case .track(let name): name
        }
      })
  }
}
