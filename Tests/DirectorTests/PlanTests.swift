// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Testing

@testable import Director

/// Every combination of intent and conditions, with what is muted or off each alone and all at once.
struct Everything: Sequence, IteratorProtocol {
  /// What viewers get in a pause: each picture, and everything, nothing, everything but the music silenced.
  static let pauses = [
    PausePlan(silenced: .all), PausePlan(.none, silenced: .none),
    PausePlan(.last, silenced: .allBut([SilencedTracks.music])),
  ]
  /// What may be muted or off.
  static let wishes = [
    Intent(), Intent(isMuted: true), Intent(isVideoOff: true), Intent(isAudioOff: true),
    Intent(isMuted: true, isVideoOff: true, isAudioOff: true),
  ]
  private var number = 0

  mutating func next() -> (
    intent: Intent, conditions: Conditions, pause: PausePlan
  )? {
    var rest = number
    number += 1
    func pick<Value>(_ values: [Value]) -> Value {
      defer { rest /= values.count }
      return values[rest % values.count]
    }
    var intent = pick(Everything.wishes)
    intent.broadcast = pick(Intent.Broadcast.allCases)
    var conditions = Conditions(
      camera: pick(Conditions.Input.allCases), microphone: pick(Conditions.Input.allCases),
      destination: pick(Conditions.Destination.allCases), link: pick(LinkQuality.allCases),
      encoderFailed: pick([false, true]), isReopening: pick([false, true]),
      videoDelivered: pick([false, true]), isOverdue: pick([false, true]),
      repair: pick([nil, .disk]))
    (conditions.relayFails, conditions.hasAudioAlarm) = pick([
      (false, false), (true, false), (false, true),
    ])
    let pause = pick(Everything.pauses)
    conditions.hasLastFrame = pause.picture == .last
    return rest == 0 ? (intent, conditions, pause) : nil
  }
}

@Suite struct PlanTests {
  /// Whichever tracks are silenced: while a broadcast ends, none is heard that was not, and nothing is said to be
  /// private while one is heard.
  @Test func aPartlySilencedPlanIsHeardAndHidesNothing() {
    let some = Plan(video: .camera, audio: .tracks(silenced: .named(["main"])), lamp: .live)
    #expect(some.withoutLiveInputs.video == .none && some.withoutLiveInputs.audio == .none)
    #expect(some.audio.isHeard && !some.audio.hears("main") && some.audio.hears("music"))
    var conditions = Conditions()
    (conditions.destination, conditions.videoDelivered) = (.delivered, true)
    let paused = Plan(
      video: .pauseStill, audio: .tracks(silenced: .named(["main"])), lamp: .paused)
    let said = Situation(
      Intent(broadcast: .paused), paused, conditions, lamp: .paused, relays: 0)
    #expect(said.word == .paused && said.state == .pausedHeard)
    let silent = Plan(video: .pauseStill, audio: .silence, lamp: .paused)
    #expect(silent.withoutLiveInputs == silent)
  }

  /// A pause with `pause.sound = "music"` is private, whichever tracks there are or come.
  @Test func aPauseWithMusicIsPrivate() {
    var conditions = Conditions()
    (conditions.destination, conditions.videoDelivered) = (.delivered, true)
    let others = SilencedTracks.allBut([SilencedTracks.music])
    var intent = Intent(broadcast: .paused)
    let plan = Plan(intent, conditions, pause: PausePlan(silenced: others))
    #expect(plan.audio.hears("music") && plan.audio.isHeard && plan.audio.word == "music")
    #expect(!plan.audio.hears("main") && !plan.audio.hears("joins later"))
    #expect(!plan.audio.hearsRoom && plan.withoutLiveInputs.audio == .none)
    let said = Situation(intent, plan, conditions, lamp: .paused, relays: 0)
    #expect(said.word == .private && said.state == .paused && said.grade == .private)
    // A mute silences the music, too.
    intent.isMuted = true
    #expect(Plan(intent, conditions, pause: PausePlan(silenced: others)).audio == .silence)
  }

  /// Unions and comparisons of sets, looked at track by track.
  @Test func setsOfTracksAgreeWithTheirTracks() {
    let names = ["main", "music", "guest", "joins later"]
    let sets: [SilencedTracks] = [
      .none, .all, .named(["main"]), .named(["music"]), .named(["main", "music"]),
      .allBut(["music"]), .allBut(["main"]), .allBut(["music", "guest"]),
    ]
    for one in sets {
      for other in sets {
        let union = one.union(other)
        for name in names {
          #expect(union.contains(name) == (one.contains(name) || other.contains(name)))
        }
        let exceeds = names.contains { one.contains($0) && !other.contains($0) }
        #expect(one.exceeds(other) == exceeds, "\(one) \(other)")
      }
    }
    #expect(SilencedTracks.allBut(["music"]).union(.named(["music"])) == .all)
  }

