// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Capture
import Encode
import Logging
import Settings
import TestSupport
import Testing

@testable import Events
@testable import Studio

/// The list of current troubles, on a virtual clock.
@Suite struct TroubleTests {
  private let time = VirtualClock()
  private let log: EventLog

  init() {
    log = EventLog(
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: time.clock)
  }

  private var subjects: [String] { log.troubles.map(\.subject) }

  @Test func aTroubleLastsUntilTheDeviceIsBack() {
    let begun = time.now
    log.report(.deviceLost, subject: "video", cause: "missing", "There is no camera.")
    time.advance(by: .seconds(29))
    log.report(.deviceBusy, subject: "video", cause: "busy", "Another program uses the camera.")
    log.report(.deviceForbidden, subject: "audio", cause: "forbidden", "It may not be opened.")
    #expect(subjects == ["video", "audio"])
    #expect(log.troubles[0].since == begun, "it has been without a picture since then")
    #expect(log.troubles[0].cause == "busy")
    let trouble = Trouble(log.troubles[0], now: time.now, wallClock: 1_769_860_829_000)
    #expect(trouble.since == "2026-01-31T12:00:00.000Z")
    #expect(trouble.sinceSeconds == 29)
    #expect(trouble.retryInSeconds == nil)
    log.report(.deviceBack, subject: "video", "It works.")
    #expect(subjects == ["audio"])
  }

  /// It is told, but the input is not in trouble.
  @Test func aFileThatPlaysOnHasATroubleOfItsOwn() {
    log.report(.fileOutdated, subject: "video", cause: "gone", "The file has been removed.")
    log.report(.fileOutdated, subject: "audio", cause: "gone", "The file has been removed.")
    #expect(subjects == ["video.source", "audio.source"])
    log.report(.fileCurrent, subject: "video", "The picture comes from the file.")
    #expect(subjects == ["audio.source"])
    log.report(.deviceLost, subject: "audio", cause: "stalled", "No sound comes from the file.")
    log.report(.deviceBack, subject: "audio", "The sound was missing for 1 s.")
    #expect(subjects == ["audio.source"], "a stall changes nothing about the file that plays")
    log.report(.deviceLost, subject: "audio", cause: "missing", "There is no file.")
    #expect(subjects == ["audio"])
    log.report(.fileOutdated, subject: "video", cause: "gone", "The file has been removed.")
    log.endTroublesOfStudio("video")
    #expect(subjects == ["audio"])
  }

  /// A second overload hours later begins anew.
  @Test func troublesOfTheStudioEndWhenItSaysSo() throws {
    let settings = try Configuration.load(file: nil, environment: [:]).settings
    let reports = StudioEvents(settings, events: log)
    reports.handle(.overloaded(LateLoss(dropped: 60, seconds: 10)))
    reports.handle(.encoderFailing)
    reports.handle(.stillUnusable(setting: "pause.image", sentence: "pause.image: it is gone."))
    reports.handle(.filterOff(name: "look", sentence: "The filter is off."))
    // Told, but nothing that lasts.
    reports.handle(.encoderRefused("x264 did not accept 900 kbit/s."))
    #expect(subjects == ["overload", "encoder", "pause.image", "filter.look"])
    reports.handle(.overloadOver)
    #expect(log.newest.last?.code == .frameBudgetMet)
    reports.handle(.encoderWorks)
    reports.handle(.stillUsable(setting: "pause.image"))
    reports.handle(.filterOn(name: "look"))
    #expect(subjects == [])
    // In a pause that closes the camera, its trouble is over, and what is said of stills stays.
    reports.handle(.stillUnusable(setting: "pause.image", sentence: "pause.image: it is gone."))
    let lost = SourceReport(state: .trouble, code: "lost", sentence: "It is gone.")
    reports.handle(.source(.video, lost))
    #expect(subjects == ["pause.image", "video"])
    reports.handle(.cameraReleased)
    #expect(subjects == ["pause.image"])
    // After the pause it is told anew.
    reports.handle(.opening(.video))
    reports.handle(.source(.video, lost))
    #expect(subjects == ["pause.image", "video"])
    reports.handle(.source(.video, SourceReport(state: .running, code: "running", sentence: "")))
    reports.handle(.stillUsable(setting: "pause.image"))
    #expect(subjects == [])
    time.advance(by: .seconds(7_200))
    reports.handle(.overloaded(LateLoss(dropped: 60, seconds: 10)))
    #expect(log.troubles.map(\.since) == [time.now])
    // The figures of the sentence are fields, too.
    let event = log.newest.last
    #expect(event?.dropped == 60 && event?.seconds == 10 && event?.size != nil)
  }

