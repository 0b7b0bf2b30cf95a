// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

public import Base

/// Decides which guests are on air: the waiting room. README.md in this folder has the rules as a table.
///
/// Reads no clock and does no I/O: the time is passed in, and must not go back. Each call returns what has happened.
public struct GuestRoom: Sendable {
  /// Time without a picture after which a guest's card is shown in place of his last picture.
  public static let cardNanos = Int64.seconds(2)

  public enum State: Equatable, Sendable {
    /// The settings have switched him off.
    case disabled
    /// He is not there, and may come.
    case connecting
    /// He is there, and is not admitted.
    case waiting
    /// He is part of the programme, whether or not there is a broadcast.
    case onAir
    /// He is on air, but nothing of him has come since then.
    case lost(since: MediaTime)
    /// A person has removed him. He does not come back until he is allowed to.
    case removed
  }

  /// What the settings say.
  public private(set) var rules: GuestRules
  /// The guests of the settings.
  private var guests: [ListedGuest] = []
  /// The names of the guests who are admitted, whether or not they are there, in the order of their admission.
  public private(set) var admitted: [String] = []

  /// - Parameters:
  ///   - admitted: the guests who were admitted before a restart of the program, in their order.
  ///   - hidden: the guests who were hidden before it.
  ///   - removed: the guests who were removed before it.
  public init(
    _ rules: GuestRules, admitted: [String] = [], hidden: Set<String> = [],
    removed: Set<String> = [], at now: MediaTime
  ) {
    self.rules = rules
    guests = rules.guests.map { rule in
      var guest = ListedGuest(rule: rule, isRemoved: removed.contains(rule.name), at: now)
      guest.isHidden = hidden.contains(rule.name)
      return guest
    }
    for name in admitted where self.admitted.count < rules.most && !self.admitted.contains(name) {
      let guest = guests.first { $0.rule.name == name }
      if let guest, guest.rule.isEnabled, !guest.isRemoved { self.admitted.append(name) }
    }
  }

  // MARK: What is shown

  /// A guest who has a pane in the programme.
  public struct Shown: Equatable, Sendable {
    public var name: String
    /// Whether a card with his name takes the place of his picture.
    public var isCard: Bool
    /// Whether he is heard where the layout lets him be heard.
    public var hasSound: Bool
    /// How his picture is fitted into a pane.
    public var fit: Fit
    /// Whether his picture is higher than wide.
    public var isPortrait: Bool

    public init(
      _ name: String, isCard: Bool = false, hasSound: Bool = true, fit: Fit = .fill,
      isPortrait: Bool = false
    ) {
      (self.name, self.isCard, self.hasSound) = (name, isCard, hasSound)
      (self.fit, self.isPortrait) = (fit, isPortrait)
    }
  }

  /// The state of each guest, in the order of the settings.
  public var states: [(name: String, state: State)] {
    guests.map { ($0.rule.name, state(of: $0)) }
  }

  /// The state of a guest; `nil` for one that the settings do not have.
  public func state(of name: String) -> State? {
    guests.first { $0.rule.name == name }.map(state)
  }

  /// Whether a guest is admitted. One who is not there yet may be.
  public func isAdmitted(_ name: String) -> Bool { admitted.contains(name) }

  /// The guests that are removed. They have to be handed in after a restart of the program.
  public var removed: Set<String> { Set(guests.filter(\.isRemoved).map(\.rule.name)) }

  /// The guests who are hidden. They have to be handed in after a restart of the program.
  public var hidden: Set<String> { Set(guests.filter(\.isHidden).map(\.rule.name)) }

  /// The guests who have a pane, in the order in which they were admitted.
  public func shown(at now: MediaTime) -> [Shown] {
    admitted.compactMap { name in
      guard let guest = guests.first(where: { $0.rule.name == name }), let visit = guest.visit,
        !guest.takenTracks.isEmpty
      else { return nil }
      let isCard =
        switch visit.tracks.picture {
        case _ where !guest.rule.takesPicture: true
        case .none: true
        case .arriving: false
        case .stalled(let since): now - since >= GuestRoom.cardNanos
        }
      return Shown(
        name, isCard: isCard, hasSound: guest.rule.takesSound && visit.tracks.sound != .none,
        fit: guest.rule.fit, isPortrait: visit.tracks.isPortrait)
    }
  }

  private func state(of guest: ListedGuest) -> State {
    if !guest.rule.isEnabled { return .disabled }
    if guest.isRemoved { return .removed }
    if guest.visit == nil { return .connecting }
    if !isAdmitted(guest.rule.name) { return .waiting }
    return guest.lostSince.map { .lost(since: $0) } ?? .onAir
  }

  // MARK: What happens

