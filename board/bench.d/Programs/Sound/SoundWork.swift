// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// What each program mixes: stereo of 48 kHz.
enum SoundWork: String, CaseIterable {
  /// One voice, as it is.
  case microphone
  /// Three voices with noise reduction, and music under them that is lowered while they are heard.
  case desk

  private static let voices = 3
  private static let noiseReductionDB = 15

  private static func music(_ folder: String) -> String { "\(folder)/music.wav" }

  /// Writes a minute of music: 16 bits, stereo.
  static func writeMusic(_ folder: String) throws {
    let making = try Child(
      [
        "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
        "aevalsrc=0.2*sin(440*2*PI*t)+0.1*sin(660*2*PI*t)|0.2*sin(550*2*PI*t):s=48000:d=60",
        music(folder),
      ], log: "\(folder)/music.log", isMeasured: false)
    while making.isRunning { usleep(5_000) }
    making.end()
    guard unsafe access(music(folder), R_OK) == 0 else {
      throw Child.FailedError(description: "no music: see \(folder)/music.log")
    }
  }

  /// OnAir's settings, besides those of one voice.
  func settings(_ folder: String) -> [String] {
    guard self == .desk else { return [] }
    let denoise = "denoise=\(SoundWork.noiseReductionDB)"
    return ["audio.\(denoise)"]
      + (2...SoundWork.voices).flatMap {
        ["track.voice\($0).source=tone", "track.voice\($0).\(denoise)"]
      }
      + [
        "music.source=file:\(SoundWork.music(folder))", "music.autostart=true", "music.loop=true",
      ]
  }

  /// OnAir's command, for a broadcast without video.
  func onair(_ program: String, port: Int, folder: String) -> [String] {
    let settings =
      [
        "video.source=none", "audio.source=tone", "audio.bitrate_kbps=\(Work.audioKbps)",
        "audio.channels=2", "publish.url=rtmp://127.0.0.1:\(port)/live", "publish.key=bench",
        "publish.autostart=always", "state.directory=\(folder)/state",
      ] + settings(folder)
    return [program, "run"] + settings.flatMap { ["--set", $0] }
  }

  /// ffmpeg's command: its filters for the same work are afftdn, sidechaincompress, amix, alimiter and ebur128.
  func ffmpeg(port: Int, folder: String) -> [String] {
    let tone = ["-re", "-f", "lavfi", "-i", "sine=frequency=1000:sample_rate=48000"]
    var (inputs, filter) = (tone, "[0:a]aformat=channel_layouts=stereo[out]")
    if self == .desk {
      inputs += (2...SoundWork.voices).flatMap { _ in tone }
      inputs += ["-re", "-stream_loop", "-1", "-i", SoundWork.music(folder)]
      let cleaned = (0..<SoundWork.voices).map {
        "[\($0):a]aformat=sample_fmts=fltp:channel_layouts=stereo,"
          + "afftdn=nr=\(SoundWork.noiseReductionDB)[v\($0)]"
      }
      let all = (0..<SoundWork.voices).map { "[v\($0)]" }.joined()
      filter =
        cleaned.joined(separator: ";")
        + ";\(all)amix=inputs=\(SoundWork.voices):normalize=0,asplit[voices][key]"
        + ";[\(SoundWork.voices):a]aformat=sample_fmts=fltp:channel_layouts=stereo[music]"
        + ";[music][key]sidechaincompress=threshold=0.02:ratio=8:release=1000[lowered]"
        + ";[voices][lowered]amix=inputs=2:normalize=0,alimiter=limit=0.89,ebur128=peak=true,"
        + "aformat=sample_fmts=fltp[out]"
    }
    return ["ffmpeg", "-nostdin", "-nostats", "-hide_banner", "-loglevel", "warning"] + inputs + [
      "-filter_complex", filter, "-map", "[out]", "-c:a", "aac", "-b:a", "\(Work.audioKbps)k",
      "-ar", "48000", "-f", "flv", "-flvflags", "no_duration_filesize", Servers.address(port),
    ]
  }
}
