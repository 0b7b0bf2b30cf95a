// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

internal import Base

/// Decides when what a guest sends is due: one timeline for video and audio.
///
/// A packet with the time t is due at t + `offset`. The offset follows the earliest arrivals of the last seconds, plus
/// a delay that covers the jitter of the others. It jumps where a packet would come too late, and otherwise moves so
/// slowly that audio can follow it by a stretch that nobody hears.
///
/// Reads no clock and does no I/O: all times are passed in.
struct GuestTimeline {
  /// Who determines the speed at which packets come.
  enum Pace {
    /// The sender: packets arrive when they are made.
    case sender
    /// The reader: it reads on when there is room, as in HLS or a file.
    case reader
  }

  /// The range of the delay, in nanoseconds, beyond that of the track that comes later than the other.
  static let delays: ClosedRange<Int64> = .milliseconds(50)...Int64.milliseconds(500)
  /// The longest accepted time from one track's packets to those of the other with the same time, in nanoseconds. In
  /// MPEG-TS, audio comes in pieces, and video before it is shown.
  static let maxSkewNanos: Int64 = .milliseconds(500)
  /// The delay before the jitter is known, in nanoseconds.
  static let initialDelayNanos: Int64 = .milliseconds(100)
  /// The delay at the reader's pace, and what is added when a packet came too late, in nanoseconds.
  static let readerDelayNanos: Int64 = .milliseconds(500)
  /// The largest correction of the offset by stretching, as a fraction. It is added to the sender's drift.
  static let correctionLimit = 0.005
  /// The largest drift of a sender's clock that is followed, as a fraction.
  static let driftLimit = 0.025
  /// The fraction of an error of the offset that is corrected in a second.
  static let correctionRate = 0.2
  /// After this time, all packets of which were later than the longest delay, the sender's delay has changed.
  static let shiftedNanos: Int64 = .seconds(1)
  /// The time after the first packet in which the offset jumps to each earlier arrival: servers send what they have
  /// kept, and the reader has read some packets before it knew the tracks.
  static let settlingNanos: Int64 = .seconds(1)
  /// A stream that is ahead of its own time by more than this many nanoseconds is no live one.
  static let liveLeadNanos: Int64 = .seconds(15)

  /// How long before they are due packets have to be here, in nanoseconds: video for decoding, and audio since OnAir
  /// takes it well before it is heard.
  static func margin(_ kind: GuestKind) -> Int64 {
    kind == .video ? .milliseconds(15) : .milliseconds(50)
  }

  /// The arrivals of one second.
  private struct Block {
    /// The smallest difference of arrival and time for each `GuestKind`; `nil` without packets.
    var earliest: [Int64?] = [nil, nil]
    /// The longest delay that a packet would have needed.
    var need: Int64 = 0

    /// The smallest difference of all tracks.
    var first: Int64? { earliest.compactMap(\.self).min() }
  }

  /// The length of a block, in nanoseconds.
  private static let blockNanos: Int64 = .seconds(1)
  /// The number of blocks whose jitter counts.
  private static let jitterBlocks = 20
  /// The number of blocks of which the earliest arrival counts.
  private static let earliestBlocks = 4
  /// The number of blocks before the last ones from which the drift is computed.
  private static let driftBlocks = 30

  private(set) var pace: Pace
  /// What is added to the time of a packet to get the time at which it is due, without the extra delay.
  private var offset: Int64?
  /// The drift of the sender's clock, as a fraction; positive if it is slow.
  private(set) var drift = 0.0
  /// By how much the offset grows in a second at present, as a fraction.
  private(set) var rate = 0.0
  /// The sum of all jumps of the offset, in nanoseconds.
  private(set) var jumped: Int64 = 0
  /// The delay that the jitter asks for, in nanoseconds.
  private(set) var delay = GuestTimeline.initialDelayNanos
  /// An extra delay that the user has set, in nanoseconds.
  private let extra: Int64
  /// The blocks before the present one; the latest is the last.
  private var blocks: [Block] = []
  private var block = Block()
  private var blockStart = MediaTime.distantPast
  /// The difference of arrival and time that the earliest packets of the last seconds had, for each `GuestKind`.
  private var earliest: [Int64?] = [nil, nil]
  /// The arrival and the time of the first packet.
  private var first: (arrived: MediaTime, time: Int64)?
  /// Until when the offset jumps to each earlier arrival.
  private var settlesUntil = MediaTime.distantPast
  /// Since when packets come late after one that was later than the longest delay, and how late that one was; `nil` if
  /// the last packet was in time.
  private var lateSince: (arrived: MediaTime, lateness: Int64)?
  private var advancedTo: MediaTime?

  init(pace: Pace = .sender, extraDelay: Int64 = 0) {
    self.pace = pace
    extra = extraDelay
  }

  /// The smaller difference of both tracks, and by how much the other one is larger.
  private var base: Int64 { earliest.compactMap(\.self).min() ?? 0 }
  private var skew: Int64 {
    min(GuestTimeline.maxSkewNanos, (earliest.compactMap(\.self).max() ?? 0) - base)
  }

  /// The time of a packet that arrives now and is not late; `nil` before the first packet and at the reader's pace.
  func expected(_ kind: GuestKind, _ arrived: MediaTime) -> Int64? {
    offset != nil && pace == .sender ? arrived.nanos - (earliest[kind.rawValue] ?? base) : nil
  }

  /// When what has the time `time` is due; `nil` before the first packet.
  func due(_ time: Int64) -> MediaTime? { offset.map { MediaTime(nanos: time + $0 + extra) } }

