// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What the headers of a file by `MovieWriter` say.
public struct MovieSummary: Sendable, Equatable {
  /// The length in seconds; `nil` if the file is not finished.
  public var seconds: Double?
  /// The picture size; `nil` without video.
  public var width: Int?, height: Int?

  /// Reads the headers of a file: a few hundred bytes.
  /// - Returns: `nil` if the file is not by `MovieWriter`.
  public init?<Failure: Error>(
    size: Int, _ read: MovieScan.Read<Failure>
  ) throws(Failure) {
    let range = MovieBoxes.switchRange
    let start = try read(0, range.upperBound + MovieHead.mostBytes)
    guard start.count > range.upperBound,
      Array(start[..<range.lowerBound]) == MovieBoxes.fileType
    else { return nil }
    var box = BoxReader(Array(start[range]))
    var reader = BoxReader(Array(start[range.upperBound...]))
    if let moov = reader.box(), let head = MovieHead.read(moov.content) {
      for case .video(let header) in head.tracks.map(\.track) {
        (width, height) = (header.size.width, header.size.height)
      }
    }
    // What follows ends a finished file.
    guard box.take32() == 1, box.take(4) == Array("mdat".utf8), let media = box.take64(),
      media < size - 64
    else { return }
    var ending = BoxReader(try read(range.lowerBound + media, 48))
    guard let moovSize = ending.take32(), moovSize == size - range.lowerBound - media,
      ending.take(4) == Array("moov".utf8), ending.skip(4) != nil,
      ending.take(4) == Array("mvhd".utf8), ending.skip(20) != nil,
      let scale = ending.take32(), scale > 0, let duration = ending.take64()
    else { return }
    seconds = Double(duration) / Double(scale)
  }
}
