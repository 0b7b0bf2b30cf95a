// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// A keyframe of a movie for its thumbnail, found in the fragments from the beginning of the file on.
public struct MovieKeyframe: Sendable {
  /// Most fragments that are looked at.
  private static let mostFragments = 64

  /// NAL units, each preceded by its length in 4 bytes.
  public var bytes: [UInt8]
  /// The AVCDecoderConfigurationRecord.
  public var avcConfiguration: [UInt8]

  /// Finds the first keyframe that begins `seconds` after the first one, else the last before that.
  /// - Returns: `nil` if there is none among the first 64 fragments.
  public init?<Failure: Error>(
    after seconds: Int, size: Int, _ read: MovieScan.Read<Failure>
  ) throws(Failure) {
    guard var walk = try MovieWalk(size: size, read) else { return nil }
    var found: (offset: Int, size: Int, description: [UInt8])?
    var firstTime: Int64?
    for _ in 0..<Self.mostFragments {
      guard let fragment = try walk.step(read) else { break }
      guard let run = fragment.runs.first(where: { walk.tracks[$0.track].track.isVideo }),
        run.samples[0].isSync
      else { continue }
      let track = walk.tracks[run.track]
      let description = track.descriptions[track.index.chunks.last?.description ?? 0]
      found = (fragment.offset + run.offset, run.samples[0].size, description)
      let since = run.samples[0].time - (firstTime ?? run.samples[0].time)
      firstTime = firstTime ?? run.samples[0].time
      if since >= Int64(seconds * track.track.timescale) { break }
    }
    guard let found else { return nil }
    bytes = try read(found.offset, found.size)
    avcConfiguration = found.description
    guard bytes.count == found.size else { return nil }
  }
}