  /// Notes what a guest's reader reports. Reports about a guest who may not come are ignored.
  public mutating func note(
    _ report: GuestArrival, of name: String, at now: MediaTime
  ) -> [GuestEvent] {
    var events = dismissLost(now)
    guard let index = index(of: name), guests[index].rule.isEnabled, !guests[index].isRemoved else {
      return events + admitWaiting(now)
    }
    switch report {
    case .online(let tracks): events += come(index, tracks, now)
    case .quit: if guests[index].visit != nil { events += leave(index, .quit, now) }
    case .dropped: events += drop(index, now)
    case .replaced: events += replace(index, now)
    }
    events += dismissLost(now)
    return events + admitWaiting(now)
  }

  /// Lets time pass. To be called a few times a second.
  public mutating func advance(to now: MediaTime) -> [GuestEvent] {
    dismissLost(now) + admitWaiting(now)
  }

  /// Follows changed settings.
  public mutating func follow(_ rules: GuestRules, at now: MediaTime) -> [GuestEvent] {
    var events = dismissLost(now)
    for (index, guest) in guests.enumerated() {
      let rule = rules.guests.first { $0.name == guest.rule.name }
      if rule?.isEnabled != true || rule?.line != guest.rule.line {
        events += leave(index, .removed, now)
      }
    }
    let old = guests
    guests = rules.guests.map { rule in
      guard var guest = old.first(where: { $0.rule.name == rule.name }) else {
        return ListedGuest(rule: rule, at: now)
      }
      let takes = (guest.rule.takesPicture, guest.rule.takesSound)
      if takes != (rule.takesPicture, rule.takesSound) { guest.lostFrom = now }
      if !guest.rule.isEnabled { guest.connectingSince = now }
      guest.rule = rule
      return guest
    }
    self.rules = rules
    return events + dismissLost(now) + admitWaiting(now)
  }

  /// Notes that the broadcast has ended: who was admitted by a person is not in the next one.
  public mutating func endBroadcast(at now: MediaTime) -> [GuestEvent] {
    var events = dismissLost(now)
    for name in admitted {
      guard let index = index(of: name), !guests[index].rule.isAdmittedByItself else { continue }
      events += takeOffAir(index, now)
    }
    return events + admitWaiting(now)
  }

  // MARK: What a person asks for

  /// Puts a guest on air, at once or as soon as he is there.
  public mutating func admit(
    _ name: String, at now: MediaTime
  ) throws(GuestRefusal) -> [GuestEvent] {
    let index = try find(name)
    guard guests[index].rule.isEnabled else { throw .disabled(name) }
    guard !guests[index].isRemoved else { throw .removed(name) }
    guard !isAdmitted(name) else { return [] }
    guard admitted.count < rules.most else { throw .full(most: rules.most) }
    return putOnAir(index, now)
  }

  /// Takes a guest off the air, back to the waiting room. He is not admitted by himself before a person admits him.
  public mutating func hide(
    _ name: String, at now: MediaTime
  ) throws(GuestRefusal) -> [GuestEvent] {
    let index = try find(name)
    guests[index].isHidden = true
    let events = isAdmitted(name) ? takeOffAir(index, now) : []
    return events + admitWaiting(now)
  }

  /// Removes a guest. He is gone at once, and does not come back until he is allowed to.
  public mutating func remove(
    _ name: String, at now: MediaTime
  ) throws(GuestRefusal) -> [GuestEvent] {
    let index = try find(name)
    let events = leave(index, .removed, now)
    (guests[index].isRemoved, guests[index].isHidden) = (true, false)
    return events + admitWaiting(now)
  }

  /// Lets a guest who was removed come back, to the waiting room.
  public mutating func allow(_ name: String, at now: MediaTime) throws(GuestRefusal) {
    let index = try find(name)
    guard guests[index].isRemoved else { return }
    (guests[index].isRemoved, guests[index].connectingSince) = (false, now)
  }

  private func index(of name: String) -> Int? { guests.firstIndex { $0.rule.name == name } }

  private func find(_ name: String) throws(GuestRefusal) -> Int {
    guard let index = index(of: name) else { throw .noGuest(name) }
    return index
  }

  // MARK: The rules

  /// Begins the visit of a guest as soon as anything of him arrives, or notes his tracks in a visit.
  private mutating func come(
    _ index: Int, _ tracks: ArrivingTracks, _ now: MediaTime
  ) -> [GuestEvent] {
    let guest = guests[index]
    var visit = guest.visit ?? GuestVisit(since: now, tracks: tracks)
    guard tracks.isArriving || visit.isAnnounced && visit.droppedAt == nil else { return [] }
    (visit.tracks, visit.droppedAt) = (tracks, nil)
    guard !visit.isAnnounced else {
      guests[index].visit = visit
      return announceTracks(index, now)
    }
    (visit.since, visit.isAnnounced) = (now, true)
    guests[index].visit = visit
    let name = guest.rule.name
    guests[index].lostFrom = now
    if guests[index].isAdmittedWhenThere, !isAdmitted(name), admitted.count < rules.most {
      admitted.append(name)
    }
    let kind: GuestEvent.Kind = isAdmitted(name) ? .online : .waiting
    return [GuestEvent(name, kind, elapsedNanos: now - guest.connectingSince)]
      + announceTracks(index, now)
  }

