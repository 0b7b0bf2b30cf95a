// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Foundation
import Media
import TestSupport
import Testing
import Video

@testable import Overlay

/// Fonts that a person brings.
@Suite struct FontTests {
  /// A font of the system under another family's name, with the checksums left as they are: FreeType compares none.
  private static func font(_ family: String) throws -> [UInt8] {
    let path = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    // Its names are in UTF-16.
    let old: [UInt8] = "DejaVu Sans Mono".utf8.flatMap { [0, $0] as [UInt8] }
    let new: [UInt8] = family.utf8.flatMap { [0, $0] as [UInt8] }
    var place = 0
    while place + old.count <= bytes.count {
      if bytes[place] == 0, bytes[place..<place + old.count].elementsEqual(old) {
        bytes.replaceSubrange(place..<place + old.count, with: new)
        place += old.count
      }
      place += 1
    }
    return bytes
  }

  private static func width(_ text: String, _ font: String) throws -> Int {
    let style = TextStyle(
      font: font, size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    return try TextLayout(text, style, in: PainterTests.target(1_280)).size.width
  }

  /// An uploaded font is used by the name of its family, is seen while OnAir runs, and is gone when it is deleted.
  @Test func anUploadedFontIsUsed() throws {
    let folder = stateDirectory()
    let path = "\(folder)/own.TTF"
    let family = "Chapel Mono Wide"
    let keeper = OverlayKeeper(folder: folder)
    defer { keeper.stop() }
    let style = TextStyle(
      font: family, size: 0.05, colour: OverlayColour(red: 255, green: 255, blue: 255))
    let source = try #require(keeper.sources(["a": .text("iiiiiiiiii", style)])["a"])
    func width() -> Int? {
      unsafe source.picture(
        PainterTests.target(400), at: MediaTime(nanos: 0), since: .distantPast)?.planes.size.width
    }
    #expect(eventually { width() != nil })
    let narrow = try #require(width())
    try Data(try Self.font(family)).write(to: URL(filePath: path), options: .atomic)
    #expect(try FontFile.family(path) == family)
    #expect(eventually { width() ?? 0 > narrow * 3 / 2 })
    try FileManager.default.removeItem(atPath: path)
    #expect(eventually { width() == narrow })
  }

  /// The list of files is asked for often, and fonts are large: one is read again only when it has changed.
  @Test func aFontIsReadOnce() throws {
    let path = "\(stateDirectory())/own.ttf"
    let font = try Self.font("Chapel Mono Wide")
    func write(_ bytes: [UInt8], at time: Int) throws {
      // In place, so that only its time and its size tell that it has changed.
      let file = unsafe try #require(unsafe fopen(path, "w"))
      unsafe fwrite(bytes, 1, bytes.count, file)
      unsafe fclose(file)
      let times = [timeval(tv_sec: time, tv_usec: 0), timeval(tv_sec: time, tv_usec: 0)]
      try #require(unsafe utimes(path, times) == 0)
    }
    try write(font, at: 1_000)
    #expect(FontFile.cachedFamily(path) == "Chapel Mono Wide")
    try write([UInt8](repeating: 0, count: font.count), at: 1_000)
    #expect(FontFile.cachedFamily(path) == "Chapel Mono Wide", "it was not read")
    try write([UInt8](repeating: 0, count: font.count), at: 2_000)
    #expect(FontFile.cachedFamily(path) == nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(FontFile.cachedFamily(path) == nil)
  }

  @Test func aDamagedFontIsRefused() throws {
    let whole = try Self.font("Chapel Mono Wide")
    func refusal(_ bytes: [UInt8]) throws -> FontError? {
      let path = try PainterTests.write(bytes, "a.ttf")
      do throws(FontError) {
        _ = try FontFile.family(path)
        return nil
      } catch {
        return error
      }
    }
    #expect(try refusal(whole) == nil)
    #expect(try refusal(Array(whole.dropLast(1_000))) == .broken)
    #expect(try refusal(Array(whole.prefix(whole.count / 2))) == .broken)
    #expect(try refusal(Array(whole.prefix(4))) == .broken)
    #expect(try refusal([]) == .notAFont)
    #expect(try refusal(PNGFile(width: 4, height: 4).bytes(PNGFile.grey(1))) == .notAFont)
    #expect(try refusal(Array(whole.prefix(4)) + [UInt8](repeating: 0, count: 5_000)) == .broken)
    #expect(
      try refusal([UInt8](repeating: 0, count: FontFile.maxBytes + 1))
        == .tooLong(FontFile.maxBytes + 1))
    #expect(FontFile.hasFontExtension("a.b.OTF"))
    #expect(!FontFile.hasFontExtension("ttf.png") && !FontFile.hasFontExtension("a"))
  }
}
