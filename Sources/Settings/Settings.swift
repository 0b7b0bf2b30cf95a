// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// All settings, each with a value that has been checked.
///
/// To add one: a stored property in its section, and its declaration in the section's `init`. The
/// file's parsing, `--set`, `onair settings` and README's table follow from that.
public struct Settings: Sendable, Equatable {
  /// What viewers see.
  public let video: VideoSettings
  /// What viewers hear.
  public let audio: AudioSettings
  /// What viewers get while the room is private.
  public let pause: PauseSettings
  /// What viewers see when there is no picture for them.
  public let slate: SlateSettings
  /// Where it is sent.
  public let publish: PublishSettings
  /// What is sent over a weak link.
  public let network: NetworkSettings
  /// Buttons and lamps.
  public let panel: PanelSettings
  /// The box on the local network.
  public let page: PageSettings
  /// What is written to the journal.
  public let log: LogSettings
  /// What lasts over a restart.
  public let state: StateSettings

  /// Fills in a form; what is wrong is in the form afterwards.
  init(_ form: inout Form) {
    video = VideoSettings(&form)
    audio = AudioSettings(&form)
    pause = PauseSettings(&form)
    slate = SlateSettings(&form)
    publish = PublishSettings(&form)
    network = NetworkSettings(&form, target: video.bitrateKbps)
    panel = PanelSettings(&form)
    page = PageSettings(&form)
    log = LogSettings(&form)
    state = StateSettings(&form)
    if video.source == .none, audio.source == .none {
      form.report(
        "video.source", "is \"none\", and so is audio.source: there is nothing to send",
        at: form.place(of: "video.source"))
    }
    form.reportUnknown()
    form.sortProblems()
  }

  /// Every setting at its default.
  public init() {
    var form = Form()
    self.init(&form)
  }

  /// Every setting there is, in the order of the lists.
  public static let declarations: [Declaration] = {
    var form = Form()
    _ = Settings(&form)
    return form.declarations
  }()
}

/// `[video]`: what viewers see.
public struct VideoSettings: Sendable, Equatable {
  /// Where the picture comes from.
  public let source: VideoSource
  /// The pixel format asked of the camera.
  public let cameraFormat: CameraFormat
  /// The picture that is sent, in pixels.
  public let size: PictureSize
  /// Frames a second, 5 to 60.
  public let fps: Int
  /// Thousands of bits a second, 100 to 12000.
  public let bitrateKbps: Int
  /// Seconds between keyframes, 1 to 4.
  public let gopSeconds: Double
  /// x264's preset; nil to leave it to the program.
  public let speed: EncoderSpeed?
  /// How far the camera's picture is turned.
  public let rotate: Rotation
  /// Whether left and right are swapped.
  public let mirror: Bool
  /// What becomes of a picture of another shape than `size`.
  public let fit: Fit

  init(_ form: inout Form) {
    source = form.value(
      "video.source", .videoSource, default: .camera(path: nil),
      help: """
        Where the picture comes from: "camera" is the first camera, "camera:PATH" the one at \
        PATH (/dev/video0, or a path under /dev/v4l/by-id that stays the same); "pattern" is a \
        test picture, "file:PATH" a media file in a loop, "none" sends sound only. "pipe" reads \
        raw I420 frames of video.size from standard input (BT.709, limited range).
        """)
    cameraFormat = form.value(
      "video.camera_format", .choice(), default: .auto,
      help: """
        The pixel format that OnAir asks the camera for. "auto" takes the best that the camera \
        has; "other" takes one that libv4l2, the camera library of Linux, converts.
        """)
    size = form.value(
      "video.size", .size, default: PictureSize(width: 1280, height: 720), unit: "pixels",
      help: """
        The width and height of the video that is sent.
        """)
    fps = form.value(
      "video.fps", .wholeNumber(5...60), default: 30, unit: "frames per second",
      help: """
        How many frames a second are sent.
        """)
    bitrateKbps = form.value(
      "video.bitrate_kbps", .wholeNumber(100...12_000), default: 2_000, unit: "kbit/s",
      effect: .immediate,
      help: """
        The bit rate of the video, in thousands of bits a second (kbit/s). The bit rate of the \
        sound is added to it.
        """)
    gopSeconds = form.value(
      "video.gop_seconds", .number(1...4), default: 2, unit: "seconds",
      help: """
        The time from one keyframe to the next. A keyframe is a whole picture; viewers can start \
        to watch only at one. Many platforms ask for 2.
        """)
    speed = form.value(
      "video.speed", .speed, default: nil,
      help: """
        The preset of the video encoder x264: a slower one looks better and needs more of the \
        processor. "auto" is veryfast.
        """)
    rotate = form.value(
      "video.rotate", .choice(), default: .none, unit: "degrees clockwise",
      help: """
        Turns the picture of any source.
        """)
    mirror = form.value(
      "video.mirror", .flag, default: false,
      help: """
        Swaps left and right, like a mirror.
        """)
    fit = form.value(
      "video.fit", .choice(), default: .fit,
      help: """
        How a picture of another shape is placed in video.size: "fit" adds bars, "fill" cuts off \
        what is too wide or too high, "stretch" distorts.
        """)
  }
}

