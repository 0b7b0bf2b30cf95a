// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Mux
internal import Posix

extension RecordingFolder {
  /// Most bytes of a thumbnail's file.
  private static let mostThumbnailBytes = 1 << 18
  /// The time in seconds after which the keyframe is looked for that a thumbnail shows.
  private static let thumbnailSeconds = 10

  /// A picture of a recording as JPEG, 320 pixels wide: its first keyframe after 10 s or, if it is shorter, its last
  /// one. It is made when it is first asked for, and kept in the state directory.
  /// - Throws: `undecodable` also for a recording without video, or one that is not finished.
  public func thumbnail(_ id: String) throws(RecordingError) -> [UInt8] {
    let recording = try recording(id)
    let name = "\(id).jpg"
    if let kept = try? File.readPrivate(name, in: thumbnails, limit: Self.mostThumbnailBytes) {
      return kept
    }
    let file = try open(id)
    let jpeg: [UInt8]?
    do throws(SystemError) {
      let found = try MovieKeyframe(
        after: Self.thumbnailSeconds, size: try file.status().size, file.read)
      jpeg = found.flatMap { keyframe in
        Thumbnail.jpeg(
          ofKeyframe: keyframe.bytes, avcConfiguration: keyframe.avcConfiguration)
      }
    } catch {
      throw .folder(RecordingTrouble(error))
    }
    guard let jpeg else { throw .undecodable }
    if !recording.isRunning {
      File.makePrivateFolder(thumbnails)
      try? File.replace(name, in: thumbnails, with: jpeg)
    }
    return jpeg
  }
}
