// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
package import Capture
internal import Events
internal import Guests
internal import Posix
internal import Settings
package import Studio
internal import Synchronization

/// What the desk needs of a studio: it reads the guests, and shows them.
package protocol GuestStage: Sendable {
  func read(guests: [GuestRequest])
  func show(guests: GuestScene)
}

extension Studio: GuestStage {}

/// Keeps the guests: takes the reports of their readers and what people ask for, and makes the studio read and show them.
final class GuestDesk: SettingsFollower {
  /// What the studio, the disk and the events have got.
  private struct Presented {
    var requests: [GuestRequest] = []
    var scene = GuestScene()
    var kept: KeptGuests
  }

  private let events: EventLog
  private let jobs: JobThread
  private let directory: String
  private let state: Mutex<GuestTable>
  /// Held while the studio is told, so that it is told in the order of the changes.
  private let presented: Mutex<Presented>

  /// - Parameter goesOn: whether this run of the program goes on with a broadcast of the last run.
  init(
    _ settings: Settings, goesOn: Bool, directory: String, events: EventLog, jobs: JobThread
  ) {
    (self.directory, self.events, self.jobs) = (directory, events, jobs)
    let kept = KeptGuests.saved(
      in: directory, guests: settings.guests.map(\.name), events: events)
    state = Mutex(GuestTable(settings, kept: kept, goesOn: goesOn, at: events.clock.now))
    presented = Mutex(Presented(kept: kept))
  }

  /// A copy of the guests at this moment.
  var table: GuestTable { state.withLock { $0 } }

  /// Notes what the reader of a guest reports. `present` follows.
  func note(_ report: GuestReport, of name: String) {
    state.withLock { $0.note(report, of: name, at: events.clock.now) }
  }

  func change(_ settings: Settings) {
    state.withLock { $0.follow(settings, at: events.clock.now) }
  }

  /// Notes that a broadcast has ended.
  func endBroadcast() {
    state.withLock { $0.endBroadcast(at: events.clock.now) }
  }

  /// Admits, hides, removes or allows a guest. `present` has to follow.
  /// - Returns: whether that has changed anything.
  func perform(
    _ action: GuestAction, _ name: String, by origin: String
  ) throws(GuestRefusal) -> Bool {
    try state.withLock { state in
      Result { () throws(GuestRefusal) in
        try state.perform(action, name, by: origin, at: events.clock.now)
      }
    }.get()
  }

  /// Changes the choice of the layout. `present` has to follow.
  func arrange<Answer: Sendable>(
    _ change: (inout LayoutChoice) throws(GuestRefusal) -> Answer
  ) throws(GuestRefusal) -> Answer {
    try state.withLock { state in
      Result { () throws(GuestRefusal) in try state.arrange(at: events.clock.now, change) }
    }.get()
  }

  /// Lets time pass, and makes the studio, the disk and the events follow.
  func present(
    _ audience: GuestTable.Audience, lacksCamera: Bool = false, in stage: any GuestStage
  ) {
    presented.withLock { presented in
      let (table, news) = state.withLock { state in
        state.advance(to: events.clock.now)
        let news = state.takeNews()
        return (state, news)
      }
      // First what takes somebody from the picture.
      let scene = table.scene(for: audience, lacksCamera: lacksCamera)
      if scene != presented.scene {
        presented.scene = scene
        stage.show(guests: scene)
      }
      if table.requests != presented.requests {
        presented.requests = table.requests
        stage.read(guests: table.requests)
      }
      for one in news { events.report(one, table) }
      let kept = table.kept
      if kept != presented.kept, save(kept) { presented.kept = kept }
    }
  }

  /// Saves what has to survive a power cut, without waiting for the disk.
  /// - Returns: `false` if too much waits for the disk; it has to be tried again.
  private func save(_ kept: KeptGuests) -> Bool {
    jobs.submit { [events, directory] in
      do throws(SystemError) {
        try kept.save(in: directory)
      } catch {
        events.note(
          .warning,
          "Who is let in among the guests cannot be saved in \(directory) (\(error)): after a power cut it is as it was "
            + "before.")
      }
    }
  }
}
