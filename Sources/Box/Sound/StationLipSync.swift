// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Director
internal import Events
internal import Settings
internal import Studio
internal import Synchronization
package import Video

// The measurement of by how much picture and sound are apart.

extension Station {
  /// The state or the result of the last measurement.
  package var lipSync: LipSync {
    let (test, panel) = state.withLock { ($0.lipSync, $0.settings.panel) }
    return test.map {
      LipSync($0.state, hasBeats: panel.hasBeats, isByPhone: $0.isByPhone)
    } ?? .none
  }

  /// Starts a measurement, on the air or off.
  /// - Parameters:
  ///   - area: the part of the picture in which the flashes are; `nil` for the half in the middle.
  ///   - isByPhone: whether a phone flashes and beeps, which shows only whether both are far apart.
  /// - Throws: `.lipSyncRuns`.
  @discardableResult
  package func measureLipSync(
    in area: LumaArea? = nil, isByPhone: Bool = false, by origin: String
  ) throws(StationError) -> LipSync {
    let hasBeats = state.withLock { $0.settings.panel.hasBeats }
    let test = LipSyncTest(
      studio, area: area ?? LipSyncTest.middle, isByPhone: isByPhone, clock: clock
    ) { [events] result in
      let reply = LipSync(result, hasBeats: hasBeats, isByPhone: isByPhone)
      events.note(.notice, "Lip sync: \(reply.sentence ?? "")")
    }
    let isFree = state.withLock { state in
      guard !(state.lipSync?.isRunning ?? false) else { return false }
      state.lipSync = test
      return true
    }
    guard isFree else { throw .lipSyncRuns }
    events.note(.notice, "A lip-sync measurement begins \(origin).")
    test.start()
    return lipSync
  }

  /// Whether lamp and buzzer are on for a measurement, and until when; `nil` while none runs.
  package func lipSyncBeat(at now: MediaTime) -> (isOn: Bool, until: MediaTime)? {
    state.withLock { $0.lipSync }?.beat(at: now)
  }

  /// Ends a measurement that still runs.
  /// - Returns: `false` if it had not ended by `deadline`.
  func endLipSyncTest(by deadline: MediaTime) -> Bool {
    guard let test = state.withLock({ $0.lipSync }), test.isRunning else { return true }
    return test.stop(by: deadline)
  }
}
