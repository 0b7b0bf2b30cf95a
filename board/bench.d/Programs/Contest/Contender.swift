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
  ///   - to: the ports of the servers. OnAir, ffmpeg and GStreamer send the same stream to all of them.
  ///   - tools: paths of onair, the floor and the beep.
  ///   - work: a folder for the program's own files.
  ///   - speed: x264's preset; for OnAir "auto", too. GStreamer and the floor have `Work.preset`.
  ///   - overlays: what the program lays on the picture. The floor lays nothing on it.
  func command(
    to servers: Servers, tools: Tools, work: String, speed: String = Work.preset,
    overlays: OverlayWork = .none
  ) -> [String] {
    switch self {
    case .onair: onair(to: servers, tools: tools, work: work, speed: speed, overlays)
    case .ffmpeg: ffmpeg(to: servers, tools: tools, work: work, speed: speed, overlays)
    case .gstreamer: gstreamer(to: servers, work: work, overlays)
    case .floor:
      [tools.floor]
        + [
          servers.main, Scene.size.width, Scene.size.height, Scene.framesPerSecond, Work.videoKbps,
          Work.gopSeconds * Scene.framesPerSecond, Work.audioKbps,
        ].map(String.init) + [Work.preset]
    }
  }

  /// The x264 options that may differ from the floor's. gst-launch cannot request keyframes, so x264 inserts them at
  /// intervals.
  var allowedDifferences: Set<String> { self == .gstreamer ? ["keyint", "keyint_min"] : [] }

  private func onair(
    to servers: Servers, tools: Tools, work: String, speed: String, _ overlays: OverlayWork
  ) -> [String] {
    let settings =
      [
        "video.source=pipe", "video.size=\(Scene.size)", "video.fps=\(Scene.framesPerSecond)",
        "video.bitrate_kbps=\(Work.videoKbps)", "video.gop_seconds=\(Work.gopSeconds)",
        "video.speed=\(speed)", "audio.source=tone", "audio.bitrate_kbps=\(Work.audioKbps)",
        "audio.channels=2", "publish.url=rtmp://127.0.0.1:\(servers.main)/live",
        "publish.key=bench",
        "publish.autostart=always",
        "state.directory=\(work)/state",
      ] + servers.relays.map { "relay.to\($0).url=\(Servers.address($0))" }
      + overlays.settings(work)
    return [tools.onair, "run"] + settings.flatMap { ["--set", $0] }
  }

  private func ffmpeg(
    to servers: Servers, tools: Tools, work: String, speed: String, _ overlays: OverlayWork
  ) -> [String] {
    let colour =
      "-color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709"
    let x264 =
      "-c:v libx264 -preset \(speed) -tune zerolatency -profile:v high "
      + "-b:v \(Work.videoKbps)k -maxrate \(Work.videoKbps)k -bufsize \(Work.videoKbps)k "
      + "-x264-params keyint=infinite:scenecut=0 -forced-idr 1 "
      + "-force_key_frames expr:gte(t,n_forced*\(Work.gopSeconds))"
    let out =
      "-c:a aac -b:a \(Work.audioKbps)k -max_interleave_delta 1 -muxdelay 0 -muxpreload 0 "
      + "-flush_packets 1 " + ffmpegOutput(servers)
    return Contender.ffmpegInput(tools: tools, work: work, overlays)
      + words("-map 1:a -vsync passthrough \(x264) \(colour) \(out)")
  }

  private static func ffmpegInput(
    tools: Tools, work: String, _ overlays: OverlayWork
  ) -> [String] {
    let picture =
      "-fflags nobuffer -flags low_delay -probesize 32 -analyzeduration 0 -f rawvideo "
      + "-pixel_format yuv420p -video_size \(Scene.size) -framerate \(Scene.framesPerSecond) "
      + "-thread_queue_size 1 -use_wallclock_as_timestamps 1 -i pipe:0"
    // A beep each second from a file, which is read as fast as the video. With -re the audio would delay the video by
    // 50 ms.
    let sound =
      "-fflags nobuffer -probesize 32 -analyzeduration 0 -stream_loop -1 "
      + "-f f32le -ar 48000 -ac 2 -i \(tools.beep)"
    let top = overlays.ffmpeg(work)
    return ["ffmpeg", "-nostdin", "-nostats", "-hide_banner", "-loglevel", "warning"]
      + words("\(picture) \(sound)") + (top?.inputs ?? [])
      + (top.map { ["-filter_complex", $0.filter, "-map", "[v]"] } ?? ["-map", "0:v"])
  }

  /// With relays: the tee muxer. The documentation's remedy for a slow output is a queue with a thread of its own, which
  /// drops packets when it is full and connects again (ffmpeg-formats, "tee" and "fifo").
  private func ffmpegOutput(_ servers: Servers) -> String {
    guard !servers.relays.isEmpty else {
      return "-f flv -flvflags no_duration_filesize -rtmp_live live -tcp_nodelay 1 "
        + Servers.address(servers.main)
    }
    let queue =
      "-use_fifo 1 -fifo_options drop_pkts_on_overflow=1:attempt_recovery=1:recover_any_error=1:recovery_wait_time=1 "
    let outputs = ([servers.main] + servers.relays).map {
      "[f=flv:flvflags=no_duration_filesize:onfail=ignore]\(Servers.address($0))"
    }
    return "-flags +global_header -f tee " + (servers.queues ? queue : "")
      + outputs.joined(separator: "|")
  }

  private func gstreamer(
    to servers: Servers, work: String, _ overlays: OverlayWork
  ) -> [String] {
    let top = overlays.gstreamer(work)
    let keys = Work.gopSeconds * Scene.framesPerSecond
    let picture =
      Contender.gstreamerPicture(overlays) + top.filter
      + "! x264enc tune=zerolatency speed-preset=\(Work.preset) bitrate=\(Work.videoKbps) "
      + "vbv-buf-capacity=1000 key-int-max=\(keys) option-string=scenecut=0 "
      + "! video/x-h264,profile=high ! flvmux name=mux streamable=true latency=0 "
      + gstreamerOutput(servers)
    let sound =
      "audiotestsrc is-live=true wave=ticks freq=1000 sine-periods-per-tick=100 volume=0.1 "
      + "samplesperbuffer=480 ! audio/x-raw,rate=48000,channels=2 ! audioconvert "
      + "! avenc_aac bitrate=\(Work.audioKbps * 1000) ! aacparse ! mux."
    return ["gst-launch-1.0", "-q"] + words("\(picture) \(sound)\(top.rest)")
  }

  private static func gstreamerPicture(_ overlays: OverlayWork) -> String {
    // The first frame gets no time of fdsrc, and the compositor refuses it: then the parser counts.
    let stamps = overlays == .none ? "do-timestamp=true " : ""
    return "fdsrc fd=0 \(stamps)blocksize=\(Scene.frameBytes) ! rawvideoparse format=i420 "
      + "width=\(Scene.size.width) height=\(Scene.size.height) framerate=\(Scene.framesPerSecond)/1 "
  }

  /// ffmpeg or GStreamer with the picture alone, and no encoder: what it has composed is thrown away.
  func composing(_ overlays: OverlayWork, tools: Tools, work: String) -> [String] {
    guard self == .gstreamer else {
      return Contender.ffmpegInput(tools: tools, work: work, overlays)
        + words("-vsync passthrough -f null -")
    }
    let top = overlays.gstreamer(work)
    let picture = "\(Contender.gstreamerPicture(overlays))\(top.filter)"
    return ["gst-launch-1.0", "-q"] + words("\(picture)! fakesink sync=false \(top.rest)")
  }

  /// With relays: a tee, behind which each sink has a queue with a thread of its own.
  private func gstreamerOutput(_ servers: Servers) -> String {
    func sink(_ port: Int) -> String {
      "rtmp2sink location=\(Servers.address(port)) sync=false async=\(servers.relays.isEmpty) chunk-size=60000"
    }
    guard !servers.relays.isEmpty else { return "! \(sink(servers.main))" }
    let leaks = servers.queues ? "leaky=downstream " : ""
    return "! tee name=all all. ! queue ! \(sink(servers.main))"
      + servers.relays.map { " all. ! queue \(leaks)! \(sink($0))" }.joined()
  }
}

/// The ports on loopback to which a program sends its stream.
struct Servers: Sendable {
  var main: Int
  var relays: [Int] = []
  /// Whether the programs that OnAir is compared with drop what a relay does not take, instead of waiting for it.
  var queues = false

  /// With the stream key.
  static func address(_ port: Int) -> String { "rtmp://127.0.0.1:\(port)/live/bench" }
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

private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
