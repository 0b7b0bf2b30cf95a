// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import Testing

@testable import Settings

/// A state directory with a settings file beside it.
final class StateFolder {
  let path: String
  var file: String { "\(path)/onair.toml" }
  var runTimeFile: String { "\(path)/\(RunTimeSettings.fileName)" }

  init(_ toml: String = "") {
    var template = Array("/tmp/onair-settings-XXXXXX".utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
    write(toml, to: file)
  }

  deinit { _ = unsafe system("rm -rf '\(path)'") }

  func write(_ text: String, to path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
  }

  func load(
    _ runTime: Configuration.RunTimeSource? = nil, set overrides: [String] = []
  ) throws(ConfigurationError) -> Configuration {
    try Configuration.load(
      file: file, runTime: runTime ?? .directory(path), overrides: overrides, environment: [:])
  }

  /// Checks a change, and saves it if it is valid.
  func change(_ values: [String: SettingsPatch.Value?]) throws {
    let change = SettingsPatch(values)
    let configuration = try Configuration.preview(change, of: load().runTime) {
      runTime throws(ConfigurationError) in try load(.given(runTime))
    }
    try configuration.runTime.save(in: path)
  }

  func problems(_ values: [String: SettingsPatch.Value?]) -> [String] {
    do {
      try change(values)
      return []
    } catch {
      return (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
    }
  }

  func shown(_ key: String, set overrides: [String] = []) throws -> String {
    let value = try #require(
      load(set: overrides).values.first { $0.declaration.key == key })
    return "\(value.text) from \(value.origin.rawValue)"
  }
}

@Suite struct RunTimeSettingsTests {
  @Test func eachLayerOverridesTheOneBelow() throws {
    let folder = StateFolder("video.gop_seconds = 3")
    #expect(try folder.shown("video.fps") == "30 from default")
    #expect(try folder.shown("video.gop_seconds") == "3 from file")
    try folder.change(["video.gop_seconds": .number(1.5), "video.fps": .text("25")])
    #expect(try folder.shown("video.gop_seconds") == "1.5 from run time")
    #expect(try folder.shown("video.fps") == "25 from run time")
    #expect(try folder.load().settings.video.fps == 25)
    #expect(try folder.shown("video.fps", set: ["video.fps=20"]) == "20 from command line")
    try folder.change(["video.gop_seconds": nil])
    #expect(try folder.shown("video.gop_seconds") == "3 from file")
    #expect(try folder.load().runTime.keys == ["video.fps"])
  }

  /// Every setting can be set to another value, and is read back with it.
  @Test func everySettingComesBack() throws {
    let folder = StateFolder()
    folder.write("key", to: "\(folder.path)/key")
    folder.write("-----BEGIN CERTIFICATE-----", to: "\(folder.path)/ca.pem")
    let texts = [
      "video.source": "file:/a \"b\"\\c", "video.size": "640x360", "audio.source": "tone",
      "music.source": "shuffle:/my \"songs\"",
      "pause.image": "/ö/x.png", "slate.camera_image": "/c.png", "slate.network_image": "/n.png",
      "publish.url": "rtmps://h/a/b?c=d", "publish.backup_url": "rtmps://i/a",
      "publish.key": "k\"'\\e=y", "publish.key_file": "\(folder.path)/key",
      "publish.user": "us+er", "publish.password": "pass word'\"\\",
      "publish.password_file": "\(folder.path)/key",
      "publish.ca_file": "\(folder.path)/ca.pem", "panel.chip": "gpiochip0",
      "page.listen": "[::1]:9000", "page.proxy_name": "box.example.org",
      "panel.button": "1", "panel.second_button": "2",
      "panel.lamp": "3", "panel.lamp_red": "4", "panel.lamp_green": "5", "panel.lamp_blue": "6",
      "panel.buzzer": "CHIP:7", "wifi.hotspot_name": "bo\"x",
      "wifi.hotspot_password": "p\\a s\"s w",
      "wifi.country": "DE", "box.name": "Größe \"1\"", "box.zone": "Europe/Berlin",
      "audio.monitor": "hw:CARD=Phones,DEV=0",
      "publish.play_url": "https://example.org/watch?v=a&b=c",
      "record.directory": "/srv/my films", "calendar.url": "webcal://example.org/a.ics",
      "guests.listen": "0.0.0.0:1935", "guests.background": "#204060",
      "guests.background_image": "/back.png",
      "playout.listen": "0.0.0.0:8088", "playout.secret": "0123456789\"'\\abcdef",
    ]
    var change: [String: SettingsPatch.Value?] = [:]
    for declaration in Settings.declarations
    where !["state.directory", "record.after"].contains(declaration.key) {
      let other = declaration.choices.first {
        quoted($0) != declaration.defaultText && !$0.hasSuffix(":")
      }
      change[declaration.key] =
        switch declaration.type {
        case .flag: .flag(declaration.defaultText == "false")
        case .wholeNumber:
          .integer(
            other.flatMap { Int($0) == 0 ? 90 : Int($0) } ?? Int(declaration.range?.upperBound ?? 1)
          )
        case .number: .number((declaration.range?.upperBound ?? 1) - 0.25)
        case .text: .text(texts[declaration.key] ?? other ?? "")
        }
    }
    change["network.mode"] = .text("fluency")
    // That of the first profile would be the default.
    change["audio.profile"] = .text("stereo_high")
    change["audio.channels"] = .integer(1)
    // The scene for speech would make what is set here the default.
    change["audio.scene"] = .text("music")
    change["audio.target_lufs"] = .integer(-16)
    change["audio.pipe_channels"] = .integer(1)
    change["video.bitrate_kbps"] = .integer(12_000)
    try folder.change(change)
    let loaded = try folder.load()
    #expect(loaded.warnings.filter { $0.contains("not used") } == [])
    let given = try folder.load(.given(RunTimeSettings().applying(SettingsPatch(change))))
    #expect(loaded.settings == given.settings)
    for value in loaded.values where change.keys.contains(value.declaration.key) {
      #expect(value.origin == .runTime, "\(value.declaration.key)")
      #expect(value.text != value.declaration.defaultText, "\(value.declaration.key)")
    }
    #expect(loaded.settings.publish.key.reveal() == "k\"'\\e=y")
    var status = stat()
    #expect(unsafe stat(folder.runTimeFile, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // Saving what was read changes nothing.
    let text = loaded.runTime.toml
    try loaded.runTime.save(in: folder.path)
    #expect(try folder.load().runTime.toml == text)
  }

