// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Settings
import Testing

@Suite struct ValuesTests {
  @Test func defaultsAreTheContract() {
    let settings = Settings()
    #expect(settings.video.source == .camera(path: nil))
    #expect(settings.video.cameraFormat == .auto)
    #expect(settings.video.size == PictureSize(width: 1280, height: 720))
    #expect(settings.video.fps == 30)
    #expect(settings.video.bitrateKbps == 0 && settings.video.targetKbps == 2_000)
    #expect(settings.video.gopSeconds == 2)
    #expect(settings.video.speed == nil)
    #expect(settings.video.look.rotation == .none)
    #expect(settings.video.look.mirror == false)
    #expect(settings.video.look.fit == .fit)
    #expect(settings.audio.source == .microphone(pcm: nil))
    #expect(settings.audio.bitrateKbps == 128)
    #expect(settings.audio.channels == 2)
    #expect(settings.audio.strip.gainDB == 0)
    #expect(settings.audio.strip.delayMs == 0)
    #expect(settings.publish.url == nil)
    #expect(!settings.publish.key.isSet)
    #expect(settings.publish.keyFile == "")
    #expect(settings.publish.autostart == .resume)
    #expect(settings.log.level == .info)
    #expect(settings.state.directory == "")
  }

  @Test func everySettingIsRead() throws {
    let settings = try load(
      """
      [video]
      source = "camera:/dev/v4l/by-id/usb-Ünï-index0"
      camera_format = "mjpeg"
      size = "640x360"
      fps = 25
      bitrate_kbps = 1500
      gop_seconds = 1.5
      speed = "medium"
      rotate = 270
      mirror = true
      fit = "stretch"
      [audio]
      source = "microphone:plughw:CARD=Mic,DEV=0"
      bitrate_kbps = 96
      channels = 1
      gain_db = -3
      delay_ms = -120
      [publish]
      url = "rtmp://live.example.com/app"
      key = "abc"
      autostart = "never"
      [log]
      level = "trace"
      [state]
      directory = "/tmp/onair"
      """
    ).settings
    #expect(settings.video.source == .camera(path: "/dev/v4l/by-id/usb-Ünï-index0"))
    #expect(settings.video.cameraFormat == .mjpeg)
    #expect(settings.video.size.width == 640 && settings.video.size.height == 360)
    #expect(settings.video.fps == 25)
    #expect(settings.video.bitrateKbps == 1500)
    #expect(settings.video.gopSeconds == 1.5)
    #expect(settings.video.speed == .medium)
    #expect(settings.video.look.rotation == .threeQuarters)
    #expect(settings.video.look.mirror)
    #expect(settings.video.look.fit == .stretch)
    #expect(settings.audio.source == .microphone(pcm: "plughw:CARD=Mic,DEV=0"))
    #expect(settings.audio.bitrateKbps == 96)
    #expect(settings.audio.channels == 1)
    #expect(settings.audio.strip.gainDB == -3)
    #expect(settings.audio.strip.delayMs == -120)
    #expect(settings.publish.url?.host == "live.example.com")
    #expect(settings.publish.key.reveal() == "abc")
    #expect(settings.publish.autostart == .never)
    #expect(settings.log.level == .trace)
    #expect(settings.state.directory == "/tmp/onair")
  }

  @Test(arguments: [
    "video.source=camera", "video.source=pattern", "video.source=pipe", "video.source=none",
    "audio.monitor=", "audio.monitor=hw:1,0", "audio.monitor=plughw:CARD=A,DEV=0",
    "audio.monitor_source=programme", "audio.monitor_source=choir-2", "audio.monitor_volume=0",
    "video.source=pipe:/run/a b", "video.pipe_format=bgra", "video.pipe_framed=true",
    "audio.source=pipe:x", "audio.pipe_format=S32_LE", "audio.pipe_rate=4000",
    "audio.pipe_rate=768000", "audio.pipe_channels=1",
    "video.source=file:a b.mp4", "video.size=160x90", "video.size=1920x1080", "video.fps=5",
    "video.fps=60", "video.bitrate_kbps=100", "video.bitrate_kbps=12000", "video.gop_seconds=1",
    "video.gop_seconds=4.0", "video.speed=superfast", "video.rotate=90", "video.mirror=true",
    "video.camera_format=other", "audio.source=tone", "audio.source=silence", "audio.source=none",
    "audio.source=file:x", "audio.channels=1", "audio.gain_db=-60", "audio.gain_db=2.5",
    "audio.delay_ms=500", "publish.url=", "publish.key=", "publish.key_file=", "log.level=error",
    "state.directory=rel/ative", "video.fit=\"fill\"", "video.fit='fill'", " video.fps = 25 ",
  ])
  func allowed(_ override: String) {
    #expect(complaints("", set: [override]) == [])
  }

