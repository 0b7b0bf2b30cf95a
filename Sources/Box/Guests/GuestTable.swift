// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Guests
internal import Settings

/// The guests of the settings: who may come, who is on air and in which layout, and what is known of their lines.
///
/// Reads no clock and does no I/O: the time is passed in, and what is to be reported waits for `takeNews`.
struct GuestTable {
  /// What is known of the line of a guest.
  struct Line {
    /// Whether the present reader has begun. Reports before that are of a reader that has ended meanwhile.
    var hasBegun = false
    /// What the guest sends; `nil` while nothing arrives.
    var tracks: Capture.GuestTracks?
    /// When the last frame came, while no frames come although there is video.
    var stalledSince: MediaTime?
    /// Why nothing arrives.
    var offline: GuestOffline?
    /// The faults that were reported since something arrived.
    var told: Set<GuestFault> = []
  }

  /// Something that has happened, to be reported as an event.
  enum News: Equatable {
    case guest(GuestEvent)
    case admitted(String, by: String)
    case removed(String, by: String)
    case failed(String, GuestOffline)
    case back(String)
    /// The text is that of `LayoutChoice.Programme`.
    case layout(String, LayoutChoice.Origin)
  }

  /// The time without a frame after which a line reports that its frames have stalled.
  private static let stallNanos = Int64.seconds(1)

  private(set) var settings: Settings
  private(set) var room: GuestRoom
  private(set) var layout: LayoutChoice
  /// The guests that are to be read.
  private(set) var requests: [GuestRequest] = []
  /// The guests who have a pane.
  private(set) var shown: [GuestRoom.Shown] = []
  /// When each guest who is there came.
  private(set) var arrivals: [String: MediaTime] = [:]
  private var lines: [String: Line] = [:]
  private var news: [News] = []
  /// The layout that was reported last.
  private var toldLayout = LayoutChoice.Programme.bypass(.host).text

  /// - Parameters:
  ///   - kept: what was kept of the last run of the program.
  ///   - goesOn: whether this run goes on with a broadcast of the last run.
  init(
    _ settings: Settings, kept: KeptGuests = KeptGuests(), goesOn: Bool = false, at now: MediaTime
  ) {
    let rules = GuestRules(settings)
    self.settings = settings
    // An address that has changed meanwhile may be that of somebody else.
    let admitted = kept.admitted.filter { guest in
      rules.guests.contains { $0.name == guest.name && $0.line == guest.line }
    }
    room = GuestRoom(
      rules, admitted: goesOn ? admitted.map(\.name) : [], hidden: Set(kept.hidden),
      removed: Set(kept.removed), at: now)
    layout = LayoutChoice(rules, choice: goesOn ? kept.layout.map { GuestLayout($0) } : nil)
    settle(at: now)
  }

  /// What is known of the line of a guest.
  func line(of name: String) -> Line { lines[name] ?? Line() }

  /// What has to survive a restart of the program.
  var kept: KeptGuests {
    KeptGuests(
      admitted: room.admitted.compactMap { name in
        room.rules.guests.first { $0.name == name }.map { .init(name: name, line: $0.line) }
      }, hidden: room.hidden.sorted(), removed: room.removed.sorted(), layout: layout.choice?.text)
  }

  /// Returns what has happened since the last call.
  mutating func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  // MARK: What happens