/// `[audio]`: what viewers hear.
public struct AudioSettings: Sendable, Equatable {
  /// Where the sound comes from.
  public let source: AudioSource
  /// Thousands of bits a second, 32 to 320.
  public let bitrateKbps: Int
  /// 1 or 2.
  public let channels: Int
  /// Decibels, -60 to 30; 0 leaves the sound as it is.
  public let gainDb: Double
  /// Milliseconds, -500 to 500; more has the sound come later.
  public let delayMs: Int

  init(_ form: inout Form) {
    source = form.value(
      "audio.source", .audioSource, default: .microphone(pcm: nil),
      help: """
        Where the sound comes from: "microphone" is the first microphone, "microphone:PCM" the \
        one that Linux's sound system ALSA calls PCM (hw:1,0); "tone" is a test tone, "silence" \
        sends silence, "file:PATH" plays a media file in a loop, "none" sends video only.
        """)
    bitrateKbps = form.value(
      "audio.bitrate_kbps", .wholeNumber(32...320), default: 128, unit: "kbit/s",
      help: """
        The bit rate of the sound, in thousands of bits a second (kbit/s).
        """)
    channels = form.value(
      "audio.channels", .wholeNumber(1...2), default: 2, unit: "channels",
      help: """
        1 sends mono, 2 sends stereo.
        """)
    gainDb = form.value(
      "audio.gain_db", .number(-60...30), default: 0, unit: "dB",
      help: """
        Makes the sound louder; a negative number makes it softer. 6 dB is twice the level.
        """)
    delayMs = form.value(
      "audio.delay_ms", .wholeNumber(-500...500), default: 0, unit: "milliseconds",
      help: """
        Delays the sound, where it is ahead of the picture. A negative number sends it earlier.
        """)
  }
}

/// `[pause]`: what viewers get while the room is private.
public struct PauseSettings: Sendable, Equatable {
  /// The path of the still; empty for the program's own.
  public let image: String
  /// What is heard.
  public let sound: PauseSound

  init(_ form: inout Form) {
    image = form.value(
      "pause.image", .path, default: "",
      help: """
        The image that viewers see during a pause: a PNG or JPEG file of any shape. If it is \
        empty, they see "We'll be right back".
        """)
    sound = form.value(
      "pause.sound", .choice(), default: .mute,
      help: """
        "mute" silences the microphone during a pause; with "keep" viewers still hear it.
        """)
  }
}

/// `[slate]`: the stills that the box shows by itself, and how stills are sent.
public struct SlateSettings: Sendable, Equatable {
  /// The path of the still for when no picture comes from the source; empty for the program's own.
  public let cameraImage: String
  /// The path of the still for when the network carries no moving pictures; empty for the program's own.
  public let networkImage: String
  /// Pictures a second, 1 to 30.
  public let fps: Int
  /// Seconds between keyframes, 1 to 10.
  public let gopSeconds: Double

