// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

import Base
import Guests
import TestSupport

/// A waiting room and a layout to which random things happen, beside what a test knows of them by itself.
struct RandomProgramme {
  /// What the events have told of a guest.
  struct Told: Equatable {
    enum Phase: Equatable { case absent, waiting, online }
    var phase = Phase.absent
    var picture = false
    var sound = false
    var lastCause: GuestEvent.Cause?
  }

  /// What was done to a guest, and what his reader has reported.
  struct Known {
    /// Whether a person has put him on air, and nothing has ended that.
    var isAdmitted = false
    var isHidden = false
    var isRemoved = false
    /// Whether something has come over a connection that lasts.
    var isConnected = false
    var tracks = ArrivingTracks(picture: .none, sound: .none)
    /// When something last came of what the programme takes, or that was changed, or he was put on air.
    var lastSeen = MediaTime(nanos: 0)
  }

  static let names = ["ann", "bob", "cid", "dan", "eva"]
  private static let layouts: [GuestLayout] = [
    .single, .sideBySide, .grid, .pip(.topLeft), .pip(.bottomRight), .guest(nil), .guest("ann"),
    .guest("dan"), .free("studio"), .free("duo"), .free("none"),
  ]
  private static let free: [String: [FreePane]] = [
    "studio": [
      FreePane(.host, .whole),
      FreePane(.number(1), PaneArea(x: 0.7, y: 0.7, width: 0.4, height: 0.25), z: 1),
      FreePane(.guest("cid"), PaneArea(x: 0, y: 0, width: 0.25, height: 0.25), z: 2),
    ],
    "duo": [
      FreePane(.guest("ann"), PaneArea(x: 0, y: 0, width: 0.5, height: 1)),
      FreePane(.guest("bob"), PaneArea(x: 0.5, y: 0, width: 0.5, height: 1)),
    ],
  ]

