// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// The structural similarity (SSIM) of a received stream and what was sent, by ffmpeg's filter.
enum Quality {
  /// - Parameters:
  ///   - stream: the file of a `Segment`'s byte stream.
  ///   - numbers: which frame of `footage` each of its frames shows.
  ///   - log: the file for ffmpeg's output.
  /// - Returns: the weighted mean of all three planes ("All") of each frame, from 0 to 1.
  static func similarities(
    _ stream: String, to footage: Footage, numbers: [Int?], log: String
  ) throws -> [Double?] {
    unsafe unlink(log)
    let ffmpeg = try Child(command(stream), log: log, isMeasured: false)
    for number in numbers {
      // A frame without a number has to be compared with something; its result is not used.
      guard unsafe Feeder.write(footage.frame(number ?? 0), to: ffmpeg.input) else { break }
    }
    close(ffmpeg.input)
    while ffmpeg.isRunning { usleep(20_000) }
    ffmpeg.end()
    let values = (TextFile.read(log) ?? "").split(separator: "\n").compactMap(all)
    guard values.count == numbers.count else {
      throw Child.FailedError(
        description: "ffmpeg compared \(values.count) of \(numbers.count) frames: see \(log)")
    }
    return zip(numbers, values).map { $0 == nil ? nil : $1 }
  }

  /// Compares the stream with raw frames on standard input, the first with the first and so on.
  private static func command(_ stream: String) -> [String] {
    let size = Scene.size
    let filters =
      "[0:v]setpts=N/30/TB,scale=\(size.width):\(size.height):flags=bicubic,format=yuv420p[got];"
      + "[1:v]setpts=N/30/TB[sent];[got][sent]ssim=stats_file=-"
    return ["ffmpeg", "-hide_banner", "-loglevel", "error", "-f", "h264", "-i", stream]
      + ["-f", "rawvideo", "-pixel_format", "yuv420p", "-video_size", "\(size)"]
      + ["-framerate", "30", "-i", "pipe:0", "-lavfi", filters]
      + ["-fps_mode", "passthrough", "-f", "null", "-"]
  }

  /// Reads a line "n:1 Y:0.98 U:0.99 V:0.99 All:0.98 (17.6)".
  private static func all(_ line: Substring) -> Double? {
    guard line.hasPrefix("n:") else { return nil }
    return line.split(separator: " ").first { $0.hasPrefix("All:") }
      .flatMap { Double(String($0.dropFirst(4))) }
  }

  /// Decibels of a mean similarity, as ffmpeg prints them.
  static func decibels(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    return -10 * log10(1 - values.reduce(0, +) / Double(values.count))
  }
}
