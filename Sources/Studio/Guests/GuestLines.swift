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
  }

  private let clock: MediaClock
  private let report: @Sendable (String, GuestReport) -> Void
  private let state = Mutex(State())

  /// - Parameter report: receives the reports of each guest with his name, on any thread.
  init(
    clock: MediaClock = .system,
    report: @escaping @Sendable (String, GuestReport) -> Void = { _, _ in }
  ) {
    (self.clock, self.report) = (clock, report)
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
    let leaving = state.withLock { $0.leaving }
    return leaving.reduce(true) { $1.stop(by: deadline) && $0 }
  }
}
