// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import Settings

/// Settings that name files, and what may be named from elsewhere than the box.
@Suite struct FileNamesTests {
  private let state = ["state.directory=/state"]

  private func problems(
    _ configuration: Configuration, _ key: String, _ text: String
  ) -> [String] {
    configuration.remoteProblems(of: SettingsPatch([key: .text(text)])).map(\.sentence)
  }

  /// A setting that is declared later cannot be forgotten: whatever takes a path says what for.
  @Test func eachSettingThatTakesAPathSaysWhatItIsFor() {
    let all = Settings.declarations + RelaySettings.list.declarations
    let named = all.filter { $0.allowed.lowercased().contains("path") }
    #expect(named.count >= 10)
    for declaration in named { #expect(!declaration.files.isEmpty, "\(declaration.key)") }
    #expect(
      Set(all.filter { $0.files.contains { $0.use == .media } }.map(\.key)) == [
        "video.source", "audio.source", "pause.image", "slate.camera_image",
        "slate.network_image", "music.source", "guests.background_image",
      ])
  }

  /// From elsewhere music is an uploaded file, all of them, or an address.
  @Test func musicFromElsewhereIsUploadedOrOnTheNetwork() throws {
    let configuration = try load("music.source = \"file:/own/song.mp3\"", set: state)
    func isRefused(_ text: String) -> Bool {
      let problems = problems(configuration, "music.source", text)
      #expect(Configuration.remoteProblem(ofMusic: text) != nil || problems.isEmpty)
      return !problems.isEmpty
    }
    for text in [
      "", "file:media/song.mp3", "folder:media", "shuffle:media", "https://radio.example/live",
    ] {
      #expect(!isRefused(text), "\(text)")
    }
    for text in [
      "file:/etc/passwd", "file:media/../x.mp3", "file:media/a/b.mp3", "folder:/", "folder:media/",
      "folder:media/x", "shuffle:/home", "file:song.mp3",
    ] {
      #expect(isRefused(text), "\(text)")
    }
    // The value that is set already can be sent back, but is no command.
    #expect(!isRefused("file:/own/song.mp3"))
    #expect(Configuration.remoteProblem(ofMusic: "file:/own/song.mp3") != nil)
    #expect(
      try load("music.source = \"shuffle:media\"", set: state).settings.music.source
        == .folder(path: "/state/media", isShuffled: true))
    #expect(MusicChoice("file:media/a.m3u")?.inMediaFolder("/m") == .file(path: "/m/a.m3u"))
    // It is shown as it was written; what is elsewhere keeps its path.
    for text in [
      "", "file:media/a.mp3", "folder:media", "shuffle:media", "https://x/state/media/a.mp3",
      "file:/own/a.mp3", "folder:/state/mediatheque",
    ] {
      let choice = try #require(MusicChoice(text)).inMediaFolder("/state/media")
      #expect(choice.shown(mediaFolder: "/state/media") == text)
      #expect(choice.shown(mediaFolder: nil) == choice.text)
    }
    for text in [
      "song.mp3", "ftp://x/y", "http://", "http://user:secret@radio.example/", "http://a b/",
      "file:",
    ] {
      #expect(MusicChoice(text) == nil, "\(text)")
    }
  }

  @Test func aFileOfTheMediaFolderIsFoundInTheStateDirectory() throws {
    let configuration = try load(
      """
      video.source = "file:media/a clip.mp4"
      audio.source = "file:/elsewhere/media/b.wav"
      pause.image = "media/logo.png"
      slate.camera_image = "media/deep/logo.png"
      """, set: state)
    let settings = configuration.settings
    #expect(settings.video.source == .file(path: "/state/media/a clip.mp4"))
    #expect(settings.audio.source == .file(path: "/elsewhere/media/b.wav"))
    #expect(settings.pause.image == "/state/media/logo.png")
    #expect(settings.slate.cameraImage == "media/deep/logo.png", "no file of the folder")
    let shown = configuration.values.filter { $0.declaration.files.contains { $0.use == .media } }
    #expect(shown.first?.text == "\"file:media/a clip.mp4\"", "as it was written")
    #expect(configuration.settings(naming: "a clip.mp4") == ["video.source"])
    #expect(configuration.settings(naming: "logo.png") == ["pause.image"])
    #expect(configuration.settings(naming: "b.wav") == [])
    let whole = try load("pause.image = \"/state/media/c.png\"", set: state)
    #expect(whole.settings(naming: "c.png") == ["pause.image"])
  }

  @Test(arguments: [
    ("video.source", "file:"), ("audio.source", "file:"), ("pause.image", ""),
    ("slate.camera_image", ""), ("slate.network_image", ""),
  ])
  func fromElsewhereOnlyTheMediaFolderIsNamed(key: String, prefix: String) throws {
    let configuration = try load("", set: state)
    for path in [
      "/etc/passwd", "/nowhere", "passwd", "./media/a", "media//a", "media/../access.json",
      "media/.upload", "media/a/b", "media/", "/state/media/a.mp4", "../media/a", "Media/a",
      "media/a\u{202E}b", "media/\(String(repeating: "a", count: 201))", "/dev/stdin",
    ] {
      let found = problems(configuration, key, prefix + path)
      #expect(found.count == 1, "\(path)")
      // It is the same whether or not the file is there.
      #expect(found == problems(configuration, key, prefix + "/another"), "\(path)")
    }
    for name in ["a.mp4", "Über uns.png", "片头.mp4", "a\\b", "-rf", "a'\"$(x)"] {
      #expect(problems(configuration, key, "\(prefix)media/\(name)") == [], "\(name)")
    }
    #expect(configuration.remoteProblems(of: SettingsPatch([key: nil])).isEmpty)
  }

  @Test func whatIsSetAlreadyMayBeSentBack() throws {
    let toml = """
      video.source = "file:/home/pi/caf\u{E9}.mp4"
      pause.image = "/home/pi/logo.png"
      publish.ca_file = "/home/pi/ca.pem"
      video.camera_format = "auto"
      """
    let configuration = try load(
      toml, set: state, others: ["/home/pi/ca.pem": file("-----BEGIN CERTIFICATE-----")])
    #expect(problems(configuration, "video.source", "file:/home/pi/caf\u{E9}.mp4") == [])
    #expect(problems(configuration, "pause.image", "/home/pi/logo.png") == [])
    #expect(problems(configuration, "publish.ca_file", "/home/pi/ca.pem") == [])
    // Another file, whose name looks the same.
    #expect(problems(configuration, "video.source", "file:/home/pi/cafe\u{301}.mp4").count == 1)
    #expect(problems(configuration, "slate.camera_image", "/home/pi/logo.png").count == 1)
    #expect(problems(configuration, "publish.key_file", "/home/pi/key").count == 1)
    #expect(problems(configuration, "publish.ca_file", "/home/pi/other.pem").count == 1)
  }

  /// A pipe is the box's own: whoever opens one takes its content, and lets its writer go on.
  @Test(arguments: ["video.source", "audio.source"])
  func pipesAreNotNamedFromElsewhere(key: String) throws {
    let configuration = try load("\(key) = \"pipe:/run/mine\"", set: state)
    for path in [
      "/run/other", "media/pipe", "/state/media/pipe", "pipe", "/dev/stdin", "/run/mine ",
    ] {
      let found = configuration.remoteProblems(of: SettingsPatch([key: .text("pipe:\(path)")]))
      #expect(found.map(\.code) == [.boxOnly], "\(path)")
    }
    #expect(problems(configuration, key, "pipe:/run/mine") == [])
    for value in ["none", "file:media/a.mp4"] {
      #expect(problems(configuration, key, value) == [])
    }
    #expect(configuration.remoteProblems(of: SettingsPatch([key: nil])).isEmpty)
  }

  /// To open a device may have an effect, as with a watchdog.
  @Test func onlyCamerasAreOpenedFromElsewhere() throws {
    let configuration = try load("", set: state)
    for path in [
      "/dev/watchdog", "/dev/video", "/dev/video0/../mem", "/dev/v4l/by-id/../../mem",
      "/dev/v4l/by-id/", "/dev/v4l/by-id/..", "/dev/v4l/x/y", "/etc/passwd", "video0",
    ] {
      #expect(problems(configuration, "video.source", "camera:\(path)").count == 1, "\(path)")
    }
    for path in ["/dev/video0", "/dev/video12", "/dev/v4l/by-id/usb-A_1-video-index0"] {
      #expect(problems(configuration, "video.source", "camera:\(path)") == [], "\(path)")
    }
    for word in ["camera", "pattern", "none"] {
      #expect(problems(configuration, "video.source", word) == [])
    }
  }
}
