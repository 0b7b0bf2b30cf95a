// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Media

/// Reads the moov box at the beginning of a file by `MovieWriter`. Refuses what that does not write.
enum MovieHead {
  /// Most bytes of the box: a few tracks take about 600 each.
  static let mostBytes = 1 << 16
  /// Most tracks.
  private static let mostTracks = 32
  /// The sample rates of AAC.
  private static let sampleRates = 8_000...96_000
  /// Most bytes of an AudioSpecificConfig.
  private static let mostConfigBytes = 64

  /// The tracks, and when the movie was made in seconds since 1970 (0 if that is not known); `nil` if the content of
  /// the moov box is damaged.
  static func read(_ moov: BoxReader) -> (tracks: [MovieTrackState], seconds: Int64)? {
    guard var header = moov.box(at: "mvhd"), header.skip(4) != nil, let created = header.take64()
    else { return nil }
    var (rest, tracks) = (moov, [MovieTrackState]())
    while let box = rest.box() {
      guard box.type == "trak" else { continue }
      guard tracks.count < mostTracks, let track = track(box.content) else { return nil }
      tracks.append(track)
    }
    let seconds = Int64(created) - MovieBoxes.secondsTo1970
    return tracks.isEmpty ? nil : (tracks, max(0, seconds))
  }

  private static func track(_ trak: BoxReader) -> MovieTrackState? {
    guard var header = trak.box(at: "mdia", "mdhd"), header.skip(20) != nil,
      let timescale = header.take32(), timescale > 0,
      var handler = trak.box(at: "mdia", "hdlr"), handler.skip(8) != nil,
      let kind = handler.take(4), handler.skip(12) != nil,
      var descriptions = trak.box(at: "mdia", "minf", "stbl", "stsd"),
      descriptions.skip(8) != nil, let first = descriptions.box()
    else { return nil }
    var start = 0
    if var edits = trak.box(at: "edts", "elst") {
      guard edits.skip(16) != nil, let time = edits.take64(), time <= timescale else { return nil }
      start = time
    }
    switch (kind, first.type) {
    case (Array("vide".utf8), "avc1"):
      guard timescale == 90_000, let video = video(first.content) else { return nil }
      return MovieTrackState(.video(video), start: Int64(start))
    case (Array("soun".utf8), "mp4a"):
      guard let audio = audio(first.content, rate: timescale) else { return nil }
      let text = handler.take(handler.count) ?? []
      let name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      return MovieTrackState(.audio(audio, name: name), start: Int64(start))
    default: return nil
    }
  }

  private static func video(_ entry: BoxReader) -> VideoHeader? {
    var entry = entry
    guard entry.skip(24) != nil, let width = entry.take16(), let height = entry.take16(),
      width > 0, height > 0, entry.skip(50) != nil,
      var record = entry.box(at: "avcC"), let configuration = record.take(record.count)
    else { return nil }
    return VideoHeader(
      avcConfiguration: configuration, size: PictureSize(width: width, height: height),
      framesPerSecond: 30, bitrateKbps: 0)
  }

  private static func audio(_ entry: BoxReader, rate: Int) -> AudioHeader? {
    var entry = entry
    // In esds: version and flags, 5 bytes of the ES_Descriptor, 7 up to the greatest bit rate, the mean one.
    guard sampleRates.contains(rate), entry.skip(16) != nil, let channels = entry.take16(),
      entry.skip(10) != nil,
      var esds = entry.box(at: "esds"), esds.skip(16) != nil, let bits = esds.take32(),
      esds.skip(5) != nil, let size = esds.take8(), size <= mostConfigBytes,
      let config = esds.take(size)
    else { return nil }
    return AudioHeader(
      audioSpecificConfig: config, sampleRate: rate, channels: channels, bitrateKbps: bits / 1_000)
  }
}
