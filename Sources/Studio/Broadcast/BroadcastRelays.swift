// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Publish
internal import RateControl

// The destinations besides the main one, which must not harm it.

extension Broadcast {
  /// How long a relay that is removed may take to say good-bye.
  static let goodbyePatience = Int64.milliseconds(1_500)

  /// Looks after relays that leave, and decides how much of the stream the others get.
  func superviseOthers(_ now: MediaTime) {
    let leaving = others.withLock { $0.leaving }
    for (named, _) in leaving { named.destination.supervise(now: now) }
    let present = others.withLock { others in
      // A thread that hangs ends by itself.
      others.leaving.removeAll { $0.destination.hasEnded || now >= $1 }
      return others.present
    }
    guard !present.isEmpty else { return others.withLock { $0.rules = RelayRules() } }
    let relays = present.map { named in
      let counters = named.destination.counters
      return RelayRules.Relay(
        name: named.name, isSending: named.destination.takesPackets, drops: counters.overflows)
    }
    let arrived = ([main] + present.map(\.destination)).map { $0.link?.arrivedBytes ?? 0 }
    let state = mainState(now)
    let thinning = others.withLock { others in
      others.rate.note(arrived, now: now)
      return others.rules.look(state, relays, provenKbps: others.rate.kbps, now: now)
    }
    for named in present { named.destination.thin(thinning[named.name] ?? .whole) }
  }

  /// Whether a relay's server does not take the stream.
  var isRelayFailing: Bool {
    others.withLock { $0.present }.contains { $0.destination.counters.obstacle != nil }
  }

  private func mainState(_ now: MediaTime) -> RelayRules.Main {
    let (plan, target) = follower.withLock { ($0.plan, $0.asked) }
    return RelayRules.Main(
      behind: main.link.map { link in link.oldestOfferedAt.map { max(0, now - $0) } ?? 0 },
      kbps: min(plan.videoKbps, target.videoKbps) + target.audioKbps,
      targetKbps: target.videoKbps + target.audioKbps)
  }
}

/// The bit rate at which data has arrived lately, at all servers together.
struct ArrivalRate {
  private static let window = Int64.milliseconds(500)

  private var last: [UInt64] = []
  private var total: UInt64 = 0
  private var samples: [(at: MediaTime, total: UInt64)] = []
  private(set) var kbps = 0

  /// - Parameter bytes: that have arrived at each server, since its connection began.
  mutating func note(_ bytes: [UInt64], now: MediaTime) {
    if bytes.count == last.count {
      for (new, old) in zip(bytes, last) where new > old { total += new - old }
    }
    last = bytes
    samples.append((now, total))
    samples.removeAll { now - $0.at > Self.window }
    guard let first = samples.first, now - first.at >= Self.window / 2 else { return }
    kbps = Int(Double(total - first.total) * 8 / Double(now - first.at) * 1_000_000)
  }
}
