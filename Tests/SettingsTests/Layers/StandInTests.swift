// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import FoundationEssentials
import Glibc
import Posix
import Testing

@testable import Settings

/// A box that has to come up whatever its settings file holds.
@Suite struct StandInTests {
  /// A settings file and a state directory.
  private struct Box {
    let folder: String
    var file: String { "\(folder)/onair.toml" }
    var state: String { "\(folder)/state" }

    init() throws {
      folder = "/tmp/onair-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(
        atPath: "\(folder)/state", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }

    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

    func load(
      _ source: Configuration.RunTimeSource = .stateDirectory, set: [String] = []
    ) throws(ConfigurationError) -> Configuration {
      try Configuration.loadWithFallback(
        file: file, runTime: source, overrides: set, environment: ["STATE_DIRECTORY": state])
    }

    /// Starts with a file, and keeps its copy.
    func start(_ text: String) throws {
      try write(text)
      try load().copy?.save(in: state)
    }
  }

  private let right = """
    video.fps = 25
    publish.url = "rtmp://example.org/live"
    publish.key = "s3cret-K3Y"
    page.listen = "127.0.0.1:9090"
    """

  @Test func aFileWithoutMistakesCounts() throws {
    let box = try Box()
    try box.write(right)
    let configuration = try box.load()
    #expect(configuration.standIn == nil)
    #expect(configuration.settings.video.fps == 25)
    #expect(configuration.destination != nil)
  }

  @Test func theLastSettingsThatWorkedCount() throws {
    let box = try Box()
    try box.start(right)
    try box.write("video.fsp = 30\nvideo.size = \"1281x720\"\n")
    let configuration = try box.load()
    #expect(configuration.settings.video.fps == 25)
    #expect(configuration.destination != nil)
    let standIn = try #require(configuration.standIn)
    #expect(standIn.source == .lastThatWorked)
    #expect(standIn.problems.map(\.fileText) == ["\(box.file):1:1", "\(box.file):2:1"])
    #expect(standIn.problems.map(\.key) == ["video.fsp", "video.size"])
    #expect(configuration.copy == nil, "what has mistakes is not kept")
    #expect(!standIn.isOutdated)
    try box.write("video.fps = 30\n")
    #expect(standIn.isOutdated)
    #expect(try box.load().standIn == nil)
  }

  /// Without earlier settings, what is right counts, but nothing can be broadcast, and the page can be reached.
  @Test(arguments: ["publish.url = \"rtmp://example.org/live\"\nvideo.fps = 0\n", "[[[", "\0"])
  func withoutEarlierOnesTheBoxIsOffAir(_ text: String) throws {
    let box = try Box()
    try box.write("panel.lamp = \"LED\"\n\(text)")
    let configuration = try box.load()
    #expect(configuration.standIn?.source == .faultlessLines)
    #expect(configuration.destination == nil && configuration.backup == nil)
    #expect(configuration.settings.page.listen?.description == "0.0.0.0:80")
    if text.hasPrefix("publish") { #expect(configuration.settings.panel.lamp != nil) }
  }

  @Test func theAddressThatWasMeantCounts() throws {
    let box = try Box()
    try box.write("page.listen = \"127.0.0.1:9090\"\nvideo.fps = 0\n")
    #expect(try box.load().settings.page.listen?.description == "127.0.0.1:9090")
    try box.write("page.listen = \"localhost\"\n")
    #expect(try box.load().settings.page.listen?.description == "0.0.0.0:80")
  }

  @Test func aMissingFileIsAMistake() throws {
    let box = try Box()
    let configuration = try box.load()
    #expect(configuration.standIn?.source == .faultlessLines)
    #expect(configuration.standIn?.problems.map(\.fileText) == [box.file])
    try box.start(right)
    try FileManager.default.removeItem(atPath: box.file)
    let later = try box.load()
    #expect(later.standIn?.source == .lastThatWorked)
    #expect(later.settings.video.fps == 25)
    try box.write(right)
    #expect(later.standIn?.isOutdated == true)
  }

  /// The copy is right, but a file that it names has gone: it would broadcast something else.
  @Test func aCopyThatDoesNotWorkAnyMoreIsNotUsed() throws {
    let box = try Box()
    let image = "\(box.folder)/key"
    try Data("k\n".utf8).write(to: URL(filePath: image))
    try box.start("publish.url = \"rtmp://example.org/live\"\npublish.key_file = \"\(image)\"\n")
    try FileManager.default.removeItem(atPath: image)
    try box.write("video.fps = 0")
    let configuration = try box.load()
    #expect(configuration.standIn?.source == .faultlessLines)
    #expect(configuration.destination == nil)
  }

  /// A power cut may leave an empty file in the place of one that was just written.
  @Test func anEmptyFileIsAMistakeWhereThereWereSettings() throws {
    let box = try Box()
    try box.start("")
    #expect(try box.load().standIn == nil, "there never were any")
    try box.start(right)
    try box.start("")
    let configuration = try box.load()
    #expect(configuration.settings.video.fps == 25 && configuration.destination != nil)
    #expect(configuration.standIn?.problems.first?.sentence.hasPrefix("is empty") == true)
    #expect(throws: ConfigurationError.self) {
      try Configuration.load(
        file: box.file, runTime: .directory(box.state), environment: [:])
    }
    // Whoever means it writes a comment.
    try box.write("# Nothing is set here.\n")
    #expect(try box.load().standIn == nil)
  }

  /// The state may be kept elsewhere than in the directory of the settings.
  @Test func theCopyIsFoundInTheDirectoryThatIsNamed() throws {
    let box = try Box()
    try box.start(right)
    let memory = "\(box.folder)/memory"
    try FileManager.default.moveItem(atPath: box.state, toPath: memory)
    try box.write("[[[")
    #expect(try box.load(.directory(memory)).standIn?.source == .lastThatWorked)
    #expect(try box.load().standIn?.source == .faultlessLines)
  }

  @Test func settingsCanBeSetMeanwhile() throws {
    let box = try Box()
    try box.start(right)
    try box.write("video.fsp = 30\n")
    let change = RunTimeSettings().applying(SettingsPatch(["video.fps": .integer(50)]))
    let changed = try box.load(.given(change))
    #expect(changed.settings.video.fps == 50)
    #expect(changed.standIn?.problems.map(\.key) == ["video.fsp"])
    let wrong = RunTimeSettings().applying(SettingsPatch(["video.fps": .integer(500)]))
    do throws(ConfigurationError) {
      _ = try box.load(.given(wrong))
      Issue.record("a mistake was taken")
    } catch {
      #expect(error.problems.map(\.key) == ["video.fps"])
    }
  }

  @Test func theCopyIsPrivateAndWrittenOnce() throws {
    let box = try Box()
    try box.start(right)
    let path = "\(box.state)/\(SettingsCopy.fileName)"
    var status = stat()
    #expect(unsafe stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let stamp = FileStamp(path: path)
    try box.start(right)
    #expect(FileStamp(path: path) == stamp, "what is there already is not written again")
    let copy = try #require(try box.load().copy)
    #expect(!"\(copy)".contains("s3cret"))
    var dumped = ""
    dump(copy, to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }
}
