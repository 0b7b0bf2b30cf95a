// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Director
internal import Events
internal import Figures
internal import Glibc
internal import Guests
package import Media
internal import Settings
internal import Studio
internal import Synchronization

// The guests, for the command line, HTTP and the buttons.

/// What a person may do with a guest.
public enum GuestAction: String, Sendable, CaseIterable {
  case admit, hide, remove, allow
}

extension Station {
  /// Makes the studio, the disk and the events follow the guests. Called by `supervise`, and after each command.
  func followGuests() {
    let (audience, lacksCamera) = state.withLock { state in
      let director = state.director
      let audience: GuestTable.Audience =
        switch director.intent.broadcast {
        case .paused: .paused
        case .live: .live
        case .off: state.isOnAir ? .live : .nobody
        }
      return (audience, director.plan.lacksCamera(director.conditions))
    }
    guestDesk.present(audience, lacksCamera: lacksCamera, in: guestStage)
  }

  /// The guests, and the layout.
  /// - Parameter mayView: whether the caller may see and hear guests whom viewers do not get.
  package func guests(mayView: Bool) -> GuestsReply {
    let table = guestDesk.table
    let (now, wallClock) = (clock.now, events.wallClock.milliseconds)
    var reply = GuestsReply(table) { WallClock.text(wallClock - (now - $0) / 1_000_000) }
    for index in reply.guests.indices {
      let name = reply.guests[index].name
      guard mayView, let line = studio.line(ofGuest: name) else { continue }
      reply.guests[index].hasPicture = line.picture != nil
      if reply.guests[index].tracks?.audio != nil {
        reply.guests[index].levelDb = LoudnessLevels.rounded(
          max(-100, 20 * log10(Double(line.level))))
      }
    }
    return reply
  }

  /// A copy of the newest frame of a guest; `nil` if there is none.
  package func guestPicture(_ name: String) -> Frame? {
    studio.line(ofGuest: name)?.copyPicture()
  }

  /// Admits, hides, removes or allows a guest. When this method returns, a guest who was hidden or removed is in no
  /// further frame.
  package func guest(
    _ action: GuestAction, _ name: String, by origin: String
  ) -> ControlReply {
    do throws(GuestRefusal) {
      let changed = try guestDesk.perform(action, name, by: origin)
      followGuests()
      if changed, action == .hide || action == .allow {
        events.note(.notice, "The guest \(name) was \(action.past) \(origin).")
      }
      return ControlReply(changed: changed, sentence(action, name, changed))
    } catch {
      return ControlReply(error)
    }
  }

  private func sentence(_ action: GuestAction, _ name: String, _ changed: Bool) -> String {
    let isThere = guestDesk.table.arrivals[name] != nil
    let isOnAir = state.withLock { $0.director.intent.broadcast != .off }
    return switch action {
    case .admit where !isThere: "The guest \(name) is on air as soon as he is there."
    case .admit where !isOnAir: "The guest \(name) is in the next broadcast from its beginning."
    case .admit: "The guest \(name) is on air."
    case .hide: "The guest \(name) is not on air."
    case .remove: "The guest \(name) is removed, until he is allowed to come back."
    case .allow where changed: "The guest \(name) may come back."
    case .allow: "The guest \(name) was not removed."
    }
  }

  // MARK: The layout

  /// Chooses a layout by hand.
  /// - Parameter layout: `nil` to give the choice back.
  package func choose(layout: String?, by origin: String) -> ControlReply {
    arrange(origin) { (choice) throws(GuestRefusal) in
      let before = choice.choice
      if let layout { try choice.choose(GuestLayout(layout)) } else { choice.giveBack() }
      return choice.choice != before
    }
  }

  /// Chooses the next layout, as a button does.
  /// - Returns: `false` if no guest is on air.
  package func switchLayout() -> Bool {
    defer { followGuests() }
    return (try? guestDesk.arrange { $0.chooseNext() }) ?? false
  }

  /// The task of a program; `nil` if there is none.
  package var mix: GuestsReply.Mix? { guestDesk.table.layout.task.map(GuestsReply.Mix.init) }

  /// Begins a task.
  /// - Parameters:
  ///   - mode: "bypass" or "mix".
  ///   - source: "host" or "guest:NAME".
  ///   - layout: `nil` for that of the settings.
  package func beginMix(
    _ id: String, mode: String, source: String?, layout: String?, by origin: String
  ) -> ControlReply {
    guard let mode = MixTask.Mode(rawValue: mode), let source = PaneSource(source ?? "host") else {
      return .unfitMix
    }
    let task = MixTask(id, mode, source: source, layout: layout.map { GuestLayout($0) })
    return arrange(origin) { (choice) throws(GuestRefusal) in
      try choice.begin(task)
      return true
    }
  }

  /// Changes a task. What is `nil` stays as it is.
  package func changeMix(
    _ id: String, mode: String?, source: String?, layout: String?, by origin: String
  ) -> ControlReply {
    let newMode = mode.map(MixTask.Mode.init)
    let newSource = source.map { PaneSource($0) }
    guard newMode != .some(nil), newSource != .some(nil) else { return .unfitMix }
    return arrange(origin) { (choice) throws(GuestRefusal) in
      let before = choice.task
      try choice.change(
        id, mode: newMode ?? nil, source: newSource ?? nil, layout: layout.map { GuestLayout($0) })
      return choice.task != before
    }
  }

  package func endMix(_ id: String, by origin: String) -> ControlReply {
    arrange(origin) { (choice) throws(GuestRefusal) in
      try choice.end(id)
      return true
    }
  }

  /// Changes the choice of the layout.
  /// - Parameter change: returns whether anything has changed.
  private func arrange(
    _ origin: String, _ change: (inout LayoutChoice) throws(GuestRefusal) -> Bool
  ) -> ControlReply {
    do throws(GuestRefusal) {
      let changed = try guestDesk.arrange(change)
      followGuests()
      let table = guestDesk.table
      if changed { events.note(.notice, "The layout was chosen \(origin).") }
      let wanted = table.layout.choice?.text
      let shown = GuestsReply(table) { _ in "" }.layout.words
      let waits = wanted.map { table.shown.isEmpty && $0 != table.programme.text } ?? false
      return ControlReply(
        changed: changed,
        waits
          ? "The layout \(wanted ?? "") is shown once a guest is on air." : "Viewers see \(shown).")
    } catch {
      return ControlReply(error)
    }
  }
}

extension ControlReply {
  fileprivate static let unfitMix = ControlReply(
    fault: "unfit_mix",
    "mode is \"bypass\" or \"mix\", and source is \"host\" or \"guest:NAME\".")
}

extension GuestAction {
  /// The action in the past tense, for the log.
  fileprivate var past: String {
    switch self {
    case .admit: "let in"
    case .hide: "taken off the air"
    case .remove: "removed"
    case .allow: "allowed to come back"
    }
  }
}