  init(_ form: inout Form) {
    cameraImage = form.value(
      "slate.camera_image", .path, default: "",
      help: """
        The image that viewers see while the camera sends no picture: a PNG or JPEG file. If it \
        is empty, OnAir shows its own.
        """)
    networkImage = form.value(
      "slate.network_image", .path, default: "",
      help: """
        The image that viewers see while the network is too slow for video: a PNG or JPEG file. \
        If it is empty, OnAir shows its own.
        """)
    fps = form.value(
      "slate.fps", .wholeNumber(1...30), default: 5, unit: "frames per second",
      help: """
        How many frames a second are sent while an image is shown. Frames that do not change \
        need almost no bit rate.
        """)
    gopSeconds = form.value(
      "slate.gop_seconds", .number(1...10), default: 4, unit: "seconds",
      help: """
        The time from one keyframe to the next while an image is shown. A new viewer waits at \
        most this long.
        """)
  }
}

/// `[publish]`: where it is sent.
public struct PublishSettings: Sendable, Equatable {
  /// nil while it is not set.
  public let url: RTMPURL?
  /// The same broadcast's second server; nil without one.
  public let backupUrl: RTMPURL?
  /// As written here; `Configuration.destination` has the one in force.
  public let key: Secret
  /// The path of a file whose first line is the key; empty for none.
  public let keyFile: String
  /// The path of a PEM file with the authorities that an RTMPS server is judged by; empty for the
  /// system's.
  public let caFile: String
  /// Seconds, 1 to 60, from one attempt to reach the server to the next.
  public let reconnectSeconds: Double
  /// Whether the broadcast begins with the program.
  public let autostart: Autostart

  init(_ form: inout Form) {
    url = form.value(
      "publish.url", .url, default: nil, effect: .immediate,
      help: """
        The address of the platform's server, as the platform shows it beside the stream key. \
        With rtmps:// the connection is encrypted, and OnAir checks the server's certificate.
        """)
    backupUrl = form.value(
      "publish.backup_url", .url, default: nil, effect: .immediate,
      help: """
        The address of the platform's second server for the same broadcast and stream key. After \
        three failed attempts in a row OnAir tries the other server.
        """)
    if backupUrl != nil, url == nil, !form.isDoubtful("publish.url") {
      form.report(
        "publish.backup_url", "is set, and publish.url is not",
        at: form.place(of: "publish.backup_url"))
    }
    key = form.value(
      "publish.key", .key, default: Secret(), effect: .immediate, isSecret: true,
      help: """
        The platform's stream key. If it is empty, OnAir reads it from publish.key_file, else from \
        the systemd credential publish.key, else it takes the last part of publish.url.
        """)
    keyFile = form.value(
      "publish.key_file", .path, default: "", effect: .immediate,
      help: """
        A file whose first line is the stream key. Only OnAir's user should be able to read it.
        """)
    caFile = form.value(
      "publish.ca_file", .path, default: "", effect: .immediate,
      help: """
        For an rtmps:// server of your own: a PEM file with the certificate of the authority \
        that signed the server's, or with the server's own. Then no other authority is trusted. \
        If it is empty, OnAir trusts those of the system.
        """)
    reconnectSeconds = form.value(
      "publish.reconnect_seconds", .number(1...60), default: 2, unit: "seconds",
      help: """
        The time between attempts to reach a server whose connection was lost. The first attempt \
        is made at once. A server that refuses is asked less and less often.
        """)
    autostart = form.value(
      "publish.autostart", .choice(), default: .resume,
      help: """
        What OnAir does when it starts: "resume" does what it did last (the first time: \
        nothing), "always" starts a broadcast, "never" does not. A pause stays a pause, except \
        with "never".
        """)
  }
}

/// `[log]`: what is written to the journal.
public struct LogSettings: Sendable, Equatable {
  /// The least important messages that are still logged.
  public let level: LogLevel

  init(_ form: inout Form) {
    level = form.value(
      "log.level", .choice(), default: .info,
      help: """
        The least important messages that are logged.
        """)
  }
}

/// `[state]`: what lasts over a restart.
public struct StateSettings: Sendable, Equatable {
  /// As written; empty for the usual one. `Configuration.stateDirectory` has the one in force.
  public let directory: String

  init(_ form: inout Form) {
    directory = form.value(
      "state.directory", .path, default: "",
      help: """
        The folder where OnAir keeps what must survive a restart. Each running OnAir needs its \
        own. If it is empty: /var/lib/onair for the service, ~/.local/state/onair for a user.
        """)
  }
}
