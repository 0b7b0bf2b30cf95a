// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// `[audio]`: the source, processing and encoding of the audio. Its source is the track "main"; `[[track]]` adds
/// others.
public struct AudioSettings: Sendable, Equatable {
  public let source: AudioSource
  /// The format of the samples that come through pipes.
  public let pipe: AudioPipeSettings
  /// How good the audio is.
  public let profile: AudioProfile
  /// Audio bit rate in kbit/s, 12 to 320.
  public let bitrateKbps: Int
  /// Number of audio channels, 1 or 2.
  public let channels: Int
  /// The processing of the track "main".
  public let strip: ChannelStrip
  /// The loudness in LUFS to which the sum of the tracks is slowly brought; `nil` for none.
  public let targetLUFS: Int?
  /// Seconds of silence in a broadcast after which OnAir warns; 0 for never.
  public let silenceSeconds: Int
  /// Headphones at the box.
  public let monitor: MonitorSettings

  init(_ form: inout Form) {
    source = form.value(
      "audio.source", .audioSource, default: .microphone(pcm: nil),
      help: """
        Where the sound comes from: "microphone" is the first microphone, "microphone:PCM" the \
        one that Linux's sound system ALSA calls PCM (hw:1,0); "tone" is a test tone, "silence" \
        sends silence, "file:PATH" plays a media file in a loop ("file:media/NAME" one that was \
        uploaded), "pipe:PATH" plays raw samples that another program writes into the named pipe \
        at PATH (see audio.pipe_format), "none" sends video only, so that guests are not heard either.
        """)
    pipe = AudioPipeSettings(&form)
    profile = form.value(
      "audio.profile", .choice(), default: .stereoSuper, effect: .nextBroadcast,
      help: """
        How good the sound is, and how much of the line it takes: "low" is mono at 8 kHz and 12 \
        kbit/s, "basic" mono at 16 kHz and 24, "high" mono at 48 kHz and 48, "stereo_high" stereo \
        and 64, "super" mono and 96, "stereo_super" stereo and 128. It gives other defaults to \
        audio.channels and audio.bitrate_kbps.
        """)
    bitrateKbps = form.value(
      "audio.bitrate_kbps", .wholeNumber(12...320), default: profile.defaultKbps, unit: "kbit/s",
      help: """
        The bit rate of the sound, in thousands of bits a second (kbit/s). Less than 32 counts from \
        the next broadcast.
        """)
    channels = form.value(
      "audio.channels", .wholeNumber(1...2), default: profile.defaultChannels, unit: "channels",
      effect: .nextBroadcast,
      help: """
        1 sends mono, 2 sends stereo.
        """)
    strip = ChannelStrip(&form) { "audio.\($0)" }
    let target = form.value(
      "audio.target_lufs", .zeroOr(-30 ... -10), default: 0, unit: "LUFS",
      help: """
        The loudness to which all tracks together are slowly brought: -16 is usual on the web, -23 in \
        European television. By at most 12 dB; pauses change nothing. 0 leaves it as it is.
        """)
    targetLUFS = target == 0 ? nil : target
    silenceSeconds = form.value(
      "audio.silence_seconds", .wholeNumber(0...600), default: 30, unit: "seconds",
      help: """
        OnAir warns when nothing was heard for this long during a broadcast. 0 turns the warning off.
        """)
    monitor = MonitorSettings(&form)
  }
}

/// How good the sound is (`audio.profile`): the encoded sample rate, and the defaults of channels and bit rate.
public enum AudioProfile: String, Sendable, CaseIterable {
  case low, basic, high
  case stereoHigh = "stereo_high"
  /// One channel.
  case superb = "super"
  case stereoSuper = "stereo_super"

  /// In Hz.
  public var sampleRate: Int {
    switch self {
    case .low: 8_000
    case .basic: 16_000
    case .high, .stereoHigh, .superb, .stereoSuper: 48_000
    }
  }

  var defaultChannels: Int {
    switch self {
    case .low, .basic, .high, .superb: 1
    case .stereoHigh, .stereoSuper: 2
    }
  }

  var defaultKbps: Int {
    switch self {
    case .low: 12
    case .basic: 24
    case .high: 48
    case .stereoHigh: 64
    case .superb: 96
    case .stereoSuper: 128
    }
  }
}

/// What kind of sound a track has (`audio.scene`). It decides the defaults of the processing.
public enum SoundScene: String, Sendable, CaseIterable {
  /// No processing.
  case off
  case speech, music

