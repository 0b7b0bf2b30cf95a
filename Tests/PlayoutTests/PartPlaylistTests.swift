// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Mux
@testable import Playout
@testable import Preview

struct PartPlaylistTests {
  private func text(
    _ store: Fragments, folder: String = "programme/", query: String = ""
  ) -> String {
    let playlist = PartPlaylist(store.kept)
    return playlist.text(
      target: 2, partTarget: PartPlaylist.partNanos, folder: folder, query: query)
  }

  @Test func thePartsOfTheFirstSegmentAreListedAtOnce() {
    let store = Made.store
    #expect(text(store).isEmpty)
    #expect(PartPlaylist(store.kept).newest == nil)
    Made.fill(store, 0..<2)
    #expect(
      text(store, folder: "") == """
        #EXTM3U
        #EXT-X-VERSION:9
        #EXT-X-TARGETDURATION:2
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.800
        #EXT-X-PART-INF:PART-TARGET=0.600
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-DISCONTINUITY-SEQUENCE:1
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="1.mp4"
        #EXT-X-PART:DURATION=0.500,URI="0.0.m4s",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.500,URI="0.1.m4s"
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="0.2.m4s"

        """)
    #expect(PartPlaylist(store.kept).newest == PartPlaylist.Place(segment: 0, part: 1))
  }

  /// A part with sound alone has the time of its sound, which may be before the frames that have come already.
  @Test func aPartWithEarlierSoundShortensNoSegment() {
    let store = Made.store
    var sound = Made.part(0)
    (sound.time, sound.duration) = (Made.start + .milliseconds(1_800), 0)
    _ = store.append(Made.part(4, key: true))
    _ = store.append(sound)
    _ = store.append(Made.part(5, key: true))
    #expect(PartPlaylist(store.kept).segments.map(\.duration) == [500_000_000, 500_000_000])
    #expect(text(store).contains("#EXTINF:0.500,"))
  }

  /// Seven segments, of which the last three and the unfinished one have parts; each address carries the key.
  @Test func sevenSegmentsAreListed() {
    let store = Made.store
    Made.fill(store, 0..<42)
    let lines = text(store, query: "?auth_key=K").split(separator: "\n").map(String.init)
    let head = [
      "#EXTM3U", "#EXT-X-VERSION:9", "#EXT-X-TARGETDURATION:2",
      "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.800",
      "#EXT-X-PART-INF:PART-TARGET=0.600", "#EXT-X-MEDIA-SEQUENCE:3",
      "#EXT-X-DISCONTINUITY-SEQUENCE:1", "#EXT-X-INDEPENDENT-SEGMENTS",
      "#EXT-X-MAP:URI=\"programme/1.mp4?auth_key=K\"",
    ]
    func part(_ segment: Int, _ part: Int) -> String {
      "#EXT-X-PART:DURATION=0.500,URI=\"programme/\(segment).\(part).m4s?auth_key=K\""
        + (part == 0 ? ",INDEPENDENT=YES" : "")
    }
    let whole = (3...9).flatMap { segment in
      (segment < 7 ? [] : (0..<4).map { part(segment, $0) })
        + ["#EXTINF:2.000,", "programme/\(segment).m4s?auth_key=K"]
    }
    let end = [
      part(10, 0), part(10, 1),
      "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"programme/10.2.m4s?auth_key=K\"",
    ]
    #expect(lines == head + whole + end)
  }

  /// After a cut, as for a pause, nothing from before it is listed or served, and no number is used for something else:
  /// a player may have had a part of it.
  @Test func aCutEndsASegmentForGood() {
    let store = Made.store
    Made.fill(store, 0..<6)
    #expect(PartPlaylist(store.kept).newest == PartPlaylist.Place(segment: 1, part: 1))
    store.cut(video: 2, audio: 0)
    #expect(text(store).isEmpty)
    #expect(PartPlaylist.bytes(of: .init(segment: 1, part: 0), in: store.kept) == nil)
    #expect(!store.append(Made.part(6)), "a part that was being made")
    Made.fill(store, 7..<9, epoch: 2, video: 2)
    #expect(
      text(store).hasSuffix(
        """
        #EXT-X-MEDIA-SEQUENCE:2
        #EXT-X-DISCONTINUITY-SEQUENCE:2
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="programme/2.mp4"
        #EXT-X-PART:DURATION=0.500,URI="programme/2.0.m4s",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.500,URI="programme/2.1.m4s"
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="programme/2.2.m4s"

        """))
    #expect(PartPlaylist.bytes(of: .init(segment: 2, part: 1), in: store.kept) == [8])
    #expect(PartPlaylist.bytes(of: .init(segment: 2, part: 2), in: store.kept) == nil)
  }

  /// Where the format changes without a cut, the list has a discontinuity.
  @Test func aNewFormatIsADiscontinuity() {
    let store = Made.store
    Made.fill(store, 0..<3)
    Made.fill(store, 3..<4, epoch: 2)
    #expect(
      text(store).hasSuffix(
        """
        #EXTINF:1.500,
        programme/0.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-MAP:URI="programme/2.mp4"
        #EXT-X-PART:DURATION=0.500,URI="programme/1.0.m4s",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="programme/1.1.m4s"

        """))
  }

  /// The store holds what is listed, and two segments more.
  @Test func oldSegmentsAreForgotten() {
    let store = Made.store
    Made.fill(store, 0..<402)
    #expect(store.kept.first?.segment == 92)
    #expect(store.kept.last?.segment == 100)
  }
}

