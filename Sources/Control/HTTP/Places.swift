// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Who may stay connected when there are more clients than places. Pure: the caller passes the time.
///
/// A new client always gets in, but for one case: the place of the client that has been idle for longest is taken, first
/// of those that are not logged in. A few places are kept for clients that are.
struct Places {
  private struct Entry {
    /// When it came, or last began or ended a request.
    var since: MediaTime
    var isIdle = true
    var isKnown = false
  }

  private let most: Int
  private let mostUnknown: Int
  private var entries: [Int: Entry] = [:]
  private var lastNumber = 0

  /// - Parameters:
  ///   - most: places.
  ///   - reserved: of these, how many only clients that are logged in may take.
  init(most: Int, reserved: Int) {
    self.most = most
    mostUnknown = most - reserved
  }

  var count: Int { entries.count }

  /// A client has come.
  /// - Returns: its number, and the number of the one that has to go for it; that may be itself.
  mutating func enter(now: MediaTime) -> (number: Int, leaves: Int?) {
    lastNumber += 1
    let number = lastNumber
    let unknown = entries.values.count { !$0.isKnown }
    var victim: Int?
    if unknown >= mostUnknown {
      victim = oldest { !$0.isKnown && $0.isIdle } ?? oldest { !$0.isKnown }
    } else if entries.count >= most {
      victim =
        oldest { !$0.isKnown && $0.isIdle } ?? oldest { !$0.isKnown } ?? oldest { $0.isIdle }
        ?? number
    }
    entries[number] = Entry(since: now)
    if let victim { entries[victim] = nil }
    return (number, victim)
  }

  mutating func leave(_ number: Int) { entries[number] = nil }

  /// A request has begun.
  mutating func begin(_ number: Int, now: MediaTime) {
    entries[number]?.isIdle = false
    entries[number]?.since = now
  }

  /// The response has been written.
  mutating func end(_ number: Int, now: MediaTime) {
    entries[number]?.isIdle = true
    entries[number]?.since = now
  }

  /// A request has shown that the client is logged in.
  mutating func know(_ number: Int) { entries[number]?.isKnown = true }

  private func oldest(where matches: (Entry) -> Bool) -> Int? {
    // Of those with the same time, the one that came first.
    entries.filter { matches($0.value) }
      .min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }?.key
  }
}
