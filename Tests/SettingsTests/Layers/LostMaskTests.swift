// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Testing

@testable import Settings

/// Settings that cannot be read do not switch a privacy mask off: what may lack one covers the whole picture.
@Suite struct LostMaskTests {
  private struct Box {
    let folder = "/tmp/onair-\(UInt64.random(in: 0 ... .max))"
    var file: String { "\(folder)/onair.toml" }
    var state: String { "\(folder)/state" }

    init() throws {
      try FileManager.default.createDirectory(
        atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

    func writeRunTime(_ text: String) throws {
      let path = "\(state)/\(RunTimeSettings.fileName)"
      try Data(text.utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    func load(
      _ source: Configuration.RunTimeSource = .stateDirectory
    ) throws(ConfigurationError) -> Configuration {
      try Configuration.loadWithFallback(
        file: file, runTime: source, environment: ["STATE_DIRECTORY": state])
    }

    func start(_ text: String) throws {
      try write(text)
      try load().copy?.save(in: state)
    }
  }

  private static let base = "publish.url = \"rtmp://example.org/live\"\npublish.key = \"k3y\"\n"
  private static func mask(_ name: String, _ fields: String = "") -> String {
    "[[filter]]\nname = \"\(name)\"\nkind = \"mask\"\n\(fields)\n"
  }

  @Test func aFileWithoutMistakesLacksNothing() throws {
    let box = try Box()
    try box.write(Self.base + Self.mask("a"))
    #expect(try !box.load().settings.mayLackMasks)
    #expect(try Configuration.load(file: nil).settings.mayLackMasks == false)
  }

  /// A broken file, with the copy of the last one that worked.
  @Test(arguments: [
    // Mistakes elsewhere: the masks of the copy count.
    ("video.fps = 0\n", false),
    ("[[[\n", false),
    ("[[filter]]\nname = \"b\"\nkind = \"colour\"\ntint = 999\n", false),
    // A mask with a mistake, and one that a broken file may have.
    ("[[filter]]\nname = \"b\"\nkind = \"mask\"\nx = 7\n", true),
    ("[[filter]]\nname = \"b\"\nkind = \"mask\"\nwidht = 0.2\n", true),
    ("[[filter]]\nname = \"b\"\nkind = \"msak\"\nx = 0.2\n", true),
    ("[[filter]]\nname = \"b\"\nx = 0.2\n", true),
    ("[[filter]]\nname = \"two words\"\nkind = \"mask\"\n", true),
    ("[[filter]\nname = \"b\"\nkind = \"mask\"\n", true),
    ("[[filters]]\nname = \"b\"\nkind = \"mask\"\n", true),
    ("[[fliter]]\nname = \"b\"\nkind = \"mask\"\n", true),
    ("[[overlays]]\nname = \"mask\"\nkind = \"text\"\n", false),
  ])
  func atAStartWithABrokenFile(text: String, covers: Bool) throws {
    let box = try Box()
    let own = Self.base + Self.mask("a", "x = 0.5\nwidth = 0.25")
    try box.start(own)
    // What follows a table belongs to it.
    try box.write(text.hasPrefix("[") ? own + text : text + own)
    let configuration = try box.load()
    #expect(configuration.standIn?.source == .lastThatWorked)
    #expect(configuration.settings.mayLackMasks == covers, "\(text)")
    #expect(configuration.standIn?.coversCamera == covers)
    #expect(configuration.settings.filters.contains { $0.name == "a" && $0.mask.x == 0.5 })
  }

  /// Below a mistake of syntax nobody knows whether a mask is still where it was.
  @Test func aMaskThatWasMovedInABrokenFileCovers() throws {
    let box = try Box()
    try box.start(Self.base + Self.mask("a", "x = 0.5"))
    try box.write(Self.base + Self.mask("a", "x = 0.6") + "[[[\n")
    #expect(try box.load().settings.mayLackMasks)
  }

  /// A power cut may leave an empty file. The masks of the copy stay.
  @Test(arguments: ["", "\n", " \r\n"])
  func anEmptyFileTakesNoMaskAway(text: String) throws {
    let box = try Box()
    try box.start(Self.base + Self.mask("a", "x = 0.5"))
    try box.start(text)
    let configuration = try box.load()
    #expect(configuration.settings.filters.map(\.mask.x) == [0.5])
    #expect(configuration.standIn?.source == .lastThatWorked)
  }

  /// The masks of a broken file count with those of the copy.
  @Test func masksOfABrokenFileCount() throws {
    let box = try Box()
    try box.start(Self.base + Self.mask("a", "x = 0.5"))
    try box.write("video.fps = 0\n" + Self.mask("b", "y = 0.5") + Self.mask("a", "x = 0.6"))
    let settings = try box.load().settings
    #expect(settings.filters.map(\.name) == ["a", "a", "b"])
    #expect(Set(settings.filters.map(\.mask.x)) == [0, 0.5, 0.6])
    #expect(!settings.mayLackMasks)
  }

  /// Without a copy nothing is broadcast, but the preview must not show what a mask hid.
  @Test(arguments: [
    ("video.fps = 0\n", false), ("[[[\n", true), ("[[filter]]\nname = \"b\"\nx = 0.2\n", true),
  ])
  func withoutACopy(text: String, covers: Bool) throws {
    let box = try Box()
    try box.write(text)
    let configuration = try box.load()
    #expect(configuration.standIn?.source == .faultlessLines)
    #expect(configuration.settings.mayLackMasks == covers)
    try FileManager.default.removeItem(atPath: box.file)
    #expect(try box.load().settings.mayLackMasks)
  }

  /// Run-time settings that cannot be read, and those that cannot be taken.
  @Test(arguments: [
    ("[[[", true), ("", true), ("filter.a.kind = \"mask\"\nfilter.a.x = 7\n", true),
    ("filter.a.kind = \"mask\"\nfilter.a.x = 0.5\n", false),
    ("filter.a.kind = \"skin\"\nfilter.a.white = 700\n", false),
    ("video.fps = 0\n", false),
    ("filter.a.x = 0.2\n", true),
  ])
  func runTimeSettings(text: String, covers: Bool) throws {
    let box = try Box()
    try box.write(Self.base)
    try box.writeRunTime(text)
    let configuration = try box.load()
    #expect(configuration.settings.mayLackMasks == covers, "\(configuration.warnings)")
    #expect(configuration.warnings.contains { $0.contains("whole picture is covered") } == covers)
  }

  /// What cannot be taken stays so while something else changes, and ends with the mask's own values.
  @Test func itStaysSoWhileOtherThingsChange() throws {
    let box = try Box()
    try box.write(Self.base)
    try box.writeRunTime("filter.a.kind = \"mask\"\nfilter.a.x = 7\n")
    let start = try box.load()
    var next = try box.load(.given(RunTimeSettings()))
    #expect(!next.settings.mayLackMasks)
    next.unusedRunTime = start.unusedRunTime.removing(SettingsPatch(["video.fps": .number(25)]))
    #expect(next.settings.mayLackMasks)
    var mended = try box.load(.given(RunTimeSettings()))
    mended.unusedRunTime = start.unusedRunTime.removing(
      SettingsPatch(["filter.a.x": .number(0.5), "filter.a.kind": .text("mask")]))
    #expect(!mended.settings.mayLackMasks)
  }
}