  @Test func allMistakesOfAChangeAreToldAndNoneIsTaken() throws {
    let folder = StateFolder()
    try folder.change(["video.fps": .integer(25)])
    let before = try folder.load().runTime
    #expect(
      folder.problems([
        "video.fps": .integer(20), "video.szie": .text("640x360"), "audio.channels": .integer(3),
        "network.mode": .text("custom"), "network.min_kbps": .integer(3_000), "audio.gian_db": nil,
        "video.mirror": .other("a list"), "state.directory": .text("/tmp"),
      ]) == [
        "audio.channels: must be a whole number, 1 to 2",
        "audio.gian_db: there is no such setting; did you mean audio.gain_db?",
        "network.min_kbps: is more than video.bitrate_kbps (1800)",
        "state.directory: cannot be set at run time: write it in the settings file",
        "video.mirror: must be true or false, not a list",
        "video.szie: there is no such setting; did you mean video.size?",
      ])
    #expect(try folder.load().runTime == before)
    // A secret under a wrong key is not repeated.
    #expect(
      !folder.problems(["publish.kez": .text("s3cr3t"), "s3cr3t": nil]).joined().contains("s3cr3t"))
  }

  @Test func aFileThatIsNotOursIsNotUsed() throws {
    let folder = StateFolder()
    folder.write("video.fps = 25", to: "\(folder.path)/elsewhere")
    func unused() throws -> String {
      let loaded = try folder.load()
      #expect(loaded.settings.video.fps == 30 && loaded.runTime.isEmpty)
      return try #require(loaded.warnings.first { $0.hasSuffix("is not used") })
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.runTimeFile, withDestinationPath: "\(folder.path)/elsewhere")
    #expect(try unused().contains("settings.toml: is a symbolic link"))
    _ = unsafe unlink(folder.runTimeFile)
    _ = unsafe link("\(folder.path)/elsewhere", folder.runTimeFile)
    #expect(try unused().contains("has a second name"))
    _ = unsafe unlink(folder.runTimeFile)
    _ = unsafe mkfifo(folder.runTimeFile, 0o600)
    #expect(try unused().contains("is not a regular file"))
    _ = unsafe unlink(folder.runTimeFile)
    folder.write("video.fps = 25\nvideo.fps = ", to: folder.runTimeFile)
    #expect(try unused().contains("has a mistake in line 2"))
    folder.write("", to: folder.runTimeFile)
    #expect(try unused().contains("settings.toml: is empty"))
    folder.write(
      String(repeating: "#", count: RunTimeSettings.maxBytes + 1), to: folder.runTimeFile)
    #expect(try unused().contains("is too long"))
    if geteuid() == 0 {
      folder.write("video.fps = 25", to: folder.runTimeFile)
      _ = unsafe chown(folder.runTimeFile, 12_345, 12_345)
      #expect(try unused().contains("belongs to another user"))
    }
  }

  /// What was set at run time never keeps OnAir from starting: only what does not fit any more is left out.
  @Test func whatDoesNotFitAnyMoreIsLeftOut() throws {
    let folder = StateFolder("network.mode = 'custom'\nnetwork.min_kbps = 900")
    folder.write(
      "video.fps = 99\nvideo.gone = 1\nvideo.mirror = true\n", to: folder.runTimeFile)
    var loaded = try folder.load()
    #expect(loaded.settings.video.fps == 30 && loaded.settings.video.look.mirror)
    #expect(loaded.runTime.keys == ["video.mirror"])
    #expect(loaded.warnings.contains { $0.contains("settings.toml") })
    folder.write("video.bitrate_kbps = 500\nvideo.mirror = true\n", to: folder.runTimeFile)
    loaded = try folder.load()
    #expect(loaded.settings.video.targetKbps == 2_000 && loaded.runTime.isEmpty)
    #expect(loaded.warnings.contains { $0.contains("network.min_kbps cannot be taken") })
  }

  /// Standard input of a service is empty: a setting that is kept would end the program at each start.
  @Test func aPipeIsForTheCommandLine() throws {
    let folder = StateFolder()
    #expect(
      folder.problems(["video.source": .text("pipe")]).first?.hasPrefix(
        "video.source: cannot be \"pipe\" at run time") == true)
    folder.write("video.source = \"pipe\"\nvideo.fps = 25\n", to: folder.runTimeFile)
    let configuration = try folder.load()
    #expect(configuration.settings.video.source != .pipe(path: nil))
    #expect(configuration.settings.video.fps == 25)
    #expect(configuration.warnings.contains { $0.contains("video.source cannot be taken") })
    #expect(try folder.load(set: ["video.source=pipe"]).settings.video.source == .pipe(path: nil))
  }

  @Test func aNamedPipeMayBeSetAtRunTime() throws {
    let folder = StateFolder()
    #expect(folder.problems(["video.source": .text("pipe:/run/frames")]) == [])
    #expect(folder.problems(["audio.source": .text("pipe:/run/sound")]) == [])
  }

  /// A disk with the key's file may come later than OnAir.
  @Test func whatCannotBeUsedNowIsKept() throws {
    let folder = StateFolder()
    folder.write("secret\n", to: "\(folder.path)/key")
    try folder.change([
      "publish.key_file": .text("\(folder.path)/key"), "video.mirror": .flag(true),
    ])
    try FileManager.default.moveItem(atPath: "\(folder.path)/key", toPath: "\(folder.path)/away")
    let without = try folder.load()
    #expect(without.unusedRunTime.keys == ["publish.key_file"])
    #expect(without.settings.video.look.mirror)
    // Another change is saved with it.
    let change = SettingsPatch(["video.fps": .integer(25)])
    let changed = try Configuration.preview(change, of: without.runTime) {
      runTime throws(ConfigurationError) in try folder.load(.given(runTime))
    }
    try changed.runTime.adding(without.unusedRunTime.removing(change)).save(in: folder.path)
    try FileManager.default.moveItem(atPath: "\(folder.path)/away", toPath: "\(folder.path)/key")
    let whole = try folder.load()
    #expect(whole.runTime.keys == ["publish.key_file", "video.fps", "video.mirror"])
    #expect(whole.unusedRunTime.isEmpty)
  }

  @Test func anUnreadableFileIsKeptBesideTheNewOne() throws {
    let folder = StateFolder()
    folder.write("video.fps = \n", to: folder.runTimeFile)
    let configuration = try folder.load()
    #expect(configuration.isRunTimeUnreadable)
    try configuration.runTime.save(in: folder.path, keepsOld: true)
    #expect(
      FileManager.default.contents(atPath: "\(folder.runTimeFile).unreadable")
        == Data("video.fps = \n".utf8))
    #expect(!(try folder.load().isRunTimeUnreadable))
  }

  /// It may be gone by then: a file of a folder that could not be reached.
  @Test func anUnreadableFileThatIsGoneHindersNoNewOne() throws {
    let folder = StateFolder()
    try RunTimeSettings().save(in: folder.path, keepsOld: true)
    #expect(try !folder.load().isRunTimeUnreadable)
  }

  /// Only a file that certainly is not there was never written.
  @Test func whatCannotBeReachedIsNotMissing() throws {
    let folder = StateFolder()
    func isUnreadable(_ directory: String) throws -> Bool {
      let loaded = try folder.load(.directory(directory))
      #expect(loaded.isRunTimeUnreadable == loaded.settings.mayLackMasks)
      return loaded.isRunTimeUnreadable
    }
    #expect(try !isUnreadable("\(folder.path)/new"))
    #expect(try !isUnreadable("\(folder.path)/new/one"))
    #expect(unsafe symlink("\(folder.path)/nothing", "\(folder.path)/link") == 0)
    #expect(try isUnreadable("\(folder.path)/link"))
    #expect(try isUnreadable("\(folder.path)/link/one"))
    #expect(unsafe symlink("\(folder.path)/loop", "\(folder.path)/loop") == 0)
    #expect(try isUnreadable("\(folder.path)/loop"))
    #expect(try isUnreadable(folder.file))
  }
}