  @Test func everyCombinationKeepsThePromises() {
    var count = 0
    for (intent, conditions, pause) in Everything() {
      count += 1
      let plan = Director(intent: intent, conditions: conditions, pause: pause).plan
      #expect(promisesHold(intent, conditions, pause: pause, plan))
    }
    #expect(count == 5 * 3 * 5 * 5 * 5 * 3 * 2 * 2 * 2 * 2 * 2 * 3 * 3)
  }

  @Test func everyVideoAudioAndLampPatternIsReached() {
    var video: Set<Plan.Video> = []
    var audio: Set<Plan.Audio> = []
    var lamps: Set<LampPattern> = []
    for (intent, conditions, pause) in Everything() {
      let plan = Plan(intent, conditions, pause: pause)
      video.insert(plan.video)
      audio.insert(plan.audio)
      lamps.insert(plan.lamp.pattern)
    }
    #expect(video == Set(Plan.Video.allCases))
    #expect(
      audio == [
        .none, .microphone, .silence, .tracks(silenced: .allBut([SilencedTracks.music])),
      ])
    // Who looks, what is recorded off air, and when the broadcast ends by itself, is not part of a plan.
    #expect(lamps == Set(LampPattern.allCases).subtracting([.watched, .recording, .ending]))
  }

  /// What viewers see in a pause, whatever the link, the server and the camera do: the image where there is no last
  /// frame, as after a start, a restart or a power cut, and where there is no sound that could be sent alone.
  @Test(arguments: PausePlan.Picture.allCases)
  func thePictureOfAPause(_ picture: PausePlan.Picture) {
    let paused = Intent(broadcast: .paused)
    for hasLastFrame in [false, true] {
      for microphone in Conditions.Input.allCases {
        let expected: Plan.Video =
          switch (picture, hasLastFrame, microphone) {
          case (.last, true, _): .lastFrame
          case (.none, _, .opening), (.none, _, .good), (.none, _, .lost), (.none, _, .released):
            .soundOnly
          case (.image, _, _), (.last, false, _), (.none, _, .unused): .pauseStill
          }
        for camera in Conditions.Input.allCases where camera != .unused {
          for link in LinkQuality.allCases {
            for destination in Conditions.Destination.allCases {
              let conditions = Conditions(
                camera: camera, microphone: microphone, destination: destination, link: link,
                hasLastFrame: hasLastFrame)
              let plan = Plan(paused, conditions, pause: PausePlan(picture, silenced: .all))
              #expect(plan.video == expected && plan.withoutLiveInputs.video == expected)
            }
          }
        }
      }
    }
  }

  /// A pause that shows the last frame is never called private; one without a picture is.
  @Test func theLastFrameIsNotPrivate() {
    let conditions = Conditions(
      camera: .good, microphone: .good, destination: .delivered, videoDelivered: true,
      hasLastFrame: true)
    let paused = Intent(broadcast: .paused)
    func said(_ picture: PausePlan.Picture, _ silenced: SilencedTracks) -> Situation {
      let plan = Plan(paused, conditions, pause: PausePlan(picture, silenced: silenced))
      return Situation(paused, plan, conditions, lamp: plan.lamp, relays: 0)
    }
    let seen = said(.last, .all)
    #expect(seen.state == .pausedSeen && seen.word == .paused && seen.grade == .paused)
    #expect(said(.last, .none).state == .pausedHeard && said(.last, .none).word == .paused)
    #expect(said(.none, .all).state == .paused && said(.none, .all).word == .private)
    #expect(said(.none, .none).state == .pausedHeard)
  }

  /// After a restart viewers have a still while the camera opens; a pause stays private.
  @Test func aCameraThatOpensAnewHasAStill() {
    func video(
      _ broadcast: Intent.Broadcast, _ camera: Conditions.Input, isReopening: Bool
    ) -> Plan.Video {
      let conditions = Conditions(camera: camera, isReopening: isReopening)
      return Plan(Intent(broadcast: broadcast), conditions, pause: PausePlan(silenced: .all)).video
    }
    #expect(video(.live, .opening, isReopening: true) == .noCameraStill)
    #expect(video(.live, .opening, isReopening: false) == .camera)
    #expect(video(.live, .good, isReopening: true) == .camera)
    #expect(video(.paused, .opening, isReopening: true) == .pauseStill)
    #expect(video(.off, .opening, isReopening: true) == .none)
  }

  /// In the picture with guests, the still of a lost camera takes the camera's place alone. The lamp says what is missing.
  @Test func guestsStayWhileTheCameraIsMissing() {
    func plan(
      _ broadcast: Intent.Broadcast, _ camera: Conditions.Input, link: LinkQuality = .good
    ) -> (Plan, Bool, Situation.State) {
      let conditions = Conditions(
        camera: camera, microphone: .good, destination: .delivered, link: link, isReopening: true,
        showsGuests: true, videoDelivered: true)
      let intent = Intent(broadcast: broadcast)
      let plan = Plan(intent, conditions, pause: PausePlan(silenced: .all))
      let situation = Situation(intent, plan, conditions, lamp: plan.lamp, relays: 0)
      return (plan, plan.lacksCamera(conditions), situation.state)
    }
    let (lost, lostLacks, lostState) = plan(.live, .lost)
    #expect(lost.video == .camera && lost.lamp == .noCamera && lostLacks && lostState == .noCamera)
    let (opening, openingLacks, openingState) = plan(.live, .opening)
    #expect(opening.video == .camera && opening.lamp == .unconfirmed && openingLacks)
    #expect(openingState == .goingLive)
    let (good, goodLacks, _) = plan(.live, .good)
    #expect(good.video == .camera && good.lamp == .live && !goodLacks)
    #expect(plan(.paused, .lost).0.video == .pauseStill)
    #expect(plan(.live, .lost, link: .poor).0.video == .poorNetworkStill)
  }

  /// The order of the lamp's rows: each condition is overruled by the ones before it.
  @Test func theWorstConditionDecidesTheLamp() {
    let live = Intent(broadcast: .live)
    func lamp(_ intent: Intent, _ conditions: Conditions) -> LampSignal {
      Plan(intent, conditions, pause: PausePlan(silenced: .all)).lamp
    }
    var conditions = Conditions(
      camera: .lost, microphone: .lost, destination: .refused, link: .poor, encoderFailed: true,
      videoDelivered: false, repair: .settingsFile)
    #expect(lamp(Intent(), conditions) == .fault(.repair(.settingsFile)))
    conditions.repair = nil
    #expect(lamp(Intent(), conditions) == .offAir)
    conditions.repair = .card
    #expect(lamp(live, conditions) == .fault(.encoder))
    conditions.encoderFailed = false
    #expect(lamp(live, conditions) == .fault(.refusal))
    conditions.destination = .retrying
    #expect(lamp(live, conditions) == .reconnecting)
    conditions.destination = .connecting
    #expect(lamp(live, conditions) == .starting)
    conditions.destination = .unconfirmed
    #expect(lamp(live, conditions) == .unconfirmed)
    conditions.destination = .delivered
    #expect(lamp(live, conditions) == .unconfirmed)
    conditions.videoDelivered = true
    #expect(lamp(Intent(broadcast: .paused), conditions) == .paused)
    #expect(lamp(live, conditions) == .noCamera)
    conditions.camera = .good
    #expect(lamp(live, conditions) == .fault(.microphone))
    conditions.microphone = .good
    #expect(lamp(live, conditions) == .fault(.repair(.card)))
    conditions.repair = nil
    #expect(lamp(live, conditions) == .weak)
    conditions.link = .weak
    #expect(lamp(live, conditions) == .weak)
    conditions.link = .good
    #expect(lamp(live, conditions) == .live)
    conditions.hasAudioAlarm = true
    #expect(lamp(live, conditions) == .weak)
    let plan = Plan(live, conditions, pause: PausePlan(silenced: .all))
    let said = Situation(live, plan, conditions, lamp: plan.lamp, relays: 0)
    #expect(said.state == .audioAlarm && said.word == .live && said.grade == .weak)
  }

  @Test(arguments: Command.allCases)
  func commandsOffAirAreRefused(_ command: Command) throws {
    switch command {
    case .start: #expect(try Intent().after(command) == Intent(broadcast: .live))
    case .stop: #expect(try Intent().after(command) == Intent())
    default: #expect(throws: CommandError.offAir) { try Intent().after(command) }
    }
  }

  /// Video that is off is a still, and audio that is off is silence, whatever a pause, a mute, the camera, the microphone
  /// and the link do, in all combinations; neither changes anything else.
  @Test(arguments: Everything.pauses, Intent.Broadcast.allCases)
  func whatIsOffIsReplacedAndNothingElse(
    pause: PausePlan, broadcast: Intent.Broadcast
  ) {
    // The bits: muted, video off, audio off, and a camera that is opened again.
    for bits in 0..<16 {
      for camera in Conditions.Input.allCases {
        for microphone in Conditions.Input.allCases {
          for link in LinkQuality.allCases {
            expectReplacement(
              Intent(
                broadcast: broadcast, isMuted: bits & 1 != 0, isVideoOff: bits & 2 != 0,
                isAudioOff: bits & 4 != 0),
              Conditions(
                camera: camera, microphone: microphone, destination: .delivered, link: link,
                isReopening: bits & 8 != 0, videoDelivered: true), pause)
          }
        }
      }
    }
  }

  private func expectReplacement(
    _ intent: Intent, _ conditions: Conditions, _ pause: PausePlan
  ) {
    let plan = Plan(intent, conditions, pause: pause)
    var on = intent
    (on.isVideoOff, on.isAudioOff) = (false, false)
    let before = Plan(on, conditions, pause: pause)
    let isLive = intent.broadcast == .live && conditions.camera != .unused
    #expect(plan.video == (intent.isVideoOff && isLive ? .videoOffStill : before.video))
    let isSent = intent.broadcast != .off && conditions.microphone != .unused
    #expect(plan.audio == (intent.isAudioOff && isSent ? .silence : before.audio))
    if intent.isVideoOff || intent.isAudioOff, intent.broadcast == .live {
      let said = Situation(intent, plan, conditions, lamp: plan.lamp, relays: 0)
      #expect(said.grade != .good && ![.live, .liveMuted].contains(said.state))
    }
  }

  /// The two halves and a mute are apart: each ends by its own command alone, and a pause ends none of them.
  @Test func halvesAndAMuteAreApart() throws {
    var intent = Intent(broadcast: .live)
    for command in [Command.mute, .videoOff, .audioOff, .pause] {
      intent = try intent.after(command)
    }
    #expect(
      intent
        == Intent(broadcast: .paused, isMuted: true, isVideoOff: true, isAudioOff: true))
    intent = try intent.after(.resume)
    #expect(Plan(intent, Conditions(), pause: PausePlan(silenced: .none)).video == .videoOffStill)
    intent = try intent.after(.unmute)
    #expect(Plan(intent, Conditions(), pause: PausePlan(silenced: .none)).audio == .silence)
    intent = try intent.after(.audioOn)
    #expect(intent == Intent(broadcast: .live, isVideoOff: true))
    #expect(Plan(intent, Conditions(), pause: PausePlan(silenced: .none)).audio == .microphone)
    #expect(try intent.after(.videoOn) == Intent(broadcast: .live))
  }

  @Test func aNewBroadcastStartsUnmuted() throws {
    var intent = Intent(broadcast: .live, isMuted: true, isVideoOff: true, isAudioOff: true)
    intent = try intent.after(.stop)
    #expect(try intent.after(.start) == Intent(broadcast: .live))
  }

  @Test func startDoesNotResume() throws {
    #expect(try Intent(broadcast: .paused).after(.start) == Intent(broadcast: .paused))
  }
}