  struct Defaults {
    var highPassHz = 0
    var denoiseDB = 0
    var compressor = false
    var deEsser = false
    var autoLevel = false
    var humFilter = false
  }

  var defaults: Defaults {
    switch self {
    case .off: Defaults()
    case .music: Defaults(highPassHz: 30)
    case .speech:
      Defaults(
        highPassHz: 80, denoiseDB: 15, compressor: true, deEsser: true, autoLevel: true,
        humFilter: true)
    }
  }
}

/// How the audio of one track is processed, as on the channel strip of a mixing desk. `[audio]` has it for the track
/// "main", and each `[[track]]` has one of its own.
public struct ChannelStrip: Sendable, Equatable {
  /// 0 to 100. 50 changes nothing, 100 doubles the level.
  public let volume: Double
  /// In decibels, -60 to 30.
  public let gainDB: Double
  public let isMuted: Bool
  /// -100 for left, 0 for the middle, 100 for right.
  public let pan: Int
  /// Delay of the audio in milliseconds, -500 to 500. A negative value sends the audio earlier than the video.
  public let delayMs: Int
  public let scene: SoundScene
  /// The frequency in hertz below which everything is removed; 0 for none.
  public let highPassHz: Int
  /// By how many decibels steady noise is lowered; 0 for not at all.
  public let denoiseDB: Int
  public let gate: Bool
  public let compressor: Bool
  public let deEsser: Bool
  public let autoLevel: Bool
  /// Whether hum that was found is removed.
  public let humFilter: Bool

  /// - Parameter key: the full key of a setting, given its name.
  init(_ form: inout Form, _ key: (String) -> String) {
    gainDB = form.value(
      key("gain_db"), .number(-60...30), default: 0, unit: "dB",
      help: """
        Makes the sound louder; a negative number makes it softer. 6 dB is twice the level.
        """)
    delayMs = form.value(
      key("delay_ms"), .wholeNumber(-500...500), default: 0, unit: "milliseconds",
      help: """
        Delays the sound if it is ahead of the picture. A negative number sends it earlier.
        """)
    volume = form.value(
      key("volume"), .number(0...100), default: 50,
      help: """
        How loud it is among the others, from 0 to 100. 50 leaves it as it is, 100 is twice the level.
        """)
    isMuted = form.value(
      key("mute"), .flag, default: false,
      help: """
        Whether viewers do not hear it. The broadcast's own mute silences everything.
        """)
    pan = form.value(
      key("pan"), .wholeNumber(-100...100), default: 0,
      help: """
        Where it is heard: -100 is left, 0 the middle, 100 right. Mono has no sides.
        """)
    scene = form.value(
      key("scene"), .choice(), default: .off,
      help: """
        What kind of sound it is: "speech" removes noise and evens out a voice, "music" only removes rumble, "off" changes \
        nothing. It gives other defaults to high_pass_hz, denoise, compressor, deesser, auto_level and hum_filter.
        """)
    let defaults = scene.defaults
    highPassHz = form.value(
      key("high_pass_hz"), .zeroOr(20...300), default: defaults.highPassHz, unit: "Hz",
      help: """
        Removes what is below this frequency: rumble, wind, steps. 0 for nothing.
        """)
    denoiseDB = form.value(
      key("denoise"), .zeroOr(5...25), default: defaults.denoiseDB, unit: "dB",
      help: """
        By how much steady noise is lowered, such as that of a fan: 10 little, 15 usual, 20 strong. 0 for not at all. It \
        takes held notes of music for noise, too, and does not remove other voices.
        """)
    humFilter = form.value(
      key("hum_filter"), .flag, default: defaults.humFilter,
      help: """
        Whether hum of the mains is removed where OnAir has found it.
        """)
    gate = form.value(
      key("gate"), .flag, default: false,
      help: """
        Whether the sound is lowered while nobody speaks.
        """)
    deEsser = form.value(
      key("deesser"), .flag, default: defaults.deEsser,
      help: """
        Whether sharp "s" sounds are softened.
        """)
    compressor = form.value(
      key("compressor"), .flag, default: defaults.compressor,
      help: """
        Whether loud and soft words are brought closer together.
        """)
    autoLevel = form.value(
      key("auto_level"), .flag, default: defaults.autoLevel,
      help: """
        Whether a voice slowly gets the same loudness, whoever speaks.
        """)
  }
}