  /// The advice fits the settings: who has "superfast" or "auto" cannot choose them.
  @Test(arguments: [
    (
      nil,
      "Choose a smaller video.size or a lower video.fps."
    ),
    (
      EncoderSpeed.superfast,
      "Set video.speed = \"auto\", or choose a smaller video.size or a lower video.fps."
    ),
    (
      .slow,
      "Set video.speed = \"auto\" or one that is faster than \"slow\", or choose a smaller video.size or a lower "
        + "video.fps."
    ),
  ])
  func anOverloadNamesWhatHelps(_ speed: EncoderSpeed?, _ advice: String) throws {
    let settings = try Configuration.load(
      file: nil, overrides: speed.map { ["video.speed=\($0.rawValue)"] } ?? [], environment: [:]
    ).settings
    let reports = StudioEvents(settings, events: log)
    reports.handle(.overloaded(LateLoss(dropped: 60, seconds: 10)))
    let begun = time.now
    #expect(log.troubles.map(\.cause) == ["too_slow"])
    #expect(
      log.troubles.map(\.sentence) == [
        "This machine is too slow or too busy for 1280x720 at 30 frames per second: it dropped 60 frames or audio "
          + "blocks in 10 s. \(advice)"
      ])
    time.advance(by: .seconds(600))
    reports.handle(.overloaded(LateLoss(dropped: 1_200, seconds: 600)))
    #expect(log.troubles.map(\.cause) == ["too_slow_at_times"])
    #expect(log.troubles.map(\.since) == [begun])
    #expect(
      log.troubles.map(\.sentence) == [
        "This machine is too slow or too busy at times for 1280x720 at 30 frames per second: it dropped 1200 frames "
          + "or audio blocks in 10 min. \(advice)"
      ])
  }

  @Test func aSettingIsNamedOnceInTheText() {
    let sentence = "pause.image: /nowhere.png is not there: check the path."
    log.report(.stillUnusable, subject: "pause.image", sentence)
    log.report(.deviceLost, subject: "video", "There is no camera.")
    let troubles = log.troubles.map { Trouble($0, now: time.now, wallClock: 0) }
    #expect(
      troubles.map(\.words) == [
        "pause.image, for 0 s: /nowhere.png is not there: check the path.",
        "video, for 0 s: There is no camera.",
      ])
    #expect(troubles.map(\.sentence) == [sentence, "There is no camera."])
  }

  @Test func theEndOfABroadcastEndsItsTroubles() throws {
    log.report(.deviceLost, subject: "video", cause: "missing", "")
    log.report(.networkPoor, cause: "link_wifi", "")
    log.report(.encoderFailed, "")
    log.report(.frameBudgetMissed, cause: "too_slow", "")
    log.report(.stillUnusable, subject: "pause.image", "")
    log.report(.urlExpiring, subject: "publish.url", "")
    log.report(.stateNotSaved, subject: "state directory", "")
    log.report(.pageUnavailable, subject: "page", "")
    log.report(.buttonStuck, subject: "main button", cause: "stuck", "")
    #expect(subjects.count == 9)
    log.report(.ended, "")
    // Nobody gets what the machine was too slow for; the rest ends with the studio.
    let ofStudio = ["video", "encoder", "pause.image"]
    #expect(subjects == ofStudio + ["state directory", "page", "main button"])
    let settings = try Configuration.load(file: nil, environment: [:]).settings
    let reports = StudioEvents(settings, events: log)
    for report in [StudioReport.closed(.video), .encoderWorks, .overloadClosed] {
      reports.handle(report)
    }
    #expect(subjects == ["state directory", "page", "main button"])
    log.report(.pageBack, subject: "page", "")
    log.report(.buttonReleased, subject: "main button", "")
    log.endTrouble("state directory")
    #expect(subjects == [])
  }

  /// Who looked at the picture before the broadcast has opened the devices: they do not report again.
  @Test func theBeginOfABroadcastKeepsWhatTheStudioHasReported() {
    log.report(.deviceLost, subject: "video", cause: "missing", "There is no camera.")
    log.report(.deviceBusy, subject: "audio", cause: "busy", "Another program uses it.")
    log.report(.encoderFailed, "It cannot be encoded.")
    log.report(.frameBudgetMissed, cause: "too_slow", "It is too slow.")
    log.report(.stillUnusable, subject: "pause.image", "It is gone.")
    let before = log.troubles
    log.report(.networkPoor, cause: "link_wifi", "Of the last broadcast.")
    log.report(.started, "")
    #expect(log.troubles == before)
  }

  /// An encoder that cannot be opened for one who looks off air can perhaps be opened the next time.
  @Test func theTroubleOfABrokenEncoderEndsWithIt() throws {
    let settings = try Configuration.load(
      file: nil,
      overrides: ["video.source=pattern", "audio.source=tone", "video.size=160x90"],
      environment: [:]
    ).settings
    let reports = StudioEvents(settings, events: log)
    let encoders = EncoderFactory(
      video: { (_) throws(EncoderError) in throw .notOpened },
      audio: EncoderFactory.libraries.audio)
    let studio = Studio(settings: settings, encoders: encoders, clock: time.clock) {
      reports.handle($0)
    }
    /// Lets virtual time pass until there is nothing but these troubles.
    func reaches(_ troubles: [String]) -> Bool {
      eventually {
        time.advance(by: .milliseconds(5))
        studio.supervise(time.now)
        return subjects == troubles
      }
    }
    for isHeard in [false, true] {
      let listener = isHeard ? studio.enter(.audio) : nil
      let viewer = studio.enter(.video)
      #expect(reaches(["encoder"]))
      for _ in 0..<3 { studio.supervise(time.now) }
      #expect(subjects == ["encoder"], "it lasts as long as the encoder is broken")
      viewer.leave()
      studio.supervise(time.now)
      studio.supervise(time.now)
      #expect(subjects == [], isHeard ? "the sound goes on" : "all is closed")
      listener?.leave()
    }
    #expect(studio.stop(by: .now() + .seconds(60)))
  }

  /// Troubles of a destination come from the destination itself, which knows the time of its next attempt.
  @Test func aServersEventsAreNotListedTwice() {
    log.report(.networkPoor, subject: "127.0.0.1:1935", cause: "unconfirmed", "")
    log.report(.encoderFailed, subject: "127.0.0.1:1935", cause: "nothing_to_send", "")
    log.report(.connectFailed, subject: "127.0.0.1:1935", cause: "connection_refused", "")
    #expect(subjects == [])
  }

  @Test func theTimeToTheNextAttemptIsRoundedUp() {
    let entry = TroubleList.Entry(
      subject: "s", cause: "c", sentence: "", since: time.now,
      retryAt: time.now + .milliseconds(2_001))
    #expect(Trouble(entry, now: time.now, wallClock: 0).retryInSeconds == 3)
    #expect(Trouble(entry, now: time.now + .seconds(9), wallClock: 0).retryInSeconds == 0)
    #expect(Trouble(entry, now: time.now, wallClock: 0).hasWorked == nil)
  }
}