  /// Notes the arrival of a packet with the time `time`.
  mutating func note(_ kind: GuestKind, time: Int64, arrived: MediaTime) {
    let difference = arrived.nanos - time
    guard let first else {
      self.first = (arrived, time)
      return anchor(kind, difference, arrived)
    }
    if pace == .sender,
      (time - first.time) - (arrived - first.arrived) * 21 / 20 > GuestTimeline.liveLeadNanos
    {
      pace = .reader
      return anchor(kind, difference, arrived)
    }
    guard pace == .sender else {
      guard let offset, difference + GuestTimeline.margin(kind) > offset else { return }
      return jump(to: difference + GuestTimeline.readerDelayNanos)
    }
    advanceBlocks(to: arrived)
    let own = min(earliest[kind.rawValue] ?? difference, difference)
    earliest[kind.rawValue] = own
    let ownOfBlock = block.earliest[kind.rawValue] ?? difference
    block.earliest[kind.rawValue] = min(ownOfBlock, difference)
    let lateness = difference - own
    let need = difference - base + GuestTimeline.margin(kind)
    let isVeryLate = lateness > GuestTimeline.delays.upperBound
    guard !isVeryLate, lateSince == nil || need <= delay else {
      return noteVeryLate(kind, lateness, difference, arrived)
    }
    lateSince = nil
    block.need = max(block.need, need)
    updateDelay()
    guard let offset else { return }
    let target = base + delay
    let mustGrow = difference + GuestTimeline.margin(kind) > offset && target > offset
    let mustShrink =
      arrived < settlesUntil ? target < offset : offset - base > longestDelay
    if mustGrow || mustShrink { jump(to: target) }
  }

  private var longestDelay: Int64 { GuestTimeline.delays.upperBound + skew }

  /// Moves the offset by stretching, as far as the time since the last call allows.
  mutating func advance(to now: MediaTime) {
    defer { advancedTo = now }
    guard pace == .sender, let offset, let last = advancedTo, now > last else {
      rate = pace == .sender ? rate : 0
      return
    }
    let error = Double(base + delay - offset) / 1e9
    let limit = GuestTimeline.correctionLimit
    rate = drift + max(-limit, min(limit, error * GuestTimeline.correctionRate))
    self.offset = offset + Int64(rate * Double(min(now - last, .seconds(1))))
  }

  /// Starts anew with a packet that is in time.
  private mutating func anchor(_ kind: GuestKind, _ difference: Int64, _ arrived: MediaTime) {
    earliest = [nil, nil]
    earliest[kind.rawValue] = difference
    jump(to: difference + (pace == .sender ? delay : GuestTimeline.readerDelayNanos))
    drift = 0
    rate = 0
    blocks = []
    block = Block(earliest: earliest)
    blockStart = arrived
    settlesUntil = arrived + GuestTimeline.settlingNanos
    lateSince = nil
  }

  private mutating func jump(to target: Int64) {
    jumped += target - (offset ?? target)
    offset = target
  }

  /// Notes a packet that is later than the longest delay, or one after it that is still late. When the line has
  /// stalled, what has waited comes quickly, and each packet is less late than the one before. If that is not so, the
  /// line has become longer.
  private mutating func noteVeryLate(
    _ kind: GuestKind, _ lateness: Int64, _ difference: Int64, _ arrived: MediaTime
  ) {
    guard let since = lateSince, lateness > since.lateness - .milliseconds(250) else {
      lateSince = (arrived, lateness)
      return
    }
    if arrived - since.arrived > GuestTimeline.shiftedNanos {
      anchor(kind, difference, arrived)
    }
  }

  private mutating func advanceBlocks(to arrived: MediaTime) {
    guard arrived - blockStart >= GuestTimeline.blockNanos else { return }
    let isRecent = arrived - blockStart < 3 * GuestTimeline.blockNanos
    blockStart = isRecent ? blockStart + GuestTimeline.blockNanos : arrived
    blocks.append(block)
    if blocks.count > GuestTimeline.driftBlocks { blocks.removeFirst() }
    block = Block()
    for kind in GuestKind.allCases {
      let last = blocks.suffix(GuestTimeline.earliestBlocks)
      // A track that has paused keeps its own.
      if let found = last.compactMap({ $0.earliest[kind.rawValue] }).min() {
        earliest[kind.rawValue] = found
      }
    }
    updateDrift()
  }

  /// The drift is the difference of the earliest arrivals of the older and of the newer half of the blocks. With each
  /// second, the halves grow, and the drift becomes more exact.
  private mutating func updateDrift() {
    let half = blocks.count / 2
    guard half >= 5, let old = blocks.prefix(half).compactMap(\.first).min(),
      let new = blocks.suffix(half).compactMap(\.first).min()
    else { return }
    let found = Double(new - old) / Double(Int64(blocks.count - half) * GuestTimeline.blockNanos)
    drift = max(-GuestTimeline.driftLimit, min(GuestTimeline.driftLimit, found))
  }

  /// The delay grows with the first packet that needs it. It shrinks when no packet of `jitterBlocks` has needed it;
  /// the offset then follows slowly.
  private mutating func updateDelay() {
    let need = max(block.need, blocks.suffix(GuestTimeline.jitterBlocks).map(\.need).max() ?? 0)
    let isKnown = blocks.count >= 3
    delay = min(longestDelay, max(need, isKnown ? GuestTimeline.delays.lowerBound : delay))
  }
}
