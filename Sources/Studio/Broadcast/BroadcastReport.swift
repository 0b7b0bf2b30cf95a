// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// The line of counters that is written to the log each minute, and at the end of a broadcast.
struct BroadcastReport {
  /// The counters of the video encoder and its source.
  struct Video {
    /// Frames that were encoded, repeats included.
    var frames: Int
    /// Frames that were sent again because no new frame came.
    var repeated: Int
    /// Frames that were dropped because the source is faster than the set frame rate.
    var surplus: Int
    /// Frames that were dropped because this machine was too slow.
    var late: Int
    /// Frames whose data could not be decoded.
    var unreadable: Int
    /// Failed attempts to encode video.
    var failed: Int
    /// Bytes of encoded video.
    var bytes: Int
  }

  /// The counters of the audio encoder and its sources.
  struct Audio {
    /// Audio packets that were encoded.
    var packets: Int
    /// Failed attempts to encode audio.
    var failed: Int
    /// Sample frames that were dropped because the source delivered them too late to be heard.
    var lateFrames: Int
    /// Chunks of the source's audio that were dropped because the pipeline did not read them in time.
    var late: Int
  }

  /// The counters of one destination.
  struct Server {
    /// The name of the relay (a destination besides the main one); `nil` for the main destination.
    var name: String?
    /// Bytes that were handed to the kernel for this server.
    var bytes: UInt64
    /// Packets that were dropped because the link was too slow.
    var dropped: Int
    /// How many times the server accepted the stream again after the first time.
    var reconnects: Int
    /// Nanoseconds since the capture of the newest frame that is known to have arrived at the server; `nil` if no frame
    /// is known to have arrived.
    var deliveredAgoNanos: Int64?
  }

  /// How long the broadcast has lasted so far.
  var seconds: Int
  /// The counters of video; `nil` without video.
  var video: Video?
  /// The counters of audio; `nil` without audio.
  var audio: Audio?
  /// The counters of each source, as text.
  var sources: [String] = []
  /// The destinations, the main one and the relays.
  var servers: [Server] = []

  /// The line for the log: "Counters after …".
  var line: String {
    var parts: [String] = []
    if let video {
      var rest = "\(video.repeated) repeated, \(video.surplus) surplus, \(video.late) late"
      if video.unreadable > 0 { rest += ", \(video.unreadable) unreadable" }
      if video.failed > 0 { rest += ", \(video.failed) failed" }
      parts.append(
        "\(count(video.frames, "frame")) encoded (\(rest)), "
          + "\(video.bytes / 125 / max(1, seconds)) kbit/s video")
    }
    if let audio {
      parts.append(
        "\(count(audio.packets, "audio packet")) (\(audio.failed) failed, "
          + "\(Phrase.count(audio.lateFrames, "sample")) and \(Phrase.count(audio.late, "chunk")) late)"
      )
    }
    parts += sources
    for server in servers {
      let tenths = server.bytes / 100_000
      parts.append(
        (server.name.map { "to \($0): " } ?? "")
          + "sent \(tenths / 10).\(tenths % 10) MB, \(Phrase.count(server.dropped, "packet")) dropped, "
          + Phrase.count(server.reconnects, "reconnect")
          + (server.deliveredAgoNanos.map { ", delivered up to \($0 / 1_000_000) ms ago" }
            ?? ", nothing delivered yet"))
    }
    return "Counters after \(Phrase.duration(seconds)): " + parts.joined(separator: "; ") + "."
  }

  /// A number with its thousands separated, and a noun in singular or plural: "21,600 frames".
  private func count(_ number: Int, _ noun: String) -> String {
    var digits = String(number)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits = String(digits.dropLast(3))
    }
    groups.insert(digits[...], at: 0)
    return groups.joined(separator: ",") + (number == 1 ? " \(noun)" : " \(noun)s")
  }
}
