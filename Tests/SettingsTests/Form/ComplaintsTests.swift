// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Posix
import Settings
import Testing

@Suite struct ComplaintsTests {
  @Test func allProblemsAreReportedInTheOrderOfTheFile() {
    let unknown = #"there is no such setting; "onair settings" lists them all"#
    let lines = complaints(
      """
      # a comment with = and [brackets]
      publish.autostart = "somtimes"
      [video]
        size = "1281x720"
      fps = "30"   # text
      "fit" = "fil"
      colour = 1
      [audio]
      'channels' = 3
      mirror = { x = 1, "y" = [1, 2, {z = 3}] }
      [viedo]
      [log]
      level = 2024-01-01
      """,
      set: ["video.fps=99", "video.bitrate=1"])
    #expect(
      lines == [
        #"onair.toml:2:1: publish.autostart: must be "resume", "always" or "never""#,
        "onair.toml:4:3: video.size: must be WIDTHxHEIGHT in even numbers, 160x90 to 1920x1080",
        "onair.toml:5:1: video.fps: must be a whole number, 5 to 60, not text in quotes",
        #"onair.toml:6:1: video.fit: must be "fit", "fill" or "stretch"; did you mean "fit"?"#,
        "onair.toml:7:1: video.colour: \(unknown)",
        "onair.toml:9:1: audio.channels: must be a whole number, 1 to 2",
        "onair.toml:10:12: audio.mirror.x: \(unknown)",
        "onair.toml:10:19: audio.mirror.y: \(unknown)",
        "onair.toml:11:2: viedo: there is no such setting; did you mean video?",
        #"onair.toml:13:1: log.level: must be text in quotes, not a date; allowed: "trace", "#
          + #""debug", "info", "notice", "warning" or "error""#,
        "--set video.bitrate: there is no such setting; did you mean video.bitrate_kbps?",
        "--set video.fps: must be a whole number, 5 to 60",
      ])
  }

  @Test(arguments: [
    ("publish.kye = 'x'", "publish.kye", "publish.key"),
    ("video.sise = 1", "video.sise", "video.size"),
    ("size = 1", "size", "video.size"),
    ("preview.fps = 1", "preview.fps", "video.fps or slate.fps"),
    ("fps = 1", "fps", "video.fps or slate.fps"),
    ("bitrate_kbps = 1", "bitrate_kbps", "video.bitrate_kbps or audio.bitrate_kbps"),
    ("publsh.url = 1", "publsh.url", "publish.url"),
    ("video.camera-format = 1", "video.***", "video.camera_format"),
    ("Video.Size = 1", "***.***", "video.size"),
    ("\"video.size\" = 1", "***", "video.size"),
  ])
  func nearestKey(_ toml: String, _ key: String, _ meant: String) {
    #expect(
      complaints(toml)
        == ["onair.toml:1:1: \(key): there is no such setting; did you mean \(meant)?"])
  }

  @Test(arguments: [
    ("video.source = 'patern'", "pattern"), ("video.source = 'camra:/dev/video0'", "camera"),
    ("video.speed = 'very fast'", "veryfast"), ("audio.source = 'mic'", "microphone"),
    ("log.level = 'warn'", "warning"), ("log.level = 'INFO'", "info"),
  ])
  func nearestValue(_ toml: String, _ meant: String) throws {
    let lines = complaints(toml)
    #expect(lines.count == 1)
    #expect(try #require(lines.first).hasSuffix("; did you mean \"\(meant)\"?"))
  }

  @Test func tablesAndValuesConfused() {
    #expect(
      complaints("[video.size]\nwidth = 1\nheight = 2")
        == [
          "onair.toml:2:1: video.size: must be WIDTHxHEIGHT in even numbers, 160x90 to 1920x1080, "
            + "not a table"
        ])
    #expect(
      complaints("video = 3")
        == ["onair.toml:1:1: video: is a section: write [video], then NAME = VALUE below it"])
    #expect(
      complaints("[[video]]\nfps = 30")
        == ["onair.toml:1:3: video: is a section: write [video], then NAME = VALUE below it"])
    #expect(
      complaints("video.fps = {}")
        == ["onair.toml:1:1: video.fps: must be a whole number, 5 to 60, not a table"])
    #expect(complaints("[video]\n[audio]\n") == [])
  }

  @Test func columnsCountCharacters() {
    // One column for each of ü, the joined family's scalars and the tab.
    #expect(
      complaints("publish = { \"\u{FC}\u{1F468}\u{200D}\u{1F469}\" = 1,\tkey = 2 }")
        .map { $0.prefix { $0 != " " } } == ["onair.toml:1:13:", "onair.toml:1:25:"])
  }

  @Test func multilineStringsArraysAndLineEnds() {
    let lines = complaints(
      "a = \"\"\"\r\nfps = 1 \\\"\"\" [x]\r\n\"\"\"\"\"\r\nb = '''\n[no]\n'''\nc = [ # ]\n"
        + "  [1, \"]\"],\n]\nvideo.fps = 1\n")
    #expect(
      lines.map { $0.prefix { $0 != " " } } == [
        "onair.toml:1:1:", "onair.toml:4:1:", "onair.toml:7:1:", "onair.toml:10:1:",
      ])
  }

  @Test func aByteOrderMarkIsNotCountedAsAColumn() {
    #expect(complaints("\u{FEFF}video.fps = 25") == [])
    #expect(
      complaints("\u{FEFF}video.fps = 1")
        == ["onair.toml:1:1: video.fps: must be a whole number, 5 to 60"])
  }

  @Test(arguments: [
    ("video.source = camera", "1:16"), ("[video]\nfps = 30\nfps = 25", "3:1"),
    ("[video]\n[video]", "2:2"), ("[video\nfps = 1", "1:7"), ("x = \"abc", "1:5"),
    ("video.fps = 99999999999999999999", "1:1"), ("x = 1 y = 2", "1:7"),
    ("x = \"\\q\"", "1:7"), ("video.fps", "1:10"), ("\n[video]\n fps = 2024-02-30", "3:2"),
    ("x = 'a\u{1}'", "1:7"), ("# \u{1}", "1:3"),
    ("x = [1, 2", "1:10"), ("x = { a = 1,\n}", "1:13"), ("x = 1\ry = 2", "1:7"), ("= 1", "1:1"),
  ])
  func syntax(_ toml: String, _ position: String) throws {
    let lines = complaints(toml)
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    #expect(line.hasPrefix("onair.toml:\(position): not valid TOML: "), "\(line)")
  }

  /// A syntax error hides neither the lines before it nor another error. After an unreadable section header the lines
  /// are not checked, since their section is unknown.
  @Test func aSyntaxErrorHidesNoOtherProblem() {
    func places(_ toml: String) -> [String] {
      complaints(toml).map { String($0.prefix { $0 != " " }) }
    }
    #expect(
      places("[video]\nfps = 1\nsource = camera\nsize = 'x'\nfit = fill\n[audio]\nchannels = 3")
        == [
          "onair.toml:2:1:", "onair.toml:3:10:", "onair.toml:4:1:", "onair.toml:5:8:",
          "onair.toml:7:1:",
        ])
    #expect(places("x = {}\nx.y = 1") == ["onair.toml:1:1:", "onair.toml:2:1:"])
    #expect(places("video.fps = 1\n[audio\nfps = 1") == ["onair.toml:1:1:", "onair.toml:2:7:"])
    #expect(places("a = [\n1,\nb = 2\n") == ["onair.toml:3:1:", "onair.toml:3:6:"])
  }

  @Test func bytesThatTOMLForbids() {
    let nul = "a NUL character is not allowed"
    #expect(complaints("a = 1\nb\0") == ["onair.toml:2:2: \(nul)"])
    #expect(
      complaints("state.directory = \"/tmp\\u0000x\"") == [
        "onair.toml:1:1: state.directory: the path holds a control character or is longer than "
          + "4095 bytes"
      ])
    #expect(complaints("\"a\\U00000000\" = 1").count == 1)
    #expect(
      lines(Array("a = 1\nb = \"".utf8) + [0xC3, 0x28]) == [
        "onair.toml:2:6: the file is not UTF-8: save it again, with the encoding UTF-8"
      ]
    )
    #expect(
      lines([UInt8](repeating: 0x23, count: 1 << 20 | 1)) == [
        "onair.toml:1:1: the file is larger than 1 MiB"
      ])
    #expect(lines([UInt8](repeating: 0x23, count: 1 << 20)) == [])
  }

  private func lines(_ bytes: [UInt8]) -> [String] {
    do throws(ConfigurationError) {
      _ = try load(bytes)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test(arguments: [
    "[", "a=[", "a={b=", "a.", "[a.", "a = [[", "{", "\"", "'", "a = '''", "(", "[a]\n",
  ])
  func endlessNesting(_ piece: String) throws {
    let text = String(repeating: piece, count: piece == "[" || piece == "a." ? 100_000 : 10_000)
    let first = try #require(complaints("a = " + text).first)
    #expect(first.hasPrefix("onair.toml:1:"))
    let second = try #require(complaints(text).first)
    #expect(second.hasPrefix("onair.toml:"))
  }

  @Test func missingAndUnreadableFilesExitWithNoInput() {
    for failure in [
      FileError.missing, .forbidden, .isDirectory, .isNotRegular, .linkLoop,
      .isSymbolicLink, .system(SystemError(5)),
    ] {
      let files: FileReader = { _, _ throws(FileError) in throw failure }
      let error = #expect(throws: ConfigurationError.self) {
        try Configuration.load(file: "/etc/x.toml", environment: [:], files: files)
      }
      #expect(error?.exitCode == 66)
      #expect(error?.description == "/etc/x.toml: \(failure.sentence)")
    }
    let error = #expect(throws: ConfigurationError.self) { try load("x") }
    #expect(error?.exitCode == 78)
  }

  @Test func controlCharactersInAFileNameAreReplaced() {
    let error = #expect(throws: ConfigurationError.self) {
      try Configuration.load(file: "/a\nb\u{1B}[2J", environment: [:])
    }
    #expect(error?.description == "/a?b?[2J: is not there")
  }
}
