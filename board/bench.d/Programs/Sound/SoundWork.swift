// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What each program mixes: stereo of 48 kHz. Microphones are named pipes into which `SoundFeed` plays voices with
/// noise that are different left and right, each at a pace that is a little wrong: the programs resample them, and
/// all that is done to two channels is done twice.
enum SoundWork: String, CaseIterable {
  /// One microphone, as it is.
  case microphone
  /// Four tracks: three microphones with noise reduction, and music under them that is lowered while they are heard.
  /// They are so loud that the limiter works.
  case desk

  private static let noiseReductionDB = 15

  private var microphones: Int { self == .desk ? 3 : 1 }

  /// The pipes, with the voice for each.
  /// - Parameter folder: has the voices and the music.
  func pipes(_ folder: String) -> [(pipe: String, voice: String)] {
    (1...microphones).map { ("\(folder)/microphone\($0)", "\(folder)/voice\($0).s16") }
  }

  private func music(_ folder: String) -> String { "\(folder)/music.mp3" }

  /// OnAir's settings of the sound.
  func settings(_ folder: String) -> [String] {
    let pipes = pipes(folder).map(\.pipe)
    let first = ["audio.source=pipe:\(pipes[0])", "audio.channels=2"]
    guard self == .desk else { return first }
    let denoise = "denoise=\(SoundWork.noiseReductionDB)"
    return first + ["audio.\(denoise)"]
      + pipes.indices.dropFirst().flatMap {
        ["track.voice\($0).source=pipe:\(pipes[$0])", "track.voice\($0).\(denoise)"]
      }
      + ["music.source=file:\(music(folder))", "music.autostart=true", "music.loop=true"]
  }

  /// OnAir's command, for a broadcast without video.
  func onair(_ program: String, port: Int, folder: String) -> [String] {
    let settings =
      [
        "video.source=none", "audio.bitrate_kbps=\(Work.audioKbps)",
        "publish.url=rtmp://127.0.0.1:\(port)/live", "publish.key=bench",
        "publish.autostart=always", "state.directory=\(folder)/state",
      ] + settings(folder)
    return [program, "run"] + settings.flatMap { ["--set", $0] }
  }

  /// ffmpeg's command: its filters for the same work are aresample, afftdn, sidechaincompress, amix, alimiter and
  /// ebur128.
  func ffmpeg(port: Int, folder: String) -> [String] {
    let pipes = pipes(folder).map(\.pipe)
    var inputs = pipes.flatMap {
      [
        "-thread_queue_size", "64", "-use_wallclock_as_timestamps", "1", "-f", "s16le", "-ar",
        "48000", "-ac", "2", "-i", $0,
      ]
    }
    // It follows the card's clock by stretching the sound, as OnAir does.
    let follow = "aresample=async=1000,aformat=sample_fmts=fltp:channel_layouts=stereo"
    var filter = "[0:a]\(follow)[out]"
    if self == .desk {
      inputs += ["-re", "-stream_loop", "-1", "-i", music(folder)]
      let cleaned = pipes.indices.map {
        "[\($0):a]\(follow),afftdn=nr=\(SoundWork.noiseReductionDB):tn=1[v\($0)]"
      }
      let all = pipes.indices.map { "[v\($0)]" }.joined()
      filter =
        cleaned.joined(separator: ";")
        + ";\(all)amix=inputs=\(pipes.count):normalize=0,asplit[voices][key]"
        + ";[\(pipes.count):a]aresample=48000,aformat=sample_fmts=fltp:channel_layouts=stereo[music]"
        + ";[music][key]sidechaincompress=threshold=0.02:ratio=8:release=1000[lowered]"
        + ";[voices][lowered]amix=inputs=2:normalize=0,alimiter=limit=0.89:level=0,ebur128=peak=true,"
        + "aformat=sample_fmts=fltp[out]"
    }
    return ["ffmpeg", "-nostdin", "-nostats", "-hide_banner", "-loglevel", "warning"] + inputs + [
      "-filter_complex", filter, "-map", "[out]", "-c:a", "aac", "-b:a", "\(Work.audioKbps)k",
      "-ar", "48000", "-f", "flv", "-flvflags", "no_duration_filesize", Servers.address(port),
    ]
  }
}