  @Test(arguments: [
    "audio.monitor=null", "audio.monitor=file:/tmp/x", "audio.monitor=tee:x", "audio.monitor=a b",
    "audio.monitor=hw:{x}", "audio.monitor_source=", "audio.monitor_source=a b",
    "audio.monitor_volume=101",
    "video.source=pipe:", "audio.source=pipe:", "audio.source=pipe", "video.pipe_format=yu12",
    "audio.pipe_format=s16_le", "audio.pipe_rate=3999", "audio.pipe_channels=3",
    "video.source=", "video.source=camera:", "video.source=file:", "video.source=Pattern",
    "video.source=file:a\u{0}b", "video.size=1281x720", "video.size=1280x719", "video.size=158x90",
    "video.size=160x88", "video.size=1922x1080", "video.size=1920x1082", "video.size=1280",
    "video.size=1280x", "video.size=1280x720x1", "video.size=+640x360", "video.size=1280×720",
    "video.size=99999999999999999999x720", "video.fps=4", "video.fps=61", "video.fps=30.0",
    "video.fps=99999999999999999999", "video.fps=", "video.gop_seconds=0.9",
    "video.gop_seconds=nan", "video.gop_seconds=inf", "video.gop_seconds=1e999",
    "video.rotate=45", "video.rotate=-90", "video.mirror=yes", "video.mirror=1",
    "video.fit=FIT", "audio.channels=0", "audio.channels=3", "audio.delay_ms=501",
    "audio.gain_db=-61", "log.level=fatal", "publish.autostart=sometimes",
    "state.directory=a\u{0}b", "publish.key=a b", "publish.key=ключ",
  ])
  func refused(_ override: String) throws {
    let lines = complaints("", set: [override])
    let key = override.prefix { $0 != "=" }
    #expect(lines.count == 1)
    #expect(try #require(lines.first).hasPrefix("--set \(key): "))
  }

  @Test func theLastCommandLineValueOverridesAllOthers() throws {
    let settings = try load(
      "video.fps = 10", set: ["video.fps=15", "video.fps=20"]
    ).settings
    #expect(settings.video.fps == 20)
  }

  @Test func aWrongValueIsReportedEvenIfOverridden() {
    #expect(
      complaints("video.fps = 1", set: ["video.fps=15"])
        == ["onair.toml:1:1: video.fps: must be a whole number, 5 to 60"])
  }

  @Test func noFileMeansDefaults() throws {
    let configuration = try Configuration.load(file: nil, environment: ["HOME": "/home/me"])
    #expect(configuration.settings == Settings())
    #expect(configuration.destination == nil)
    #expect(configuration.stateDirectory == "/home/me/.local/state/onair")
    #expect(configuration.warnings == [])
  }

  @Test func nothingToSendIsAnError() {
    #expect(
      complaints("[audio]\nsource = \"none\"\n[video]\nsource = \"none\"")
        == [
          "onair.toml:4:1: video.source: is \"none\", and so is audio.source: there is nothing to send"
        ])
    #expect(complaints("", set: ["video.source=none"]) == [])
  }

  @Test func stateDirectory() {
    let all = ["STATE_DIRECTORY": "/var/lib/onair:/b", "XDG_STATE_HOME": "/x", "HOME": "/h"]
    #expect(Configuration.stateDirectory("/mine", environment: all) == "/mine")
    #expect(Configuration.stateDirectory(environment: all) == "/var/lib/onair")
    let user = ["XDG_STATE_HOME": "/x", "HOME": "/h"]
    #expect(Configuration.stateDirectory(environment: user) == "/x/onair")
    let relative = ["XDG_STATE_HOME": "x", "HOME": "/h"]
    #expect(Configuration.stateDirectory(environment: relative) == "/h/.local/state/onair")
    #expect(Configuration.stateDirectory(environment: [:]) == "/var/lib/onair")
  }

  /// ALSA's plug-ins can write files and run programs.
  @Test(arguments: [
    "hw:1,0", "plughw:CARD=Mic,DEV=0", "default", "sysdefault:CARD=Device", "dsnoop:1,0", "pulse",
    "usb_mic", "bluealsa:DEV=00:11:22:33:44:55,PROFILE=sco",
  ])
  func aMicrophoneIsADevice(_ name: String) throws {
    let settings = try Configuration.load(
      file: nil, overrides: ["audio.source=microphone:\(name)"], environment: [:]
    ).settings
    #expect(settings.audio.source == .microphone(pcm: name))
  }

  @Test(arguments: [
    "tee:null,'|id > /tmp/x',raw", "file:/etc/x,raw", "file:'|id'", "null", "tee", "plug:null",
    "{type file}", "hw:'|id'", "hw:", "", "a b", "empty:\"x\"", "hw:1/0", "hw:1;0",
  ])
  func aMicrophoneIsNoProgram(_ name: String) {
    #expect(throws: ConfigurationError.self) {
      try Configuration.load(
        file: nil, overrides: ["audio.source=microphone:\(name)"], environment: [:])
    }
  }
}
