// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

package import Base
internal import Synchronization

/// The status for all who listen to it: it is built once for those that ask at about the same time. The caller passes the
/// time.
package final class StatusFeed: Sendable {
  package struct Edition {
    /// Rises with each change, but for changes of counters and ages alone, which the figures have.
    package var number: Int
    package var status: Status
  }

  /// A little less than the time between two looks of a listener.
  package init() {}

  private static let freshNanos = Int64.milliseconds(90)

  private let newest = Mutex<(edition: Edition, at: MediaTime)?>(nil)

  package func newest(_ now: MediaTime, build: () -> Status) -> Edition {
    newest.withLock { newest in
      if let newest, now - newest.at < StatusFeed.freshNanos { return newest.edition }
      let status = build()
      let isSame = newest.map { $0.edition.status.essence == status.essence } ?? false
      let number = newest?.edition.number ?? 0
      let edition = Edition(number: isSame ? number : number + 1, status: status)
      newest = (edition, now)
      return edition
    }
  }
}

extension Status {
  /// Without counters and ages.
  fileprivate var essence: Status {
    var status = self
    status.onAirSeconds = status.onAirSeconds.map { _ in 0 }
    status.deliveredSeconds = status.deliveredSeconds.map { _ in 0 }
    status.encode = nil
    status.driftPpm = nil
    status.watched?.since = ""
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
