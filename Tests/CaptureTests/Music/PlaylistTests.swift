// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport
import Testing

@testable import Capture

@Suite struct PlaylistTests {
  private static func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// Twelve lists, and what they are.
  private static let lists: [(name: String, bytes: [UInt8], content: Playlist.Content)] = [
    (
      "a plain m3u", Array("one.mp3\ntwo.mp3\n".utf8),
      .list(Playlist(entries: [.init(reference: "one.mp3"), .init(reference: "two.mp3")]))
    ),
    (
      "an extended m3u with a byte order mark and CR LF",
      [0xEF, 0xBB, 0xBF]
        + Array("#EXTM3U\r\n#EXTINF:123,An Artist - A Title\r\na/b c.ogg\r\n".utf8),
      .list(
        Playlist(entries: [.init(reference: "a/b c.ogg", title: "An Artist - A Title")]))
    ),
    (
      "an m3u in Latin-1",
      latin1("#EXTM3U\n#EXTINF:-1,Caf\u{E9} \u{80}\nhttp://radio.example/caf\u{E9}\n"),
      .list(
        Playlist(entries: [
          .init(reference: "http://radio.example/café", title: "Café €")
        ]))
    ),
    (
      "a pls",
      Array(
        "[playlist]\nNumberOfEntries=2\nFile1=http://a.example/x\nTitle1=Ex\nLength1=-1\nFile2=https://b.example/\n"
          .utf8),
      .list(
        Playlist(entries: [
          .init(reference: "http://a.example/x", title: "Ex"),
          .init(reference: "https://b.example/"),
        ]))
    ),
    (
      "a pls in another case, out of order, with blanks",
      Array(" [PlayList] \r\nfile10 = ten.mp3\r\nFILE2=two.mp3\r\nTitle10 = Ten \r\n".utf8),
      .list(
        Playlist(entries: [
          .init(reference: "two.mp3"), .init(reference: "ten.mp3", title: "Ten"),
        ]))
    ),
    (
      "an address alone, as many stations send it", Array("https://radio.example:8443/live".utf8),
      .list(Playlist(entries: [.init(reference: "https://radio.example:8443/live")]))
    ),
    (
      "HTTP Live Streaming",
      Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg1.ts\n".utf8), .hls
    ),
    (
      "a master playlist of HTTP Live Streaming",
      Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nlow.m3u8\n".utf8), .hls
    ),
    ("a web page", Array("\n <!DOCTYPE html>\n<html><head></head></html>".utf8), .page),
    ("another list, in XML", Array("<?xml version=\"1.0\"?>\n<playlist></playlist>".utf8), .other),
    ("an empty extended m3u", Array("#EXTM3U\n\n# nothing\n".utf8), .list(Playlist(entries: []))),
    ("an MP3", [0xFF, 0xFB, 0x90, 0x64, 0x00, 0x0F, 0xF0], .other),
  ]

  @Test(arguments: lists.indices) func isRecognisedByItsContent(index: Int) {
    let (name, bytes, content) = Self.lists[index]
    #expect(Playlist.content(bytes) == content, "\(name)")
  }

  @Test func hasTwoHundredEntriesAtMost() {
    let text = "#EXTM3U\n" + (0..<500).map { "\($0).mp3\n" }.joined()
    guard case .list(let list) = Playlist.content(Array(text.utf8)) else {
      return #expect(Bool(false))
    }
    #expect(list.entries.count == 200 && list.entries.last?.reference == "199.mp3")
    let pls = "[playlist]\n" + (1...500).map { "File\($0)=\($0).mp3\n" }.joined()
    guard case .list(let other) = Playlist.content(Array(pls.utf8)) else {
      return #expect(Bool(false))
    }
    #expect(other.entries.count == 200)
  }

