// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Capture
internal import Synchronization

/// The guests that are read, whether they are in the programme or not.
final class GuestLines: Sendable {
  /// A guest that is read.
  private struct Read: Sendable {
    let request: GuestRequest
    let line: GuestLine
  }

  private struct State {
    /// Keyed by the guest's name.
    var guests: [String: Read] = [:]
    /// Lines that have been asked to stop, and whose threads may still run.
    var leaving: [GuestLine] = []
    /// Where guests arrive who send; `nil` while nobody can.
    var door: (place: GuestSender.Place, door: GuestDoor)?
    /// The door before that one, whose thread may still run.
    var closing: GuestDoor?
  }

  private let clock: MediaClock
  private let refusal: @Sendable (String) -> Void
  private let report: @Sendable (String, GuestReport) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - refusal: receives a sentence about somebody who wanted to send and was refused, on any thread.
  ///   - report: receives the reports of each guest with his name, on any thread.
  init(
    clock: MediaClock = .system, refusal: @escaping @Sendable (String) -> Void = { _ in },
    report: @escaping @Sendable (String, GuestReport) -> Void = { _, _ in }
  ) {
    (self.clock, self.refusal, self.report) = (clock, refusal, report)
  }

  /// The line of the guest with this name; `nil` if he is not read.
  subscript(_ name: String) -> GuestLine? { state.withLock { $0.guests[name]?.line } }

  /// Reads these guests, each with a name of his own, and no others. A guest whose request has changed is read anew.
  func follow(_ requests: [GuestRequest]) {
    let new = state.withLock { state in
      let before = state.guests
      var new: [GuestLine] = []
      state.guests = requests.reduce(into: [:]) { guests, request in
        if let old = before[request.name], old.request == request {
          guests[request.name] = old
        } else {
          let line = GuestLine(request, clock: clock) { [report] in report(request.name, $0) }
          guests[request.name] = Read(request: request, line: line)
          new.append(line)
        }
      }
      for (name, old) in before where state.guests[name]?.line !== old.line {
        old.line.requestStop()
        state.leaving.append(old.line)
      }
      state.leaving.removeAll { $0.stop(by: .now()) }
      return new
    }
    for line in new { line.start() }
    followSenders(requests.lazy.compactMap { $0.sender?.place }.first)
  }

  /// Opens the door while there are guests who send, and closes it after the last one.
  private func followSenders(_ place: GuestSender.Place?) {
    let new = state.withLock { state in
      guard state.door?.place != place else {
        state.door?.door.wake()
        return nil as GuestDoor?
      }
      state.door?.door.requestStop()
      state.closing = state.door?.door ?? state.closing
      state.door = place.map { place in
        let door = GuestDoor(
          at: place, clock: clock,
          lines: { [weak self] in self?.state.withLock { $0.guests.values.map(\.line) } ?? [] },
          report: refusal)
        return (place, door)
      }
      return state.door?.door
    }
    new?.start()
  }

  /// Says what is used of each guest.
  /// - Parameter wants: receives the guest's name.
  func want(_ wants: (String) -> GuestWants) {
    for (name, guest) in state.withLock({ $0.guests }) { guest.line.want(wants(name)) }
  }

  /// Reads no guest any more, and waits until all readers have ended.
  /// - Parameter deadline: on the system clock.
  /// - Returns: `false` if one was still running at `deadline`.
  func stop(by deadline: MediaTime) -> Bool {
    follow([])
    let (leaving, closing) = state.withLock { ($0.leaving, $0.closing) }
    let haveEnded = leaving.reduce(true) { $1.stop(by: deadline) && $0 }
    return (closing?.stop(by: deadline) ?? true) && haveEnded
  }
}
