// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

let ffmpeg = "/usr/bin/ffmpeg"
let ffprobe = "/usr/bin/ffprobe"

/// Files in a temporary folder, as ffmpeg sees them.
struct Examined: ~Copyable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "onair-preview-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let path = folder + "/" + name
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  struct FilePacket: Equatable {
    var time: Double
    var duration: Double
    var isKey: Bool
  }

  /// The packets of a stream: "v" or "a".
  static func packets(_ path: String, _ stream: String) throws -> [FilePacket] {
    let lines = try output(
      ffprobe,
      [
        "-v", "error", "-select_streams", stream, "-show_entries",
        "packet=pts_time,duration_time,flags", "-of", "csv=p=0", path,
      ])
    return lines.split(separator: "\n").map { line in
      let parts = line.split(separator: ",")
      return FilePacket(
        time: Double(parts[0]) ?? -1, duration: Double(parts[1]) ?? -1,
        isKey: parts[2].contains("K"))
    }
  }

  /// The average luma of each frame. Expects no error.
  static func luma(_ path: String) throws -> [Int] {
    let pixels = try decoded(
      path, ["-map", "0:v", "-vf", "scale=1:1", "-fps_mode", "passthrough", "-pix_fmt", "gray"],
      as: "rawvideo")
    return pixels.map { Int($0) }
  }

  /// How many samples of audio there are. Expects no error.
  static func samples(_ path: String) throws -> Int {
    try decoded(path, ["-map", "0:a", "-ac", "1"], as: "s16le").count / 2
  }

  private static func decoded(
    _ path: String, _ options: [String], as format: String
  ) throws -> Data {
    // A playlist of files with this ending is refused otherwise.
    let isPlaylist = path.hasSuffix("m3u8")
    return try data(
      ffmpeg,
      ["-v", "error", "-xerror"] + (isPlaylist ? ["-allowed_extensions", "ALL"] : [])
        + ["-i", path] + options + ["-f", format, "-"])
  }

  private static func output(_ tool: String, _ arguments: [String]) throws -> String {
    String(decoding: try data(tool, arguments), as: UTF8.self)
  }

  private static func data(_ tool: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    let out = Pipe()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    process.standardOutput = out
    process.standardError = FileHandle.standardError
    try process.run()
    let data = out.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(tool) \(arguments)")
    return data
  }
}