  /// 200 damaged lists: each is something, and no entry is longer than a path.
  @Test func damagedListsAreNoTrouble() {
    var dice = SplitMix64(seed: 37)
    for round in 0..<200 {
      var bytes = Self.lists[round % Self.lists.count].bytes
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        let place = Int.random(in: 0...bytes.count, using: &dice)
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
        case 1: bytes.removeSubrange(min(place, bytes.count)..<min(place + 3, bytes.count))
        case 2: bytes.insert(contentsOf: bytes, at: place)
        default: bytes.insert(contentsOf: [UInt8](repeating: 0x61, count: 5_000), at: place)
        }
        if bytes.count > Playlist.maxBytes { bytes.removeLast(bytes.count - Playlist.maxBytes) }
      }
      if case .list(let list) = Playlist.content(bytes) {
        #expect(list.entries.count <= Playlist.maxEntries)
        #expect(list.entries.allSatisfy { $0.reference.utf8.count <= 4_095 })
      }
    }
  }

  // MARK: What entries may name

  @Test func aListNamesFilesOfItsFolderOnly() {
    for (reference, path) in [
      ("a.mp3", "/list/a.mp3"), ("./a b.mp3", "/list/a b.mp3"), ("sub/a.mp3", "/list/sub/a.mp3"),
    ] {
      #expect(MusicReading.path(of: reference, in: "/list") == path)
    }
    for reference in [
      "", "/etc/passwd", "../secret.mp3", "sub/../../secret.mp3", ".hidden.mp3", "sub/.x/a.mp3",
      "a\0b",
    ] {
      #expect(MusicReading.path(of: reference, in: "/list") == nil, "\(reference)")
    }
  }

  @Test func referencesAreRelativeToTheAddressOfTheList() throws {
    let base = try #require(MusicAddress("https://a.example:444/radio/x/list.m3u?token=1#top"))
    #expect(base.description == "https://a.example:444/radio/x/list.m3u?token=1")
    for (reference, target) in [
      ("song.mp3", "https://a.example:444/radio/x/song.mp3"),
      ("../y/song one.mp3", "https://a.example:444/radio/y/song%20one.mp3"),
      ("../../../../etc/x", "https://a.example:444/etc/x"),
      ("/top.mp3", "https://a.example:444/top.mp3"),
      ("?b=2", "https://a.example:444/radio/x/list.m3u?b=2"),
      ("//b.example/z", "https://b.example/z"),
      ("HTTP://B.example:80/é", "http://b.example/%C3%A9"),
      ("https://c.example", "https://c.example/"),
      ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/"),
    ] {
      #expect(base.resolve(reference)?.description == target, "\(reference)")
    }
    for reference in [
      "file:///etc/passwd", "data:text/plain,x", "C:\\Music\\a.mp3", "javascript:x", "pipe:0",
      "http://user:secret@a.example/", "http:///x", "http://a.example:0/",
      "http://a.example:99999/",
      "http://a b/", "http://ex\u{0430}mple/", "http://a.example/\u{1}", "concat:a|b",
    ] {
      #expect(base.resolve(reference) == nil, "\(reference)")
    }
  }

  @Test func theBoxAndItsNetworkAreRefused() {
    let rules = AddressRules(own: {
      [[203, 0, 113, 9], [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 7, count: 12)]
    })
    func mapped(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes
    }
    for refused: [UInt8] in [
      [127, 0, 0, 1], [127, 9, 9, 9], [0, 0, 0, 0], [169, 254, 1, 1], [224, 0, 0, 1],
      [255, 255, 255, 255], [203, 0, 113, 9], mapped([127, 0, 0, 1]), mapped([203, 0, 113, 9]),
      [UInt8](repeating: 0, count: 15) + [1], [0xFE, 0x80] + [UInt8](repeating: 0, count: 14),
      [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 7, count: 12),
      [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1],
      [0x20, 2, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 10),
    ] {
      #expect(rules.kind(refused) == .refused, "\(refused)")
    }
    for local: [UInt8] in [
      [10, 1, 2, 3], [172, 16, 0, 1], [172, 31, 0, 1], [192, 168, 0, 7], [100, 64, 0, 1],
      mapped([192, 168, 0, 7]), [0xFD] + [UInt8](repeating: 1, count: 15),
    ] {
      #expect(rules.kind(local) == .local, "\(local)")
    }
    for global: [UInt8] in [
      [8, 8, 8, 8], [172, 32, 0, 1], [203, 0, 113, 10], [0x26] + [UInt8](repeating: 1, count: 15),
    ] {
      #expect(rules.kind(global) == .global, "\(global)")
    }
  }
}