/// The promises that hold for every plan.
func promisesHold(
  _ intent: Intent, _ conditions: Conditions, pause: PausePlan, _ plan: Plan
) -> Bool {
  if intent.broadcast != .live, plan.video == .camera { return false }
  if intent.broadcast == .off, plan.video != .none || plan.audio != .none { return false }
  if plan.audio.isHeard, intent.isMuted || intent.isAudioOff { return false }
  if plan.video == .camera, intent.isVideoOff { return false }
  if plan.video.isPause != (intent.broadcast == .paused && conditions.camera != .unused) {
    return false
  }
  if plan.video == .videoOffStill, !intent.isVideoOff { return false }
  if intent.broadcast == .paused, pause.silenced != .none {
    if plan.audio.hearsRoom || ["main", "guest"].contains(where: plan.audio.hears) { return false }
  }
  if intent.broadcast != .paused, conditions.repair != nil, [.live, .offAir].contains(plan.lamp) {
    return false
  }
  // Live is green: the servers have the live video. Paused is blue: they have the pause still.
  if plan.lamp == .live {
    guard [.camera, .none, .videoOffStill].contains(plan.video), conditions.videoDelivered,
      conditions.destination == .delivered,
      intent.broadcast == .live
    else { return false }
  }
  // Neither the lamp nor the page says that all is good while viewers get something else than what is wanted.
  let said = Situation(intent, plan, conditions, lamp: plan.lamp, relays: 0)
  let isStill = [.noCameraStill, .poorNetworkStill, .videoOffStill].contains(plan.video)
  let isSilent = plan.audio.isHeard && [.lost, .opening].contains(conditions.microphone)
  if said.grade == .good, isStill || isSilent { return false }
  if isStill, [.live, .liveMuted].contains(said.state) { return false }
  // The video that is told beside "there is no picture" is no picture of the room.
  let shown = plan.shownVideo(conditions)
  if [.noCamera, .noInputs].contains(said.state), shown == .camera { return false }
  if plan.lamp == .paused, !conditions.videoDelivered || intent.broadcast != .paused {
    return false
  }
  return true
}
