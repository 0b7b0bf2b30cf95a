// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// All settings, with checked values.
///
/// To add a setting, add a stored property to its section, and a declaration to the section's `init`. The parser of the
/// settings file, `--set` and `onair settings` need no change. For a list of named sections, see `NamedSection`.
/// `Tests/documents.py --write` regenerates the tables in the documents.
public struct Settings: Sendable, Equatable {
  public let video: VideoSettings
  public let audio: AudioSettings
  public let tracks: [TrackSettings]
  public let music: MusicSettings
  public let pause: PauseSettings
  public let record: RecordSettings
  public let slate: SlateSettings
  public let publish: PublishSettings
  public let relays: [RelaySettings]
  public let overlays: [OverlaySettings]
  public internal(set) var filters: [FilterSettings]
  /// Whether a privacy mask may be missing among the filters, or in a wrong place, because settings could not be read.
  /// If so, the whole picture of the camera must be covered.
  public internal(set) var mayLackMasks = false
  public let guests: [GuestSettings]
  public let allGuests: AllGuestsSettings
  public let layouts: [LayoutSettings]
  public let schedule: [ScheduleSettings]
  public let calendar: CalendarSettings
  public let network: SlowNetworkSettings
  public let wifi: WiFiSettings
  public let panel: PanelSettings
  public let box: BoxSettings
  public let page: PageSettings
  public let preview: PreviewSettings
  public let playout: PlayoutSettings
  public let log: LogSettings
  public let state: StateSettings
  /// The values of all settings by key.
  let values: ValuesByKey

  /// Reads the values of all settings from `form`, and adds the declarations and problems to `form`.
  init(_ form: inout Form) {
    video = VideoSettings(&form)
    audio = AudioSettings(&form)
    tracks = form.list()
    music = MusicSettings(&form)
    pause = PauseSettings(&form)
    record = RecordSettings(&form)
    slate = SlateSettings(&form)
    publish = PublishSettings(&form)
    relays = form.list()
    overlays = form.list()
    filters = form.list()
    guests = form.list()
    allGuests = AllGuestsSettings(&form)
    layouts = form.list()
    schedule = form.list()
    calendar = CalendarSettings(&form)
    network = SlowNetworkSettings(&form, target: video.targetKbps)
    wifi = WiFiSettings(&form)
    panel = PanelSettings(&form)
    box = BoxSettings(&form)
    page = PageSettings(&form)
    preview = PreviewSettings(&form)
    playout = PlayoutSettings(&form)
    log = LogSettings(&form)
    state = StateSettings(&form)
    if video.source == .none, audio.source == .none {
      form.reportConflict(
        "video.source", "is \"none\", and so is audio.source: there is nothing to send",
        at: form.place(of: "video.source"), other: "audio.source")
    }
    guests.reportShared(&form)
    allGuests.check(&form, layouts: layouts)
    if case .guest(let name) = video.source, !guests.contains(where: { $0.name == name }) {
      form.reportConflict(
        "video.source", "names a guest that is not there: add a [[guest]] with this name",
        at: form.place(of: "video.source"), code: .noSuchGuest)
    }
    form.reportUnknownKeys()
    form.sortProblems()
    values = form.values
  }

  /// All settings at their defaults.
  public init() {
    var form = Form()
    self.init(&form)
  }

  /// The declarations of all settings outside of lists such as the relays, in the order in which `onair settings` lists
  /// them.
  public static let declarations: [Declaration] = {
    var form = Form()
    _ = Settings(&form)
    return form.declarations
  }()
}

/// `[video]`: source, format and encoding of the video.
public struct VideoSettings: Sendable, Equatable {
  /// Where the picture comes from, such as a camera or a file.
  public let source: VideoSource
  /// The format of the frames that come through a pipe.
  public let pipe: VideoPipeSettings
  /// The pixel format that is requested from the camera.
  public let cameraFormat: CameraFormat
  /// The size of the video that is sent, in pixels.
  public let size: PictureSize
  /// Frames per second, 5 to 60.
  public let fps: Int
  /// Video bit rate in kbit/s, 100 to 12000; 0 for the default, see `targetKbps`.
  public let bitrateKbps: Int
  /// Seconds between keyframes, 1 to 4.
  public let gopSeconds: Double
  /// The preset of x264; `nil` adapts the work for each frame to what the machine can do in time.
  public let speed: EncoderSpeed?
  /// Share of all processors that video may use if `speed` is `nil`, in percent, 10 to 100.
  public let cpuPercent: Int
  /// How the picture is rotated, mirrored and fitted into `size` (`video.rotate`, `video.mirror`, `video.fit`).
  public let look: VideoLook

