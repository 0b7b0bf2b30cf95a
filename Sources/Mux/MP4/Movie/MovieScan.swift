// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds out how much of a file by `MovieWriter` is whole, as after a power cut, and with what it can be finished.
///
/// Every byte of the file may be wrong. Memory is bounded by the size of a fragment and of the index.
public struct MovieScan: Sendable {
  /// Reads bytes of a file: fewer than asked for at its end.
  public typealias Read<Failure: Error> = (_ offset: Int, _ count: Int) throws(Failure) -> [UInt8]

  /// What a file is.
  public enum Verdict: Sendable {
    /// No file by `MovieWriter`, or one in which nothing is whole.
    case nothing
    /// A file with more fragments or sample descriptions than are read. It may be whole.
    case tooLarge
    /// A finished file.
    case finished
    /// A file that has to be cut off at `MovieWriter.size` and finished.
    case unfinished(MovieWriter)
  }

  /// Examines a file.
  /// - Parameter size: the size of the file in bytes.
  public static func verdict<Failure: Error>(
    size: Int, _ read: Read<Failure>
  ) throws(Failure) -> Verdict {
    let range = MovieBoxes.switchRange
    let start = try read(range.lowerBound, range.count)
    if try isFinished(start, size: size, read) { return .finished }
    guard var walk = try MovieWalk(size: size, read) else { return .nothing }
    while try walk.step(read) != nil {}
    if walk.isTooLarge { return .tooLarge }
    try walk.check(read)
    guard !walk.fragments.isEmpty else { return .nothing }
    return .unfinished(
      MovieWriter(
        found: walk.tracks, fragments: walk.fragments, seconds: walk.seconds, size: walk.end))
  }

  /// Whether the box after ftyp is the header of media data up to a whole moov box that ends the file.
  private static func isFinished<Failure: Error>(
    _ bytes: [UInt8], size: Int, _ read: Read<Failure>
  ) throws(Failure) -> Bool {
    var reader = BoxReader(bytes)
    guard reader.take32() == 1, reader.take(4) == Array("mdat".utf8), let media = reader.take64(),
      media < size
    else { return false }
    let place = MovieBoxes.switchRange.lowerBound + media
    var header = BoxReader(try read(place, 16))
    guard let moov = header.take32(), header.take(4) == Array("moov".utf8),
      place + moov == size, header.skip(4) != nil, header.take(4) == Array("mvhd".utf8)
    else { return false }
    return true
  }
}
