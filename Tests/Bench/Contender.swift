// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Encoder settings, the same for all programs.
enum Work {
  static let videoKbps = 2_000
  static let audioKbps = 128
  static let gopSeconds = 2
  static let preset = "veryfast"
}

/// A program that is compared, with the settings for its minimum delay.
enum Contender: String, CaseIterable, Sendable {
  case onair = "OnAir"
  case ffmpeg = "ffmpeg"
  case gstreamer = "GStreamer"
  /// x264 and AAC alone: the minimum cost of the work.
  case floor = "floor"

  var language: Server.Language { self == .floor ? .pieces : .rtmp }

  /// - Parameters:
  ///   - tools: paths of onair, the floor and the beep.
  ///   - work: a folder for the program's own files.
  ///   - speed: x264's preset; for OnAir "auto", too. GStreamer and the floor have `Work.preset`.
  func command(
    port: Int, tools: Tools, work: String, speed: String = Work.preset
  ) -> [String] {
    switch self {
    case .onair: onair(port: port, tools: tools, work: work, speed: speed)
    case .ffmpeg: ffmpeg(port: port, tools: tools, speed: speed)
    case .gstreamer: gstreamer(port: port)
    case .floor:
      [tools.floor]
        + [
          port, Scene.size.width, Scene.size.height, Scene.framesPerSecond, Work.videoKbps,
          Work.gopSeconds * Scene.framesPerSecond, Work.audioKbps,
        ].map(String.init) + [Work.preset]
    }
  }

  /// The x264 options that may differ from the floor's. gst-launch cannot request keyframes, so x264 inserts them at
  /// intervals.
  var allowedDifferences: Set<String> { self == .gstreamer ? ["keyint", "keyint_min"] : [] }

  private func onair(port: Int, tools: Tools, work: String, speed: String) -> [String] {
    let settings = [
      "video.source=pipe", "video.size=\(Scene.size)", "video.fps=\(Scene.framesPerSecond)",
      "video.bitrate_kbps=\(Work.videoKbps)", "video.gop_seconds=\(Work.gopSeconds)",
      "video.speed=\(speed)", "audio.source=tone", "audio.bitrate_kbps=\(Work.audioKbps)",
      "audio.channels=2", "publish.url=rtmp://127.0.0.1:\(port)/live", "publish.key=bench",
      "publish.autostart=always",
      "state.directory=\(work)/state",
    ]
    return [tools.onair, "run"] + settings.flatMap { ["--set", $0] }
  }

  private func ffmpeg(port: Int, tools: Tools, speed: String) -> [String] {
    let picture =
      "-fflags nobuffer -flags low_delay -probesize 32 -analyzeduration 0 -f rawvideo "
      + "-pixel_format yuv420p -video_size \(Scene.size) -framerate \(Scene.framesPerSecond) "
      + "-thread_queue_size 1 -use_wallclock_as_timestamps 1 -i pipe:0"
    // A beep each second from a file, which is read as fast as the video. With -re the audio would delay the video by
    // 50 ms.
    let sound =
      "-fflags nobuffer -probesize 32 -analyzeduration 0 -stream_loop -1 "
      + "-f f32le -ar 48000 -ac 2 -i \(tools.beep)"
    let colour =
      "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709"
    let x264 =
      "-c:v libx264 -preset \(speed) -tune zerolatency -profile:v high "
      + "-b:v \(Work.videoKbps)k -maxrate \(Work.videoKbps)k -bufsize \(Work.videoKbps)k "
      + "-x264-params keyint=infinite:scenecut=0 -forced-idr 1 "
      + "-force_key_frames expr:gte(t,n_forced*\(Work.gopSeconds))"
    let out =
      "-c:a aac -b:a \(Work.audioKbps)k -max_interleave_delta 1 -muxdelay 0 -muxpreload 0 "
      + "-flush_packets 1 -f flv -flvflags no_duration_filesize -rtmp_live live -tcp_nodelay 1 "
      + "rtmp://127.0.0.1:\(port)/live/bench"
    return ["ffmpeg", "-nostdin", "-nostats", "-hide_banner", "-loglevel", "warning"]
      + "\(picture) \(sound) -map 0:v -map 1:a -vsync passthrough \(x264) \(colour) \(out)"
      .split(separator: " ").map(String.init)
  }

  private func gstreamer(port: Int) -> [String] {
    let keys = Work.gopSeconds * Scene.framesPerSecond
    let picture =
      "fdsrc fd=0 do-timestamp=true blocksize=\(Scene.frameBytes) ! rawvideoparse format=i420 "
      + "width=\(Scene.size.width) height=\(Scene.size.height) framerate=\(Scene.framesPerSecond)/1 "
      + "! x264enc tune=zerolatency speed-preset=\(Work.preset) bitrate=\(Work.videoKbps) "
      + "vbv-buf-capacity=1000 key-int-max=\(keys) option-string=scenecut=0 "
      + "! video/x-h264,profile=high ! flvmux name=mux streamable=true latency=0 "
      + "! rtmp2sink location=rtmp://127.0.0.1:\(port)/live/bench sync=false chunk-size=60000"
    let sound =
      "audiotestsrc is-live=true wave=ticks freq=1000 sine-periods-per-tick=100 volume=0.1 "
      + "samplesperbuffer=480 ! audio/x-raw,rate=48000,channels=2 ! audioconvert "
      + "! avenc_aac bitrate=\(Work.audioKbps * 1000) ! aacparse ! mux."
    return ["gst-launch-1.0", "-q"] + "\(picture) \(sound)".split(separator: " ").map(String.init)
  }
}

/// Paths of files that `board/bench` has built.
struct Tools: Sendable {
  var onair: String
  var floor: String
  /// The library that counts allocations by LD_PRELOAD.
  var allocations: String
  /// A minute of raw audio: 32-bit floats, 48 kHz, two channels.
  var beep: String
}