  init(_ form: inout Form) {
    source = form.value(
      "video.source", .videoSource, default: .camera(path: nil),
      help: """
        Where the picture comes from: "camera" is the first camera, "camera:PATH" the one at \
        PATH (/dev/video0, or a path under /dev/v4l/by-id that stays the same); "pattern" is a \
        test picture, "file:PATH" a media file in a loop ("file:media/NAME" one that was \
        uploaded), "guest:NAME" the picture of a [[guest]], "none" sends sound only. "pipe:PATH" \
        reads raw frames that another program writes into the named pipe at PATH, "pipe" from \
        standard input: see video.pipe_format.
        """)
    pipe = VideoPipeSettings(&form)
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
      "video.bitrate_kbps", .zeroOr(VideoBitrate.allowed), default: 0, unit: "kbit/s",
      help: """
        The bit rate of the video, in thousands of bits a second (kbit/s). The bit rate of the \
        sound is added to it. 0 chooses one for its size: \(VideoBitrate.tableText). Apps for telephones send 1500 at 720p; on a large screen that \
        shows, above all when many people move.
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
        How much work the video encoder x264 puts into each frame: a slower preset looks better \
        and needs more of the processor. "auto" does as much as this machine can do in time, from \
        frame to frame; if even the least is too much, it lowers the frame rate, and the size if \
        network.dynamic_resolution allows that.
        """)
    cpuPercent = form.value(
      "video.cpu_percent", .wholeNumber(10...100), default: 75, unit: "percent of all processors",
      help: """
        How much of the processors video may use with video.speed "auto". Less leaves more for \
        other programs and keeps the machine cooler.
        """)
    var look = VideoLook()
    look.rotation = form.value(
      "video.rotate", .choice(), default: look.rotation, unit: "degrees clockwise",
      help: """
        Turns the picture of any source.
        """)
    look.mirror = form.value(
      "video.mirror", .flag, default: look.mirror,
      help: """
        Swaps left and right, like a mirror.
        """)
    look.fit = form.value(
      "video.fit", .choice(), default: look.fit,
      help: """
        How a picture of another shape is placed in video.size: "fit" adds bars, "fill" cuts off \
        what is too wide or too high, "stretch" distorts.
        """)
    self.look = look
  }

  /// `cpuPercent` as a fraction of all processors, 0.1 to 1.
  public var processorShare: Double { Double(cpuPercent) / 100 }
}

/// `[pause]`: what is sent during a pause.
public struct PauseSettings: Sendable, Equatable {
  /// What viewers see during a pause.
  public let picture: PausePicture
  /// The path of the image that is shown; empty for the built-in image.
  public let image: String
  /// What viewers hear during a pause.
  public let sound: PauseSound
  /// Whether the camera is closed during a pause.
  public let releasesCamera: Bool
  /// What a recording has in place of a pause.
  public let recording: PauseRecording

  init(_ form: inout Form) {
    picture = form.value(
      "pause.picture", .choice(), default: .image,
      help: """
        What viewers see during a pause: "image" is that of pause.image. "last" is the last picture \
        before the pause, frozen: it is not private, since the room stays visible. With "none" the image \
        is sent once, and then only sound, which not every platform and player takes: try it first.
        """)
    image = form.value(
      "pause.image", .path(.media), default: "",
      help: """
        The image that viewers see during a pause: a PNG or JPEG file of any shape. If it is \
        empty, they see "We'll be right back".
        """)
    sound = form.value(
      "pause.sound", .choice(), default: .mute,
      help: """
        What viewers hear during a pause: "mute" silences everything, "music" everything but the \
        music, and with "keep" they still hear the microphone.
        """)
    releasesCamera = form.value(
      "pause.release_camera", .flag, default: false,
      help: """
        Closes the camera during a pause, so that its light goes out. After the pause viewers see \
        the image until the camera is open again, mostly for less than a second. The microphone \
        stays open in a pause; pause.sound says whether it is heard.
        """)
    recording = form.value(
      "pause.recording", .choice(), default: .still,
      help: """
        What a recording has in place of a pause: "still" is what viewers get, "cut" leaves the pause \
        out.
        """)
  }
}

/// `[slate]`: the stills that OnAir shows by itself when the camera or the network fails, and how all stills are
/// encoded.
public struct SlateSettings: Sendable, Equatable {
  /// The path of the image that is shown while the video source delivers no frames; empty for the built-in image.
  public let cameraImage: String
  /// The path of the image that is shown while the network is too slow for live video; empty for the built-in image.
  public let networkImage: String
  /// Frames per second while a still is shown, 1 to 30.
  public let fps: Int
  /// Seconds between keyframes while a still is shown, 1 to 10.
  public let gopSeconds: Double

  init(_ form: inout Form) {
    cameraImage = form.value(
      "slate.camera_image", .path(.media), default: "",
      help: """
        The image that viewers see while the camera sends no picture: a PNG or JPEG file. If it \
        is empty, OnAir shows its own.
        """)
    networkImage = form.value(
      "slate.network_image", .path(.media), default: "",
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

/// `[log]`: which messages are logged.
public struct LogSettings: Sendable, Equatable {
  /// The level of the least important messages that are logged.
  public let level: LogLevel

  init(_ form: inout Form) {
    level = form.value(
      "log.level", .choice(), default: .info,
      help: """
        The least important messages that are logged.
        """)
  }
}

/// `[state]`: the folder of the files that must survive a restart.
public struct StateSettings: Sendable, Equatable {
  /// The value of `state.directory`, which may be empty. The effective directory is `Configuration.stateDirectory`.
  public let directory: String

  init(_ form: inout Form) {
    directory = form.value(
      "state.directory", .path(.own), default: "", effect: .nextStart,
      help: """
        The folder where OnAir keeps what must survive a restart. Each running OnAir needs its \
        own. If it is empty: /var/lib/onair for the service, ~/.local/state/onair for a user.
        """)
  }
}
