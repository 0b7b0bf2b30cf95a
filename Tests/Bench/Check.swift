// SPDX-FileCopyrightText: 2026 The OnAir authors
// SPDX-License-Identifier: GPL-3.0-or-later

/// What OnAir's figures must be.
struct Limits {
  /// Of the floor's processor time.
  var processorRatio: Double
  /// Milliseconds; `nil`: not looked at.
  var delayMiddle: Double?
  var delayTail: Double?
  var start: Double?
  /// MB.
  var memory: Double?
  /// How far the bit rates may lie from the floor's, as a part of it.
  var bitrate: Double
  /// Processor time of a pause, of live.
  var pause: Double
  /// Of all frames, the part that may be lost.
  var lost: Double
  /// Whether processor time and start are held against ffmpeg and GStreamer.
  var againstPeers: Bool

  static let full = Limits(
    processorRatio: 1.05, delayMiddle: 12, delayTail: 25, start: 120, memory: 70, bitrate: 0.02,
    pause: 0.1, lost: 0, againstPeers: true)
  /// What holds on a busy machine in one short round, too.
  static let smoke = Limits(
    processorRatio: 1.5, delayMiddle: nil, delayTail: nil, start: nil, memory: nil, bitrate: 0.25,
    pause: 0.5, lost: 0.2, againstPeers: false)
}

/// One figure held against its limit.
struct Verdict: Encodable {
  var holds: Bool
  var text: String
}

extension Results {
  /// Needs rounds of OnAir and of the floor.
  func verdicts(_ limits: Limits) -> [Verdict] {
    var verdicts: [Verdict] = []
    func expect(_ holds: Bool, _ text: String) {
      verdicts.append(Verdict(holds: holds, text: text))
    }
    func median(_ row: Row, _ contender: Contender = .onair) -> Double? {
      spread(row, contender)?.median
    }
    func expect(_ row: Row, atMost limit: Double?, _ what: String) {
      guard let limit, let value = median(row) else { return }
      expect(
        value <= limit, "\(what) \(value.text(row.decimals)), at most \(limit.text(row.decimals))")
    }
    let peers = contenders.filter { $0 == .ffmpeg || $0 == .gstreamer }

    expect(.ratio, atMost: limits.processorRatio, "processor time by the floor's:")
    if limits.againstPeers, contenders.contains(.ffmpeg) {
      expect(.processor, atMost: median(.processor, .ffmpeg), "processor ms a frame, by ffmpeg's:")
    }
    expectDelay(.delayMiddle, limits.delayMiddle, slack: 1.5, &verdicts)
    expectDelay(.delayTail, limits.delayTail, slack: 5, &verdicts)
    expect(.start, atMost: limits.start, "start to first video, ms:")
    for peer in peers {
      if limits.againstPeers {
        expect(
          .start, atMost: median(.start, peer), "start to first video, ms, by \(peer.rawValue)'s:")
      }
      expect(.memory, atMost: median(.memory, peer), "peak memory, MB, by \(peer.rawValue)'s:")
    }
    expect(.memory, atMost: limits.memory, "peak memory, MB:")
    if let allocations {
      expect(
        allocations.own == 0 && allocations.frames > 0,
        "heap allocations by OnAir's code: \(allocations.own) in \(allocations.frames) frames, none"
      )
    }
    if let pauseShare {
      expect(
        pauseShare <= limits.pause,
        "processor time of a pause, by live: \(pauseShare.text(3)), at most \(limits.pause.text(3))"
      )
    }
    let floorRate = median(.bitrate, .floor) ?? 0
    for contender in contenders where contender != .floor {
      let differences = differences(contender)
      let isSame = differences.allSatisfy { contender.allowedDifferences.contains($0.name) }
      expect(
        isSame,
        "x264's settings in \(contender.rawValue): "
          + (differences.isEmpty ? "the floor's" : differences.map(\.text).joined(separator: ", ")))
      let rate = median(.bitrate, contender) ?? 0
      expect(
        abs(rate - floorRate) <= limits.bitrate * floorRate,
        "video of \(contender.rawValue): \(rate.text(0)) kbit/s, the floor's \(floorRate.text(0)) to "
          + "\((limits.bitrate * 100).text(0)) %")
    }
    let frames = turns.reduce(0) { $0 + ($1[.onair].map { $0.lost + $0.delaysMs.count } ?? 0) }
    let lost = turns.reduce(0) { $0 + ($1[.onair]?.lost ?? 0) }
    expect(
      Double(lost) <= limits.lost * Double(frames),
      "frames that OnAir lost: \(lost) of \(frames), at most \((limits.lost * 100).text(0)) %")
    return verdicts
  }

  /// Where bare x264 alone takes about as long as the limit, OnAir may take `slack` ms more than that
  /// and no more: no program can be faster than its encoder.
  private func expectDelay(
    _ row: Row, _ limit: Double?, slack: Double, _ verdicts: inout [Verdict]
  ) {
    guard let limit, let delay = spread(row, .onair)?.median,
      let floor = spread(row, .floor)?.median,
      let encoding = spread(row == .delayMiddle ? .encodeMiddle : .encodeTail, .floor)?.median
    else { return }
    let bare = "the floor's \(floor.text(1)), of it \(encoding.text(1)) in x264"
    if floor + slack <= limit {
      verdicts.append(
        Verdict(
          holds: delay <= limit,
          text: "\(row.rawValue): \(delay.text(1)), at most \(limit.text(1)); \(bare)"))
    } else {
      verdicts.append(
        Verdict(
          holds: delay <= floor + slack,
          text:
            "\(row.rawValue): \(delay.text(1)); \(limit.text(1)) is out of reach on this machine, so at "
            + "most \(slack.text(1)) more than \(bare)"))
    }
  }
}