  private(set) var rules: GuestRules
  private(set) var room: GuestRoom
  private(set) var choice: LayoutChoice
  private(set) var now = MediaTime(nanos: 0)
  private(set) var known: [String: Known] = [:]
  private(set) var told: [String: Told] = [:]
  /// Events that cannot follow on those before.
  private(set) var faults: [String] = []
  private(set) var eventCount = 0
  private var random: SplitMix64

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let guests = Self.names.map {
      GuestRules.Guest($0, isAdmittedByItself: Int.random(in: 0..<3, using: &random) == 0)
    }
    rules = GuestRules(guests, freeLayouts: Self.free)
    self.random = random
    room = GuestRoom(rules, at: now)
    choice = LayoutChoice(rules)
    for name in Self.names { (known[name], told[name]) = (Known(), Told()) }
  }

  var shown: [GuestRoom.Shown] { room.shown(at: now) }

  mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
  mutating func pick<Element>(_ all: [Element]) -> Element {
    all[Int.random(in: 0..<all.count, using: &random)]
  }

  /// One thing happens.
  mutating func step() {
    let places = admittedCount
    happen()
    if admittedCount > max(places, rules.most) { faults.append("\(admittedCount) are admitted") }
  }

  private var admittedCount: Int { Self.names.count { room.isAdmitted($0) } }

  private mutating func happen() {
    let name = pick(Self.names)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: pass(Int64.random(in: 1...6_000, using: &random))
    case 4..<9: report(name)
    case 9..<12: request(name)
    case 12..<15: changeSettings(name)
    case 15..<19: requestLayout(name)
    default:
      take(room.endBroadcast(at: now))
      for rule in rules.guests where !rule.isAdmittedByItself {
        known[rule.name]?.isAdmitted = false
      }
      choice.endBroadcast()
    }
  }

  /// Tells the layout who is shown. A box does so after each step.
  mutating func update() { choice.update(shown) }

  private mutating func pass(_ milliseconds: Int64) {
    for rule in rules.guests { see(rule.name) }
    now = now + .milliseconds(milliseconds)
    for rule in rules.guests { see(rule.name) }
    take(room.advance(to: now))
  }

  private mutating func report(_ name: String) {
    see(name)
    let isIgnored =
      known[name]?.isRemoved == true || !rules.guests.contains { $0.name == name && $0.isEnabled }
    let event: GuestArrival
    switch Int.random(in: 0..<9, using: &random) {
    case 0: event = .quit
    case 1: event = .dropped
    case 2: event = .replaced
    default:
      let old = known[name]?.tracks ?? ArrivingTracks()
      event = .online(
        ArrivingTracks(picture: track(after: old.picture), sound: track(after: old.sound)))
    }
    let wasThere =
      told[name]?.phase != .absent || room.isAdmitted(name) && room.state(of: name) != .connecting
    take(room.note(event, of: name, at: now))
    guard !isIgnored else { return }
    switch event {
    case .online(let tracks):
      let isArriving = tracks.picture == .arriving || tracks.sound == .arriving
      if isArriving || known[name]?.isConnected == true {
        known[name]?.tracks = tracks
        known[name]?.isConnected = true
      }
      see(name)
    case .quit:
      stop(name)
      if wasThere { known[name]?.isAdmitted = false }
    case .dropped, .replaced: stop(name)
    }
  }

  /// A track that goes on from an earlier one: what has stalled has done so since its last data.
  private mutating func track(after old: ArrivingTracks.Track) -> ArrivingTracks.Track {
    switch old {
    case .none: pick([.none, .arriving, .arriving])
    case .arriving: pick([.none, .arriving, .stalled(since: now)])
    case .stalled: pick([.none, .arriving, .arriving, old])
    }
  }

  /// Nothing of a guest arrives any more.
  private mutating func stop(_ name: String) {
    known[name]?.isConnected = false
    if known[name]?.tracks.picture == .arriving {
      known[name]?.tracks.picture = .stalled(since: now)
    }
    if known[name]?.tracks.sound == .arriving { known[name]?.tracks.sound = .stalled(since: now) }
  }

  /// Notes that something of a guest is there now, if it is.
  private mutating func see(_ name: String) {
    if isArriving(name) { known[name]?.lastSeen = now }
  }

  /// Whether something arrives that the programme takes.
  func isArriving(_ name: String) -> Bool {
    guard let rule = rules.guests.first(where: { $0.name == name }),
      let tracks = known[name]?.tracks
    else { return false }
    return rule.takesPicture && tracks.picture == .arriving
      || rule.takesSound && tracks.sound == .arriving
  }

  private mutating func request(_ name: String) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0..<3:
      let isNew = !room.isAdmitted(name)
      guard let events = try? room.admit(name, at: now) else { return }
      take(events)
      known[name]?.isAdmitted = true
      if isNew { known[name]?.isHidden = false }
    case 3:
      guard let events = try? room.hide(name, at: now) else { return }
      take(events)
      known[name]?.isAdmitted = false
      known[name]?.isHidden = true
    case 4:
      guard let events = try? room.remove(name, at: now) else { return }
      take(events)
      known[name] = Known(isRemoved: true)
    default:
      guard (try? room.allow(name, at: now)) != nil else { return }
      known[name]?.isRemoved = false
    }
  }

  private mutating func changeSettings(_ name: String) {
    for rule in rules.guests { see(rule.name) }
    let before = rules
    if let index = rules.guests.firstIndex(where: { $0.name == name }) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: rules.guests.remove(at: index)
      case 1: rules.guests[index].isEnabled.toggle()
      case 2: rules.guests[index].line += 1
      case 3, 4: rules.guests[index].takesPicture.toggle()
      case 5, 6: rules.guests[index].takesSound.toggle()
      case 7, 8: rules.guests[index].isAdmittedByItself.toggle()
      case 9: rules.most = Int.random(in: 1...5, using: &random)
      case 10: rules.lostSeconds = Int.random(in: 0...12, using: &random)
      default: (rules.layout, rules.isAutomatic) = (pick(Self.layouts), !chance(4))
      }
    } else {
      rules.guests.append(GuestRules.Guest(name))
    }
    // Who is on air without a person stays on air with "hand".
    for old in before.guests where old.isAdmittedByItself && room.isAdmitted(old.name) {
      known[old.name]?.isAdmitted = true
    }
    take(room.follow(rules, at: now))
    choice.follow(rules)
    for old in before.guests {
      let new = rules.guests.first { $0.name == old.name }
      if new == nil { known[old.name] = Known() }
      if new?.line != old.line || new?.isEnabled != true {
        known[old.name]?.isAdmitted = false
        known[old.name]?.tracks = ArrivingTracks(picture: .none, sound: .none)
        known[old.name]?.isConnected = false
      }
      if new?.takesPicture != old.takesPicture || new?.takesSound != old.takesSound {
        known[old.name]?.lastSeen = now
      }
    }
  }

  private mutating func requestLayout(_ name: String) {
    let id = pick(["1", "2"])
    let source = pick([PaneSource.host, .guest(name)])
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: try? choice.choose(pick(Self.layouts))
    case 2: choice.giveBack()
    case 3:
      try? choice.begin(
        MixTask(id, pick([.mix, .bypass]), source: source, layout: pick(Self.layouts)))
    case 4:
      try? choice.change(
        id, mode: pick([.mix, .bypass]), source: source, layout: pick(Self.layouts))
    default: try? choice.end(id)
    }
  }

  /// Follows what events tell, and notes those that cannot be.
  private mutating func take(_ events: [GuestEvent]) {
    eventCount += events.count
    for event in events {
      let name = event.guest
      guard var guest = told[name] else { continue }
      let before = guest
      switch event.kind {
      case .waiting:
        guest.phase = .waiting
        known[name]?.isAdmitted = false
      case .online:
        guest.phase = .online
        known[name]?.lastSeen = now
      case .tracks(let picture, let sound): (guest.picture, guest.sound) = (picture, sound)
      case .offline(let cause):
        guest = Told(lastCause: cause)
        // Whoever was lost for too long has to be admitted anew.
        if cause == .dropped { known[name]?.isAdmitted = false }
        known[name]?.isConnected = false
        if cause != .replaced { known[name]?.tracks = ArrivingTracks(picture: .none, sound: .none) }
        if before.phase == .absent { faults.append("\(name) has gone, and was not there") }
      }
      if guest == before { faults.append("\(name): \(event.kind) tells nothing new") }
      if case .tracks = event.kind, before.phase == .absent { faults.append("tracks of nobody") }
      if event.elapsedNanos < 0 { faults.append("\(name): a negative time") }
      told[name] = guest
    }
  }
}