  /// Notes what the reader of a guest reports.
  mutating func note(_ report: GuestReport, of name: String, at now: MediaTime) {
    guard requests.contains(where: { $0.name == name }) else { return }
    var line = line(of: name)
    var arrival: GuestArrival?
    switch report {
    case .connecting:
      line = Line(hasBegun: true)
      arrival = .dropped
    case .online(let tracks):
      (line.tracks, line.stalledSince, line.offline) = (tracks, nil, nil)
      if line.hasBegun, !line.told.isEmpty {
        line.told = []
        news.append(.back(name))
      }
    case .pictureStalled: line.stalledSince = now - GuestTable.stallNanos
    case .pictureBack: line.stalledSince = nil
    case .offline(let offline):
      // That the line of a guest who was there is lost is told by what follows from it.
      let isToldAnyway = offline.fault == .lost && line.tracks != nil || offline.fault == .replaced
      (line.tracks, line.stalledSince, line.offline) = (nil, nil, offline)
      if let fault = offline.fault, !isToldAnyway, line.told.insert(fault).inserted {
        news.append(.failed(name, offline))
      }
      arrival =
        switch offline.fault {
        case nil: .quit
        case .replaced: .replaced
        default: .dropped
        }
    }
    arrival =
      arrival
      ?? line.tracks.map { .online(ArrivingTracks($0, stalledSince: line.stalledSince)) }
    lines[name] = line
    if let arrival, line.hasBegun { add(room.note(arrival, of: name, at: now)) }
    settle(at: now)
  }

  /// Lets time pass.
  mutating func advance(to now: MediaTime) {
    add(room.advance(to: now))
    settle(at: now)
  }

  mutating func follow(_ settings: Settings, at now: MediaTime) {
    self.settings = settings
    let rules = GuestRules(settings)
    add(room.follow(rules, at: now))
    layout.follow(rules)
    settle(at: now)
  }

  mutating func endBroadcast(at now: MediaTime) {
    add(room.endBroadcast(at: now))
    layout.endBroadcast()
    settle(at: now)
  }

  // MARK: What a person or a program asks for

  /// - Returns: whether that has changed anything.
  mutating func perform(
    _ action: GuestAction, _ name: String, by origin: String, at now: MediaTime
  ) throws(GuestRefusal) -> Bool {
    let before = (room.isAdmitted(name), room.hidden, room.removed)
    switch action {
    case .admit:
      let events = try room.admit(name, at: now)
      if !before.0 { news.append(.admitted(name, by: origin)) }
      add(events)
    case .hide: add(try room.hide(name, at: now))
    case .remove:
      let events = try room.remove(name, at: now)
      if !before.2.contains(name) { news.append(.removed(name, by: origin)) }
      add(events)
    case .allow: try room.allow(name, at: now)
    }
    settle(at: now)
    return before != (room.isAdmitted(name), room.hidden, room.removed)
  }

  /// Changes the choice of the layout, by a person or a program.
  mutating func arrange<Answer>(
    at now: MediaTime, _ change: (inout LayoutChoice) throws(GuestRefusal) -> Answer
  ) throws(GuestRefusal) -> Answer {
    defer { settle(at: now) }
    return try change(&layout)
  }

  // MARK: What follows

  private mutating func add(_ events: [GuestEvent]) {
    news += events.map { .guest($0) }
  }

  /// Follows a change of the guests or the layout.
  private mutating func settle(at now: MediaTime) {
    shown = room.shown(at: now)
    layout.update(shown)
    followRequests()
    for (name, state) in room.states {
      switch state {
      case .waiting, .onAir, .lost: if arrivals[name] == nil { arrivals[name] = now }
      case .disabled, .connecting, .removed: arrivals[name] = nil
      }
    }
    arrivals = arrivals.filter { room.state(of: $0.key) != nil }
    let present = programme.text
    if present != toldLayout {
      toldLayout = present
      news.append(.layout(present, layout.origin))
    }
  }

  /// Has all guests read who may come. A guest whose request has changed is read anew.
  private mutating func followRequests() {
    let before = requests
    requests = settings.guests.compactMap { guest in
      room.state(of: guest.name) == .removed
        ? nil : GuestRequest(guest, at: settings.allGuests.listen)
    }
    guard requests != before else { return }
    let kept = Set(requests.filter(before.contains).map(\.name))
    lines = lines.filter { kept.contains($0.key) }
  }

  /// What viewers get, as long as they get live video and audio.
  var programme: LayoutChoice.Programme { layout.programme(shown) }
}

extension LayoutChoice.Programme {
  /// The layout as programs read it: "bypass" for the host alone.
  var text: String {
    switch self {
    case .bypass(.host): "bypass"
    case .bypass(.guest(let name)): GuestLayout.guest(name).text
    case .mix(let layout): layout.text
    }
  }
}
