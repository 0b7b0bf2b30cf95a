// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base
internal import Director
internal import Figures
internal import Publish
internal import Studio
internal import Synchronization

// The test of the connection to the server of the settings, off air.

extension Station {
  /// How long, in nanoseconds, the start of a broadcast waits for an uplink test to close its stream at the server.
  private static let uplinkTimeoutNanos = Int64.milliseconds(600)

  /// The state or the result of the last uplink test.
  package var uplink: Uplink { state.withLock { $0.uplink }.map { Uplink($0.state) } ?? .none }

  /// Starts an uplink test, which needs the box off air.
  /// - Throws: `.refused(.onAir)`, `.uplinkTestRuns` or `.noDestination`.
  @discardableResult
  package func testUplink(by origin: String) throws(StationError) -> Uplink {
    let made = state.withLock { state in
      Result { () throws(StationError) in
        guard state.director.intent.broadcast == .off, !state.isOnAir else {
          throw .refused(.onAir)
        }
        if state.uplink?.isRunning ?? false { throw .uplinkTestRuns }
        let test = UplinkTest(
          settings: state.settings, target: try state.main.get().target,
          encoder: "OnAir \(Version.current)", clock: clock
        ) { [events] result in
          events.note(.notice, "Uplink test: \(Uplink(result).sentence ?? "")")
        }
        state.uplink = test
        return test
      }
    }
    let test = try made.get()
    events.note(.notice, "An uplink test to \(test.target.host) begins \(origin).")
    test.start()
    return uplink
  }

  /// Ends an uplink test that still runs, so that the server accepts the stream of a broadcast.
  /// - Parameter deadline: `nil` stands for `uplinkTimeoutNanos` from now on.
  /// - Returns: `false` if the test had not ended by `deadline`.
  @discardableResult
  func endUplinkTest(by deadline: MediaTime? = nil) -> Bool {
    guard let test = state.withLock({ $0.uplink }), test.isRunning else { return true }
    return test.stop(by: deadline ?? .now() + Station.uplinkTimeoutNanos)
  }
}