@Suite struct PhraseTests {
  @Test func durationsHaveTheirTwoLargestUnits() {
    for (seconds, words) in [
      (0, "0 s"), (29, "29 s"), (60, "1 min"), (303, "5 min 3 s"), (7_500, "2 h 5 min"),
      (7_205, "2 h"), (273_600, "3 d 4 h"),
    ] { #expect(Phrase.duration(seconds) == words) }
  }

  @Test func theEndOfABroadcastHasASentence() {
    func words(
      _ seconds: Int, _ hasReachedMain: Bool = true, hasReachedRelay: Bool = false,
      goesOn: Bool = false, reconnects: Int = 0, overflows: Int = 0, dropped: Int = 0,
      late: Int = 0, withoutCamera: Int? = nil, withoutMicrophone: Int? = nil,
      withoutServer: Int? = nil, counted: Int? = nil
    ) -> String {
      Event.Totals(
        seconds: seconds, bytes: 0, frames: 0, interruptions: 0, dropped: dropped, late: late,
        withoutCameraSeconds: withoutCamera, withoutMicrophoneSeconds: withoutMicrophone,
        withoutServerSeconds: withoutServer, countedSeconds: counted,
        reached: hasReachedMain ? "main" : hasReachedRelay ? "relays" : "nobody",
        reconnects: reconnects, overflows: overflows, goesOn: goesOn
      ).sentence
    }
    #expect(
      words(29, false)
        == "The broadcast has ended after 29 s. No server took the stream, so nobody has seen it.")
    #expect(words(303) == "The broadcast has ended after 5 min 3 s. Viewers missed nothing.")
    #expect(
      words(7_200, counted: 300)
        == "The broadcast has ended after 2 h. Viewers missed something: OnAir began anew 5 min before the end, "
        + "and what they missed until then is not known.")
    #expect(
      words(7_200, late: 1, counted: 300).hasSuffix(
        "is not known. Since then: 1 frame or audio block was left out because the box was too slow."
      ))
    #expect(
      words(7_200, false, counted: 300)
        == "The broadcast has ended after 2 h. OnAir began anew 5 min before the end, and no server has taken "
        + "the stream since.")
    #expect(
      words(36, withoutCamera: 36, withoutMicrophone: 5)
        == "The broadcast has ended after 36 s. Viewers missed something: there was no picture for 36 s, "
        + "there was no sound for 5 s.")
    #expect(
      words(9, false, hasReachedRelay: true, withoutServer: 9)
        == "The broadcast has ended after 9 s. Only relays had it, the first server never did. "
        + "Viewers missed nothing.")
    #expect(
      words(3, goesOn: true)
        == "OnAir ends after 3 s of the broadcast, which goes on at the next start. "
        + "Viewers missed nothing.")
    #expect(
      words(60, reconnects: 1, overflows: 2, dropped: 1)
        == "The broadcast has ended after 1 min. Viewers missed something: the connection was made anew 1 time, "
        + "the network was too slow 2 times, 1 frame or audio packet was dropped on a slow network."
    )
    #expect(
      words(60, late: 2)
        == "The broadcast has ended after 1 min. Viewers missed something: 2 frames or audio blocks were "
        + "left out because the box was too slow.")
    #expect(
      words(60, withoutServer: 2).hasSuffix("Viewers missed nothing."), "it only took to connect")
    #expect(
      words(60, withoutServer: 37).hasSuffix(
        "Viewers missed something: the server did not have the broadcast for 37 s."))
  }
}