struct BlockedReloadTests {
  private let newest = PartPlaylist.Place(segment: 12, part: 2)

  private func reload(_ segment: Int, _ part: Int? = nil) -> BlockedReload {
    BlockedReload(segment: segment, part: part)
  }

  @Test func aReloadWaitsForItsPart() {
    #expect(reload(12, 2).isMet(by: newest) && !reload(12, 3).isMet(by: newest))
    #expect(reload(11).isMet(by: newest) && !reload(12).isMet(by: newest))
    #expect(reload(11, 99).isMet(by: newest), "stands for the first part of the next segment")
    #expect(!reload(13, 0).isMet(by: newest))
    #expect(reload(12, 3).isMet(by: .init(segment: 13, part: 0)))
  }

  @Test func nobodyWaitsForWhatIsFarAhead() {
    #expect(!reload(13).isTooFar(from: newest) && reload(14).isTooFar(from: newest))
  }

  @Test func numbersAreRead() throws {
    #expect(try BlockedReload.read(segment: nil, part: nil) == nil)
    #expect(try BlockedReload.read(segment: "12", part: nil) == reload(12))
    #expect(try BlockedReload.read(segment: "12", part: "3") == reload(12, 3))
    for (segment, part) in [
      (nil, "3"), ("", nil), ("-1", nil), ("1.5", nil), ("x", "1"), ("1", ""), ("1", "+1"),
      ("1234567890", nil), ("١", nil),
    ] as [(String?, String?)] {
      #expect(throws: PlayoutError.unfitReload) {
        try BlockedReload.read(segment: segment, part: part)
      }
    }
  }
}

struct PartLengthTests {
  /// The lengths of the parts in milliseconds, with frames of a constant rate.
  private func lengths(_ framesPerSecond: Int64, frames: Int64) -> [Int64] {
    var length = PartLength(Epoch(number: 1, video: Made.video, audio: Made.audio))
    var lengths: [Int64] = []
    var began: Int64 = 0
    for frame in 0..<frames {
      let time = frame * 1_000_000_000 / framesPerSecond
      if length.add(isVideo: true, at: Made.start + time) {
        let end = (frame + 1) * 1_000_000_000 / framesPerSecond
        lengths.append((end - began) / 1_000_000)
        began = end
        length.begin()
      }
    }
    return lengths
  }

  /// No part is longer than 0.6 s, and none is shorter than 85 % of it where the frame rate allows it.
  @Test func partsAreNearHalfASecond() {
    for rate: Int64 in [5, 7, 9, 10, 12, 15, 24, 25, 30, 50, 60] {
      let lengths = lengths(rate, frames: rate * 10)
      #expect(lengths.dropFirst().allSatisfy { (509...600).contains($0) }, "\(rate): \(lengths)")
    }
    #expect(lengths(25, frames: 100).allSatisfy { $0 == 520 })
    #expect(lengths(8, frames: 80).dropFirst().allSatisfy { $0 == 500 })
    #expect(lengths(1, frames: 5).dropFirst().allSatisfy { $0 == 1_000 })
  }

  @Test func withoutVideoThePacketsOfAudioCount() {
    var length = PartLength(Epoch(number: 1, audio: Made.audio))
    let isFull = (0..<30).map { index in
      length.add(isVideo: false, at: Made.start + Int64(index) * 21_333_333)
    }
    #expect(isFull.firstIndex(of: true) == 23)
  }
}