  /// Notes that a connection has broken. A guest on air keeps his place for a while.
  private mutating func drop(_ index: Int, _ now: MediaTime) -> [GuestEvent] {
    guard let visit = guests[index].visit else { return [] }
    guard isAdmitted(guests[index].rule.name) else { return leave(index, .dropped, now) }
    guests[index].visit?.tracks = visit.tracks.stalled(since: now)
    guests[index].visit?.droppedAt = visit.droppedAt ?? now
    return announceTracks(index, now)
  }

  /// Notes that a second connection takes the place of a guest's. The same key is the same guest: on air he keeps his
  /// place and his last picture, as one who was lost.
  private mutating func replace(_ index: Int, _ now: MediaTime) -> [GuestEvent] {
    guard let visit = guests[index].visit else { return [] }
    let before = admitted
    let events = leave(index, .replaced, now)
    if before.contains(guests[index].rule.name) {
      admitted = before
      guests[index].visit = GuestVisit(
        since: now, tracks: visit.tracks.stalled(since: now), droppedAt: visit.droppedAt ?? now)
    }
    return events
  }

  /// Ends the visit of a guest, and his admission.
  private mutating func leave(
    _ index: Int, _ cause: GuestEvent.Cause, _ now: MediaTime
  ) -> [GuestEvent] {
    let guest = guests[index]
    admitted.removeAll { $0 == guest.rule.name }
    guard let visit = guest.visit else { return [] }
    (guests[index].visit, guests[index].connectingSince) = (nil, now)
    guard visit.isAnnounced else { return [] }
    let until = guest.lostSince ?? now
    return [GuestEvent(guest.rule.name, .offline(cause), elapsedNanos: max(0, until - visit.since))]
  }

  private mutating func putOnAir(_ index: Int, _ now: MediaTime) -> [GuestEvent] {
    let guest = guests[index]
    admitted.append(guest.rule.name)
    (guests[index].isHidden, guests[index].lostFrom) = (false, now)
    guard let visit = guest.visit else { return [] }
    return [GuestEvent(guest.rule.name, .online, elapsedNanos: now - visit.since)]
  }

  /// Ends the admission of a guest. One whose connection has broken is gone.
  private mutating func takeOffAir(_ index: Int, _ now: MediaTime) -> [GuestEvent] {
    let name = guests[index].rule.name
    guard let visit = guests[index].visit, visit.droppedAt == nil else {
      return leave(index, .dropped, now)
    }
    admitted.removeAll { $0 == name }
    return [GuestEvent(name, .waiting, elapsedNanos: now - visit.since)]
  }

  /// Takes the guests off the air who have been lost for too long. They have to be admitted anew.
  private mutating func dismissLost(_ now: MediaTime) -> [GuestEvent] {
    var events: [GuestEvent] = []
    for (index, guest) in guests.enumerated() where isAdmitted(guest.rule.name) {
      guard let since = guest.lostSince, now - since >= .seconds(Int64(rules.lostSeconds)) else {
        continue
      }
      events += leave(index, .dropped, now)
    }
    return events
  }

  /// Admits the guests who are admitted by themselves and have waited for a place, the first who came first.
  private mutating func admitWaiting(_ now: MediaTime) -> [GuestEvent] {
    let queue = guests.indices
      .filter { guests[$0].isAdmittedWhenThere && !isAdmitted(guests[$0].rule.name) }
      .sorted { (guests[$0].cameAt, $0) < (guests[$1].cameAt, $1) }
    var events: [GuestEvent] = []
    for index in queue.prefix(max(0, rules.most - admitted.count)) {
      events += putOnAir(index, now)
    }
    return events
  }

  /// Tells which tracks arrive, if that has changed.
  private mutating func announceTracks(_ index: Int, _ now: MediaTime) -> [GuestEvent] {
    guard let visit = guests[index].visit else { return [] }
    let tracks = (
      picture: visit.tracks.picture == .arriving, sound: visit.tracks.sound == .arriving
    )
    guard tracks != visit.announcedTracks else { return [] }
    guests[index].visit?.announcedTracks = tracks
    return [
      GuestEvent(
        guests[index].rule.name, .tracks(picture: tracks.picture, sound: tracks.sound),
        elapsedNanos: now - visit.since)
    ]
  }
}
