// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Synchronization

/// Gives the status to all clients that listen for changes of it, and builds it only once for requests at about the
/// same time. Reads no clock and does no I/O: the time is passed in.
package final class StatusFeed: Sendable {
  /// A status with its number.
  package struct Edition {
    /// Increases by 1 with each change of the status, except for changes of counters and ages alone.
    package var number: Int
    package var status: Status
  }

  package init() {}

  /// The time for which a status is reused, in nanoseconds: a little less than a client's time between requests.
  private static let freshNanos = Int64.milliseconds(90)

  /// The newest status, and when it was built; `nil` before the first.
  private let newest = Mutex<(edition: Edition, at: MediaTime)?>(nil)

  /// Returns the newest status, which is built now if the last one is too old.
  package func newest(_ now: MediaTime, build: () -> Status) -> Edition {
    newest.withLock { newest in
      if let newest, now - newest.at < StatusFeed.freshNanos { return newest.edition }
      return StatusFeed.renew(&newest, now, build())
    }
  }

  /// Returns the status as it is now. Whoever listens gets no older one after it.
  package func present(_ now: MediaTime, build: () -> Status) -> Status {
    newest.withLock { StatusFeed.renew(&$0, now, build()).status }
  }

  private static func renew(
    _ newest: inout (edition: Edition, at: MediaTime)?, _ now: MediaTime, _ status: Status
  ) -> Edition {
    let isSame =
      newest.map { $0.edition.status.withoutCounters == status.withoutCounters } ?? false
    let number = newest?.edition.number ?? 0
    let edition = Edition(number: isSame ? number : number + 1, status: status)
    newest = (edition, now)
    return edition
  }
}

extension Status {
  /// This status without counters and ages, to find out whether anything else has changed.
  fileprivate var withoutCounters: Status {
    var status = self
    status.onAirSeconds = status.onAirSeconds.map { _ in 0 }
    status.deliveredSeconds = status.deliveredSeconds.map { _ in 0 }
    status.encode = nil
    status.driftPpm = nil
    status.watched?.since = ""
    status.record?.forgetCounters()
    for index in status.destinations.indices {
      status.destinations[index].deliveredMsAgo = nil
      status.destinations[index].sentBytes = 0
      status.destinations[index].outageSeconds = 0
    }
    for index in status.troubles.indices {
      status.troubles[index].since = ""
      status.troubles[index].sinceSeconds = 0
      status.troubles[index].retryInSeconds = nil
    }
    return status
  }
}
